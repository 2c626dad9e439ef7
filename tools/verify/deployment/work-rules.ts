import { Difference, NotApplicable, NotGiven } from '../rule.ts';
import { type Deployment, type DeploymentRule, type Received, require } from './deployment.ts';
import { contactId, projectId } from './sample.ts';

// Always the same directory: the agent copies what is missing, and nothing the second time.
const targetPath = 'Abnahme\\Probelauf';

const provider = 'npm run verify -w tools -- texts says what the provider of texts does.';

const notConfigured = ({ status, body }: Received): boolean =>
  status === 503 && body?.code === 'not_configured';

interface PartHealth {
  readonly part: string;
  readonly state: string;
  readonly code?: string;
  readonly uses?: string;
}

async function partsOf(deployment: Deployment): Promise<readonly PartHealth[]> {
  return (await deployment.expect(200, 'GET', '/health/parts')).body.parts as readonly PartHealth[];
}

interface TimerHealth {
  readonly timer: string;
  readonly state: string;
}

/** It runs every minute, so it shows whether the host calls timers at all. */
const minuteTimer = 'maintain-folder-queue';
const firstRunMs = 150_000;
const timerWaitMs = 10_000;

async function timersOf(deployment: Deployment): Promise<readonly TimerHealth[]> {
  const { body } = await deployment.expect(200, 'GET', '/health/parts');
  if (!Array.isArray(body.timers)) throw new NotApplicable('this release does not record them');
  return body.timers as readonly TimerHealth[];
}

const hasRun = (timers: readonly TimerHealth[]): boolean =>
  timers.some(({ timer, state }) => timer === minuteTimer && state !== 'unknown');

/** E3, E4, E6: agents, texts, timers and parts. */
export const agentRules: readonly DeploymentRule[] = [
  {
    id: 'E3.1',
    expected: 'a folder request is fulfilled by an agent',
    follows: 'Run folder-agent --check on the machine of the agent.',
    stage: 'uses',
    needs: 'user',
    requests: [
      'GET /agents',
      'POST /folder-requests',
      'GET /folder-requests/{id}',
      'DELETE /folder-requests/{id}',
    ],
    async run(deployment) {
      const { target } = deployment;
      const { body: agents } = await deployment.expect(200, 'GET', '/agents');
      const active = (agents.items as { state: string }[]).filter(({ state }) => state !== 'silent').length;
      const json = { targetPath, projectId };
      const { body } = await deployment.expect(201, 'POST', '/folder-requests', { json });
      if (active === 0) {
        await deployment.expect(204, 'DELETE', `/folder-requests/${body.id}`);
        throw new NotApplicable(
          'no agent has called in the last three minutes; the request was accepted and withdrawn',
        );
      }
      const startedAt = target.now();
      for (;;) {
        const { body: last } = await deployment.expect(200, 'GET', `/folder-requests/${body.id}`);
        if (last.status === 'FULFILLED')
          return `${active} agents; the directory ${targetPath} remains on the share`;
        // Its message has paths of the customer.
        if (last.status === 'FAILED') throw new Difference('the agent reported FAILED; the request says why');
        require(target.now() - startedAt < 60_000, `still ${last.status} after 60 s, with ${active} agents`);
        await target.wait(1000);
      }
    },
  },
];

export const textRules: readonly DeploymentRule[] = [
  {
    id: 'E4.1',
    expected: 'an email is written',
    follows: provider,
    stage: 'uses',
    needs: 'author',
    requests: ['POST /activities/generate'],
    async run(deployment) {
      const json = { activityType: 'Email', contactId, description: 'Der Probelauf ist gelungen.' };
      const response = await deployment.send('POST', '/activities/generate', { as: 'author', json });
      if (notConfigured(response)) throw new NotApplicable('activities are not configured');
      require(response.status === 200, `returned ${response.status} ${response.body?.code ?? ''}`);
      require(String(response.body.mailtoLink).startsWith('mailto:'), 'the response has no mailto link');
    },
  },
  {
    id: 'E4.2',
    expected: 'a letter is stored in the OneDrive of the user',
    follows:
      'The user needs a OneDrive, and the storage account the letter template (tools/letter-template/README.md).',
    stage: 'uses',
    needs: 'author',
    requests: ['POST /activities/letters', 'LINK GET'],
    async run(deployment) {
      const { removeItem } = deployment.target;
      if (!removeItem)
        throw new NotGiven('needs --drive, and a sign-in or GRAPH_TOKEN, to remove the letter again');
      const json = { contactId, subject: 'Probelauf', content: 'Der Probelauf ist gelungen.' };
      const response = await deployment.send('POST', '/activities/letters', { as: 'author', json });
      if (notConfigured(response)) throw new NotApplicable('activities are not configured');
      require(response.status === 201, `returned ${response.status} ${response.body?.code ?? ''}`);
      const file = await deployment.toLibrary('LINK', 'GET', response.body.downloadUrl as string);
      await removeItem('oneDrive', response.body.letterId as string);
      const isDocument = Buffer.isBuffer(file.body) && file.body.subarray(0, 2).toString() === 'PK';
      require(file.status === 200 && isDocument, 'the letter is no Word document');
    },
  },
];

export const partRules: readonly DeploymentRule[] = [
  {
    id: 'E6.1',
    expected: 'the timers run',
    follows: 'bicep/README.md, "Timers that do not run", has the commands that end it.',
    needs: 'user',
    requests: ['GET /health/parts'],
    async run(deployment) {
      let timers = await timersOf(deployment);
      // Of a host that has just begun to call them.
      for (let waitedMs = 0; !hasRun(timers) && waitedMs < firstRunMs; waitedMs += timerWaitMs) {
        await deployment.target.wait(timerWaitMs);
        timers = await timersOf(deployment);
      }
      require(hasRun(timers), `${minuteTimer} has not run yet: are the triggers synchronized?`);
      const bad = timers.filter(({ state }) => state === 'failing' || state === 'overdue');
      require(bad.length === 0, bad.map(({ timer, state }) => `${timer} is ${state}`).join(', '));
      const waiting = timers.filter(({ state }) => state === 'unknown').map(({ timer }) => timer);
      return waiting.length === 0 ? '' : `not yet: ${waiting.join(', ')}`;
    },
  },
  {
    id: 'E6.2',
    expected: 'the parts that users depend on work',
    follows:
      'Library and provider: bicep/README.md, "Alerts". uploadDisk: lower UPLOAD_DISK_BYTES, which the disk of an instance has not free.',
    needs: 'user',
    requests: ['GET /health/parts'],
    async run(deployment) {
      const bad = (await partsOf(deployment)).filter(({ state }) => state === 'failing');
      require(bad.length === 0, bad.map(({ part, code }) => `${part} is failing (${code})`).join(', '));
    },
  },
  {
    id: 'E6.3',
    expected: 'uploads are written to a disk of the instance',
    follows:
      'bicep/README.md, "Uploads": the memory of an instance also has to hold UPLOAD_DISK_BYTES. Lower that, or set TMPDIR to a folder on a disk.',
    isAdvice: true,
    needs: 'user',
    requests: ['GET /health/parts'],
    async run(deployment) {
      const disk = (await partsOf(deployment)).find(({ part }) => part === 'uploadDisk');
      if (disk?.uses === undefined) throw new NotApplicable('the service does not say');
      require(disk.uses === 'disk', `they are written to ${disk.uses}`);
    },
  },
];
