import { createCipheriv } from 'node:crypto';
import {
  Difference,
  NotApplicable,
  NotGiven,
  type Acceptance,
  type Received,
  type Step,
} from './acceptance.ts';

// Fixed, so that a run finds what an interrupted one has left.
const projectId = 'acce97ed-0000-4000-8000-000000000001';
const contactId = 'acce97ed-0000-4000-8000-000000000002';
const project = { number: 'ABNAHME', name: 'Probelauf' };
const contact = { lastName: 'Abnahme', company: 'Probelauf', email: 'abnahme@example.com' };
// Always the same directory: the agent copies what is missing, and nothing the second time.
const targetPath = 'Abnahme\\Probelauf';
const folderName = '07_Protokolle';
const MiB = 1024 * 1024;
const documents = `/documents/projects/${projectId}`;
const of = `project ${project.number}`;

/** The same bytes in every run, none of which follows from those before it: a part that is missing, doubled, or moved shows. */
const content = (bytes: number): Buffer<ArrayBuffer> =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(bytes));

const require = (holds: boolean, says: string): void => {
  if (!holds) throw new Difference(says);
};

async function upload(acceptance: Acceptance, fileName: string, bytes: number): Promise<string> {
  const form = new FormData();
  form.set('folderName', folderName);
  form.set('conflictBehavior', 'replace');
  form.set('file', new File([content(bytes)], fileName));
  // With its length, as browsers send it.
  const encoded = new Response(form);
  const body = await encoded.arrayBuffer();
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const { body: document } = await acceptance.expect(201, 'POST', `${documents}/upload`, { body, headers });
  require(document.size === bytes, `the stored file has ${document.size} of ${bytes} bytes`);
  acceptance.shared.uploadedIds.push(document.id as string);
  const download = `/documents/${document.id}/download`;
  requireWhole((await acceptance.expect(200, 'GET', download)).body as Buffer, bytes);
  return '';
}

/** What a gateway or a proxy has cut or changed, with a status that says nothing of it. */
function requireWhole(received: Buffer, bytes: number): void {
  require(received.length === bytes, `${received.length} of ${bytes} bytes come back`);
  require(content(bytes).equals(received), 'other bytes come back than were sent');
}

/** Removes what this or an interrupted run has left. @throws Difference for what cannot be read or removed */
async function remove(acceptance: Acceptance): Promise<void> {
  const itemsOf = async <T>(path: string): Promise<readonly T[]> =>
    (await acceptance.expect(200, 'GET', path)).body.items as T[];
  const gone = async (path: string): Promise<void> => {
    const { status } = await acceptance.send('DELETE', path);
    require(status === 204 || status === 404, `DELETE returned ${status}`);
  };
  if ((await acceptance.send('GET', `/projects/${projectId}`)).status === 200) {
    for (const { uploadId } of await itemsOf<{ uploadId: string }>(`${documents}/uploads`))
      await gone(`${documents}/uploads/${uploadId}`);
    for (const { id } of await itemsOf<{ id: string }>(documents)) await gone(`/documents/${id}`);
  }
  const own = `/folder-requests?requestedBy=me&projectId=${projectId}`;
  for (const { id, status } of await itemsOf<{ id: string; status: string }>(own))
    if (status === 'PENDING' || status === 'FAILED') await gone(`/folder-requests/${id}`);
  await gone(`/projects/${projectId}`);
  await gone(`/contacts/${contactId}`);
}

const removals = [
  'GET /projects/{id}',
  `GET ${documents}/uploads`,
  `DELETE ${documents}/uploads/{id}`,
  `GET ${documents}`,
  'DELETE /documents/{id}',
  'GET /folder-requests',
  'DELETE /folder-requests/{id}',
  'DELETE /projects/{id}',
  'DELETE /contacts/{id}',
];

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

const notConfigured = ({ status, body }: Received): boolean =>
  status === 503 && body?.code === 'not_configured';

