import { type DeploymentRule, require } from './deployment.ts';

/** E1: who is let in. */
export const callerRules: readonly DeploymentRule[] = [
  {
    id: 'E1.1',
    expected: 'the service is healthy',
    follows:
      'bicep/README.md, "Alerts": bash bicep/check-health.sh names the setting or the part that is faulty.',
    requests: ['GET /health'],
    async run(deployment) {
      const first = await deployment.send('GET', '/health', { as: 'nobody' });
      // A run just before this one has used up the calls of this address.
      if (first.status === 429) {
        await deployment.target.wait((Number(first.headers.get('retry-after')) || 60) * 1000);
      }
      const { body } = await deployment.expect(200, 'GET', '/health', { as: 'nobody' });
      require(body.status === 'ok' && typeof body.version === 'string', 'the response has no version');
      return `version ${body.version}`;
    },
  },
  {
    id: 'E1.2',
    expected: 'callers without a token, with a wrong one, and agents with a wrong key are 401',
    follows: 'Take the deployment out of use: it lets in whom nobody knows.',
    requests: ['GET /projects', 'POST /folder-requests/claim'],
    async run(deployment) {
      const none = await deployment.expect(401, 'GET', '/projects', {
        as: 'nobody',
        code: 'unauthenticated',
      });
      const challenge = none.headers.get('www-authenticate') ?? '';
      require(challenge.startsWith('Bearer'), 'WWW-Authenticate is missing');
      const headers = { authorization: 'Bearer e30.e30.e30' };
      await deployment.expect(401, 'GET', '/projects', { as: 'nobody', headers, code: 'unauthenticated' });
      const key = { 'x-api-key': 'acceptance' };
      await deployment.expect(401, 'POST', '/folder-requests/claim', {
        as: 'nobody',
        headers: key,
        code: 'invalid_agent_key',
      });
    },
  },
  {
    id: 'E1.3',
    expected: 'a user without a role is 403',
    follows: 'Take the deployment out of use: everybody of the tenant can read projects and contacts.',
    needs: 'noRole',
    requests: ['GET /projects'],
    run: async (deployment) => {
      await deployment.expect(403, 'GET', '/projects', { as: 'noRole', code: 'forbidden' });
    },
  },
];
