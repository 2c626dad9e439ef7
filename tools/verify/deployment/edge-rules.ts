import { Difference, NotApplicable, NotGiven } from '../rule.ts';
import { type DeploymentRule, require } from './deployment.ts';
import { documents, MiB } from './sample.ts';

/** The directives that keep foreign scripts out; connect-src and the nonce of style-src depend on the deployment. */
const strictPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
};

const policyIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(';')
      .map((directive) => directive.trim())
      .map((directive) => [directive.split(' ', 1)[0] ?? '', directive.split(' ').slice(1).join(' ')]),
  );

// The policy allows 60 calls a minute from one address; a gateway with several units counts in each.
const mostOpenCalls = 240;

const serviceRoutes = [
  ['GET', '/api/v1/health'],
  ['GET', '/api/v1/projects'],
  ['POST', '/api/v1/folder-requests/claim'],
  ['GET', '/api/console'],
] as const;

const policy =
  'Deploy the API again (bash bicep/deploy.sh dev api), and compare bicep/policies with what the gateway has.';

/** E5: what the gateway adds, limits, and lets pass. */
export const edgeRules: readonly DeploymentRule[] = [
  {
    id: 'E5.1',
    expected: 'the console is served with its security headers',
    follows: policy,
    requests: ['GET /api/console'],
    async run(deployment) {
      const response = await deployment.send('GET', '/api/console', { as: 'nobody' });
      if (response.status === 404) throw new NotApplicable('the console is switched off');
      require(response.status === 200, `returned ${response.status}`);
      const sent = policyIn(response.headers.get('content-security-policy') ?? '');
      const missing = [
        ...(response.headers.get('x-content-type-options') === 'nosniff' ? [] : ['x-content-type-options']),
        ...Object.entries(strictPolicy).flatMap(([directive, value]) =>
          sent.get(directive) === value ? [] : [`content-security-policy: ${directive}`],
        ),
      ];
      require(missing.length === 0, `missing or changed: ${missing.join(', ')}`);
    },
  },
  {
    id: 'E5.2',
    expected: 'headers of 40 KiB are rejected, and by the gateway a body of 40 MiB',
    follows: `An instance can run out of memory. ${policy}`,
    needs: 'user',
    requests: [`POST ${documents}/upload`, 'GET /health'],
    async run(deployment) {
      const large = await deployment.statusOfHeaders('GET', '/health', {
        'x-acceptance': 'x'.repeat(40 * 1024),
      });
      require(large === 431 || large === 400, `headers: ${large ?? 'no response'}`);
      if (!deployment.target.hasGateway) return 'without a gateway, only the headers';
      const headers = {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': String(40 * MiB),
      };
      // Only announced: the gateway responds before the body, the Functions host after it.
      const body = await deployment.statusOfHeaders('POST', `${documents}/upload`, headers);
      require(body === 413, `body: ${body ?? 'no response'}`);
      return '';
    },
  },
  {
    id: 'E5.3',
    expected: 'responses have a request id, and no cache may keep them',
    follows: policy,
    requests: ['GET /health', 'GET /acceptance'],
    async run(deployment) {
      const { headerFaults } = deployment;
      const headers = { 'x-request-id': 'acceptance-1' };
      const { headers: received } = await deployment.expect(200, 'GET', '/health', { as: 'nobody', headers });
      const { status } = await deployment.send('GET', '/acceptance', { as: 'nobody' });
      require(status === 404, `a route that does not exist returned ${status}`);
      require(received.get('x-request-id') === 'acceptance-1', 'x-request-id is not that of the caller');
      require(headerFaults.size === 0, [...headerFaults].join(', '));
    },
  },
  {
    id: 'E5.4',
    expected: 'the service lets nobody in who comes without the gateway',
    follows:
      'bicep/README.md, "Private network": the limits of the gateway protect nothing. Close the service.',
    requests: serviceRoutes.map(([method, path]) => `SERVICE ${method} ${path}`),
    async run(deployment) {
      if (!deployment.target.hasGateway) throw new NotApplicable('there is no gateway');
      if (deployment.target.serviceUrl === undefined) throw new NotGiven('needs --service-url');
      const open: string[] = [];
      let closed = 0;
      for (const [method, path] of serviceRoutes) {
        const status = await deployment.toService(method, path).catch(() => null);
        if (status === null) closed += 1;
        else if (status !== 401 && status !== 403) open.push(`${method} ${path} returned ${status}`);
      }
      require(open.length === 0, `without the gateway, ${open.join(', ')}`);
      return closed === serviceRoutes.length ? 'it cannot be reached from here' : '';
    },
  },
  {
    id: 'E5.5',
    expected: 'the gateway limits the calls of one address',
    follows: policy,
    requests: ['GET /health'],
    async run(deployment) {
      if (!deployment.target.hasGateway) throw new NotApplicable('there is no gateway');
      for (let sent = 1; sent <= mostOpenCalls; sent += 1) {
        const { status, headers, body } = await deployment.send('GET', '/health', { as: 'nobody' });
        if (status !== 429) continue;
        require(Number(headers.get('retry-after')) > 0, '429 without Retry-After');
        require(body?.code === 'rate_limited', '429 in another form than the problems of the service');
        return `after ${sent} calls`;
      }
      throw new Difference(`${mostOpenCalls} calls without a 429`);
    },
  },
  {
    id: 'E5.6',
    expected: 'path and query arrive as they were sent',
    follows: `Searches, cursors, and names would be others than those that people typed. ${policy}`,
    needs: 'user',
    requests: ['GET /projects/{id}', 'GET /projects'],
    async run(deployment) {
      // Not decoded on the way, it is no path of two segments.
      const path = await deployment.send('GET', '/projects/a%2Fb');
      require(path.status === 400, `an encoded slash in the path: ${path.status}, expected 400`);
      // A fault names the parameter as it has arrived.
      const name = 'Maß+1 %20';
      const { body } = await deployment.expect(400, 'GET', `/projects?${encodeURIComponent(name)}=x`);
      const arrived = (body.errors as { path: string }[] | undefined)?.[0]?.path;
      require(arrived === `query.${name}`, `the name of a parameter arrives as ${arrived ?? 'nothing'}`);
    },
  },
];