const serviceRoutes = [
  ['GET', '/api/v1/health'],
  ['GET', '/api/v1/projects'],
  ['POST', '/api/v1/folder-requests/claim'],
  ['GET', '/api/console'],
] as const;

interface TimerHealth {
  readonly timer: string;
  readonly state: string;
}

/** It runs every minute, so it shows whether the host calls timers at all. */
const minuteTimer = 'maintain-folder-queue';
const firstRunMs = 150_000;
const timerWaitMs = 10_000;

async function timersOf(acceptance: Acceptance): Promise<readonly TimerHealth[]> {
  const { body } = await acceptance.expect(200, 'GET', '/health/parts');
  if (!Array.isArray(body.timers)) throw new NotApplicable('this release does not record them');
  return body.timers as readonly TimerHealth[];
}

const hasRun = (timers: readonly TimerHealth[]): boolean =>
  timers.some(({ timer, state }) => timer === minuteTimer && state !== 'unknown');

export const steps: readonly Step[] = [
  {
    title: 'the service is healthy',
    requests: ['GET /health'],
    async run(acceptance) {
      const first = await acceptance.send('GET', '/health', { as: 'nobody' });
      // A run just before this one has used up the calls of this address.
      if (first.status === 429) {
        await acceptance.target.wait((Number(first.headers.get('retry-after')) || 60) * 1000);
      }
      const { body } = await acceptance.expect(200, 'GET', '/health', { as: 'nobody' });
      require(body.status === 'ok' && typeof body.version === 'string', 'the response has no version');
      return `version ${body.version}`;
    },
  },
  {
    title: 'callers without a token, with a wrong one, and agents with a wrong key are 401',
    requests: ['GET /projects', 'POST /folder-requests/claim'],
    async run(acceptance) {
      const none = await acceptance.expect(401, 'GET', '/projects', {
        as: 'nobody',
        code: 'unauthenticated',
      });
      require(none.headers.get('www-authenticate')?.startsWith('Bearer') ===
        true, 'WWW-Authenticate is missing');
      const headers = { authorization: 'Bearer e30.e30.e30' };
      await acceptance.expect(401, 'GET', '/projects', { as: 'nobody', headers, code: 'unauthenticated' });
      const key = { 'x-api-key': 'acceptance' };
      await acceptance.expect(401, 'POST', '/folder-requests/claim', {
        as: 'nobody',
        headers: key,
        code: 'invalid_agent_key',
      });
    },
  },
  {
    title: 'a user without a role is 403',
    needs: 'noRole',
    requests: ['GET /projects'],
    run: async (acceptance) => {
      await acceptance.expect(403, 'GET', '/projects', { as: 'noRole', code: 'forbidden' });
    },
  },
  {
    title: 'nothing of an earlier run is left',
    needs: 'user',
    requests: removals,
    run: remove,
  },
  {
    title: 'project and contact are stored',
    needs: 'user',
    requests: ['PUT /projects/{id}', 'PUT /contacts/{id}', 'GET /projects/{id}'],
    async run(acceptance) {
      await acceptance.expect(201, 'PUT', `/projects/${projectId}`, { json: project });
      await acceptance.expect(201, 'PUT', `/contacts/${contactId}`, { json: contact });
      const { body } = await acceptance.expect(200, 'GET', `/projects/${projectId}`);
      require(body.name === project.name, 'the project has another name than the one sent');
    },
  },
  {
    title: 'the subfolders are created',
    needs: 'user',
    requests: [`POST ${documents}/provision`],
    async run(acceptance) {
      const { body } = await acceptance.expect(200, 'POST', `${documents}/provision`);
      require(body.folders?.length === 8, `${body.folders?.length} folders`);
      acceptance.shared.rootId = body.root.id as string;
    },
  },
  ...[1, 20].map((size): Step => ({
    title: `a file of ${size} MiB goes through the gateway, and comes back whole`,
    needs: 'user',
    requests: [`POST ${documents}/upload`, 'GET /documents/{id}/download'],
    run: (acceptance) => upload(acceptance, `${size} MiB.bin`, size * MiB),
  })),
  {
    title: 'a file of 100 MiB is uploaded directly to the library',
    needs: 'user',
    requests: [`POST ${documents}/uploads`, `POST ${documents}/uploads/{id}/complete`, 'UPLOAD PUT'],
    async run(acceptance) {
      const size = 100 * MiB;
      const json = { folderName, fileName: '100 MiB.bin', size, conflictBehavior: 'replace' };
      const { body } = await acceptance.expect(201, 'POST', `${documents}/uploads`, { json });
      const fragment = content(10 * MiB);
      for (let start = 0; start < size; start += fragment.length) {
        const range = `bytes ${start}-${start + fragment.length - 1}/${size}`;
        const { status } = await acceptance.toLibrary('UPLOAD', 'PUT', body.uploadUrl as string, {
          headers: { 'content-range': range },
          body: fragment,
        });
        require(status === 202, `the library returned ${status} for a fragment`);
      }
      const path = `${documents}/uploads/${body.uploadId}/complete`;
      const { body: document } = await acceptance.expect(201, 'POST', path);
      require(document.size === size, `the stored file has ${document.size} bytes`);
      acceptance.shared.uploadedIds.push(document.id as string);
    },
  },
  {
    title: 'files are listed, downloaded in part, and linked',
    needs: 'user',
    requests: [`GET ${documents}`, 'GET /documents/{id}/download', 'GET /documents/{id}/link', 'LINK GET'],
    async run(acceptance) {
      const { uploadedIds } = acceptance.shared;
      const { body } = await acceptance.expect(200, 'GET', documents);
      const listed = new Set((body.items as { id: string }[]).map(({ id }) => id));
      const missing = uploadedIds.filter((id) => !listed.has(id)).length;
      require(missing === 0, `${missing} of ${uploadedIds.length} uploaded files are not listed`);
      const [id] = uploadedIds;
      if (id === undefined) throw new Difference('no upload has succeeded');
      const headers = { range: 'bytes=1000-1999' };
      const part = await acceptance.expect(206, 'GET', `/documents/${id}/download`, { headers });
      const expected = content(2000).subarray(1000);
      require(expected.equals(part.body as Buffer), 'the range has other bytes than the file');
      const { body: link } = await acceptance.expect(200, 'GET', `/documents/${id}/link`);
      const linked = await acceptance.toLibrary('LINK', 'GET', link.downloadUrl as string);
      require(linked.status === 200, `the link returned ${linked.status}`);
      requireWhole(linked.body as Buffer, MiB);
    },
  },
  {
    title: 'files are deleted, and leave the list',
    needs: 'user',
    requests: ['DELETE /documents/{id}', `GET ${documents}`],
    async run(acceptance) {
      for (const id of acceptance.shared.uploadedIds)
        await acceptance.expect(204, 'DELETE', `/documents/${id}`);
      const { body } = await acceptance.expect(200, 'GET', documents);
      require(body.items.length === 0, `${body.items.length} are still listed`);
    },
  },
  {
    title: 'a folder request is fulfilled by an agent',
    needs: 'user',
    requests: [
      'GET /agents',
      'POST /folder-requests',
      'GET /folder-requests/{id}',
      'DELETE /folder-requests/{id}',
    ],
    async run(acceptance) {
      const { target } = acceptance;
      const { body: agents } = await acceptance.expect(200, 'GET', '/agents');
      const active = (agents.items as { state: string }[]).filter(({ state }) => state !== 'silent').length;
      const json = { targetPath, projectId };
      const { body } = await acceptance.expect(201, 'POST', '/folder-requests', { json });
      if (active === 0) {
        await acceptance.expect(204, 'DELETE', `/folder-requests/${body.id}`);
        throw new NotApplicable(
          'no agent has called in the last three minutes; the request was accepted and withdrawn',
        );
      }
      const startedAt = target.now();
      for (;;) {
        const { body: last } = await acceptance.expect(200, 'GET', `/folder-requests/${body.id}`);
        if (last.status === 'FULFILLED')
          return `${active} agents; the directory ${targetPath} remains on the share`;
        // Its message has paths of the customer.
        if (last.status === 'FAILED') throw new Difference('the agent reported FAILED; the request says why');
        require(target.now() - startedAt < 60_000, `still ${last.status} after 60 s, with ${active} agents`);
        await target.wait(1000);
      }
    },
  },
  {
    title: 'an email is written',
    needs: 'author',
    requests: ['POST /activities/generate'],
    async run(acceptance) {
      const json = { activityType: 'Email', contactId, description: 'Der Probelauf ist gelungen.' };
      const response = await acceptance.send('POST', '/activities/generate', { as: 'author', json });
      if (notConfigured(response)) throw new NotApplicable('activities are not configured');
      require(response.status === 200, `returned ${response.status} ${response.body?.code ?? ''}`);
      require(String(response.body.mailtoLink).startsWith('mailto:'), 'the response has no mailto link');
    },
  },
  {
    title: 'a letter is stored in the OneDrive of the user',
    needs: 'author',
    requests: ['POST /activities/letters', 'LINK GET'],
    async run(acceptance) {
      const { removeItem } = acceptance.target;
      if (!removeItem)
        throw new NotGiven('needs --drive, and a sign-in or GRAPH_TOKEN, to remove the letter again');
      const json = { contactId, subject: 'Probelauf', content: 'Der Probelauf ist gelungen.' };
      const response = await acceptance.send('POST', '/activities/letters', { as: 'author', json });
      if (notConfigured(response)) throw new NotApplicable('activities are not configured');
      require(response.status === 201, `returned ${response.status} ${response.body?.code ?? ''}`);
      const file = await acceptance.toLibrary('LINK', 'GET', response.body.downloadUrl as string);
      await removeItem('oneDrive', response.body.letterId as string);
      const isDocument = Buffer.isBuffer(file.body) && file.body.subarray(0, 2).toString() === 'PK';
      require(file.status === 200 && isDocument, 'the letter is no Word document');
    },
  },
  {
    title: 'the console is served with its security headers',
    requests: ['GET /api/console'],
    async run(acceptance) {
      const response = await acceptance.send('GET', '/api/console', { as: 'nobody' });
      if (response.status === 404) throw new NotApplicable('the console is switched off');
      require(response.status === 200, `returned ${response.status}`);
      const policy = policyIn(response.headers.get('content-security-policy') ?? '');
      const missing = [
        ...(response.headers.get('x-content-type-options') === 'nosniff' ? [] : ['x-content-type-options']),
        ...Object.entries(strictPolicy).flatMap(([directive, value]) =>
          policy.get(directive) === value ? [] : [`content-security-policy: ${directive}`],
        ),
      ];
      require(missing.length === 0, `missing or changed: ${missing.join(', ')}`);
    },
  },
  {
    title: 'headers of 40 KiB are rejected, and by the gateway a body of 40 MiB',
    needs: 'user',
    requests: [`POST ${documents}/upload`, 'GET /health'],
    async run(acceptance) {
      const large = await acceptance.statusOfHeaders('GET', '/health', {
        'x-acceptance': 'x'.repeat(40 * 1024),
      });
      require(large === 431 || large === 400, `headers: ${large ?? 'no response'}`);
      if (!acceptance.target.hasGateway) return 'without a gateway, only the headers';
      const headers = {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': String(40 * MiB),
      };
      // Only announced: the gateway responds before the body, the Functions host after it.
      const body = await acceptance.statusOfHeaders('POST', `${documents}/upload`, headers);
      require(body === 413, `body: ${body ?? 'no response'}`);
      return '';
    },
  },
  {
    title: 'responses have a request id, and no cache may keep them',
    requests: ['GET /health', 'GET /acceptance'],
    async run(acceptance) {
      const { shared } = acceptance;
      const headers = { 'x-request-id': 'acceptance-1' };
      const { headers: received } = await acceptance.expect(200, 'GET', '/health', { as: 'nobody', headers });
      const { status } = await acceptance.send('GET', '/acceptance', { as: 'nobody' });
      require(status === 404, `a route that does not exist returned ${status}`);
      require(received.get('x-request-id') === 'acceptance-1', 'x-request-id is not that of the caller');
      require(shared.headerFaults.size === 0, [...shared.headerFaults].join(', '));
    },
  },
  {
    title: 'the service lets nobody in who comes without the gateway',
    requests: serviceRoutes.map(([method, path]) => `SERVICE ${method} ${path}`),
    async run(acceptance) {
      if (!acceptance.target.hasGateway) throw new NotApplicable('there is no gateway');
      if (acceptance.target.serviceUrl === undefined) throw new NotGiven('needs --service-url');
      const open: string[] = [];
      let closed = 0;
      for (const [method, path] of serviceRoutes) {
        const status = await acceptance.toService(method, path).catch(() => null);
        if (status === null) closed += 1;
        else if (status !== 401 && status !== 403) open.push(`${method} ${path} returned ${status}`);
      }
      require(open.length === 0, `without the gateway, ${open.join(', ')}`);
      return closed === serviceRoutes.length ? 'it cannot be reached from here' : '';
    },
  },
  {
    title: 'the gateway limits the calls of one address',
    requests: ['GET /health'],
    async run(acceptance) {
      if (!acceptance.target.hasGateway) throw new NotApplicable('there is no gateway');
      for (let sent = 1; sent <= mostOpenCalls; sent += 1) {
        const { status, headers, body } = await acceptance.send('GET', '/health', { as: 'nobody' });
        if (status !== 429) continue;
        require(Number(headers.get('retry-after')) > 0, '429 without Retry-After');
        require(body?.code === 'rate_limited', '429 in another form than the problems of the service');
        return `after ${sent} calls`;
      }
      throw new Difference(`${mostOpenCalls} calls without a 429`);
    },
  },
  {
    title: 'the timers run',
    needs: 'user',
    requests: ['GET /health/parts'],
    async run(acceptance) {
      let timers = await timersOf(acceptance);
      // Of a host that has just begun to call them.
      for (let waitedMs = 0; !hasRun(timers) && waitedMs < firstRunMs; waitedMs += timerWaitMs) {
        await acceptance.target.wait(timerWaitMs);
        timers = await timersOf(acceptance);
      }
      require(hasRun(timers), `${minuteTimer} has not run yet: are the triggers synchronized?`);
      const bad = timers.filter(({ state }) => state === 'failing' || state === 'overdue');
      require(bad.length === 0, bad.map(({ timer, state }) => `${timer} is ${state}`).join(', '));
      const waiting = timers.filter(({ state }) => state === 'unknown').map(({ timer }) => timer);
      return waiting.length === 0 ? '' : `not yet: ${waiting.join(', ')}`;
    },
  },
  {
    title: 'nothing is left',
    needs: 'user',
    requests: [...removals, 'GET /contacts/{id}'],
    async run(acceptance) {
      await remove(acceptance);
      await acceptance.expect(404, 'GET', `/projects/${projectId}`);
      await acceptance.expect(404, 'GET', `/contacts/${contactId}`);
      const { rootId } = acceptance.shared;
      const { removeItem } = acceptance.target;
      if (rootId === undefined) return '';
      if (!removeItem)
        return `without --drive, the empty folders of ${of} remain in the library, and the next run uses them`;
      await removeItem('library', rootId);
      return '';
    },
  },
];
