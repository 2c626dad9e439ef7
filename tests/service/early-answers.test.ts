import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { people, startDocumentService, type DocumentService } from '../support/document-service.ts';
import { fieldsFor, filePart, formOf } from '../support/multipart.ts';

const MiB = 1024 * 1024;

let service: DocumentService;

beforeAll(async () => {
  service = await startDocumentService({
    settings: {
      MAX_UPLOAD_BYTES: String(512 * 1024),
      FOLDER_AGENT_API_KEYS: 'berlin:key-of-berlin-0123456789',
    },
  });
});
afterAll(() => service.stop());

interface Answer {
  readonly status: number;
  readonly body: any;
  /** Of the client's side: tells connections apart. */
  readonly port: number | undefined;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly isChunked?: boolean;
}

/** Sends the whole body before it looks at the answer, as most clients do. */
function send(agent: Agent, { method, path, headers, body, isChunked = false }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${service.origin}/api/v1${path}`, {
      agent,
      method,
      headers: {
        ...headers,
        ...(body && (isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length })),
      },
    });
    let port: number | undefined;
    outgoing.on('socket', (socket) => {
      const note = () => (port = socket.localPort);
      if (socket.localPort === undefined) socket.once('connect', note);
      else note();
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      void textOf(response).then((text) => {
        resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text), port });
      }, reject);
    });
    if (isChunked) {
      for (let at = 0; at < (body?.length ?? 0); at += MiB) outgoing.write(body?.subarray(at, at + MiB));
      outgoing.end();
    } else outgoing.end(body);
  });
}

/** One connection; of several, the client takes the one that is free. */
async function onOneConnection<T>(use: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await use(agent);
  } finally {
    agent.destroy();
  }
}

const bearer = async (person = people.administrator) => ({
  authorization: `Bearer ${await service.token(person)}`,
});
const json = { 'content-type': 'application/json' };

/** JSON that nothing is wrong with but its size. */
const jsonOf = (bytes: number): Buffer => Buffer.from(`{"number":"1","name":"${'n'.repeat(bytes)}"}`);
const formOfSize = (bytes: number, folderName = '01_Angebote') =>
  formOf([...fieldsFor(folderName, 'replace'), filePart('a.bin', Buffer.alloc(bytes, 'x'))]);

type Make = (bytes: number) => Promise<Sent>;

const jsonCall =
  (method: string, path: string, headers: () => Promise<Record<string, string>>): Make =>
  async (bytes) => ({ method, path, headers: { ...json, ...(await headers()) }, body: jsonOf(bytes) });

const uploadCall =
  (path: () => Promise<string>, headers: () => Promise<Record<string, string>>, folderName?: string): Make =>
  async (bytes) => {
    const { boundary, body } = formOfSize(bytes, folderName);
    const contentType = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const project = await path();
    return {
      method: 'POST',
      path: `/documents/projects/${project}/upload`,
      headers: { ...contentType, ...(await headers()) },
      body,
    };
  };

const none = async () => ({});
const known = async () => (await service.newProject()).id;
const unknown = async () => 'unknown';

const rejections: [status: number, code: string, what: string, make: Make][] = [
  [401, 'unauthenticated', 'JSON without a token', jsonCall('PUT', '/projects/p', none)],
  [
    401,
    'invalid_agent_key',
    'JSON without an agent key',
    jsonCall('PATCH', '/folder-requests/x/status', none),
  ],
  [
    401,
    'invalid_agent_key',
    'a claim, which reads no body',
    jsonCall('POST', '/folder-requests/claim', none),
  ],
  [401, 'unauthenticated', 'a form without a token', uploadCall(known, none)],
  [403, 'forbidden', 'JSON without a role', jsonCall('PUT', '/projects/p', () => bearer(people.noRole))],
  [403, 'forbidden', 'a form without a role', uploadCall(known, () => bearer(people.noRole))],
  [404, 'not_found', 'an unknown route', jsonCall('POST', '/nowhere', none)],
  [
    404,
    'project_not_found',
    'provisioning, which reads no body',
    jsonCall('POST', '/documents/projects/unknown/provision', bearer),
  ],
  [404, 'project_not_found', 'a form for an unknown project', uploadCall(unknown, bearer)],
  [413, 'file_too_large', 'a form', uploadCall(known, bearer)],
  [
    415,
    'unsupported_media_type',
    'text for JSON',
    jsonCall('PUT', '/projects/p', async () => ({ ...(await bearer()), 'content-type': 'text/plain' })),
  ],
  [
    415,
    'unsupported_media_type',
    'text for a form',
    async (bytes) => ({
      ...(await uploadCall(known, bearer)(bytes)),
      headers: { ...(await bearer()), 'content-type': 'text/plain' },
    }),
  ],
  [400, 'invalid_request', 'JSON above its limit', jsonCall('PUT', '/projects/p', bearer)],
  [
    400,
    'invalid_request',
    'JSON that is none',
    async (bytes) => ({
      ...(await jsonCall('PUT', '/projects/p', bearer)(bytes)),
      body: Buffer.alloc(bytes, '{'),
    }),
  ],
  [400, 'unknown_folder', 'a form for an unknown folder', uploadCall(known, bearer, '09_Fotos')],
  [
    400,
    'invalid_request',
    'a form that is none',
    async (bytes) => ({ ...(await uploadCall(known, bearer)(bytes)), body: Buffer.alloc(bytes, 'x') }),
  ],
];

describe.each([
  ['with Content-Length', false],
  ['chunked', true],
])('a body that is not read to its end, %s', (_how, isChunked) => {
  describe.each([1, 8, 40])('of %i MiB', (size) => {
    test.each(rejections)('%i %s: %s', async (status, code, _what, make) => {
      const sent = { ...(await make(size * MiB)), isChunked };
      await onOneConnection(async (agent) => {
        const answer = await send(agent, sent);
        expect([answer.status, answer.body.code]).toEqual([status, code]);
        const next = await send(agent, { method: 'GET', path: '/health', headers: {} });
        expect([next.status, next.port]).toEqual([200, answer.port]);
      });
      // Nor does somebody else's request meet what was left of it between host and worker.
      await onOneConnection(async (agent) => {
        const stranger = await send(agent, { method: 'GET', path: '/openapi.json', headers: {} });
        expect(stranger.status).toBe(200);
      });
    });
  });
});

test('a GET with a body, too', async () => {
  const sent = await jsonCall('GET', '/health?color=red', none)(40 * MiB);
  await onOneConnection(async (agent) => {
    const answer = await send(agent, sent);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    const next = await send(agent, { method: 'GET', path: '/health', headers: {} });
    expect([next.status, next.port]).toEqual([200, answer.port]);
  });
});

test.each([
  ['JSON', jsonCall('PUT', '/projects/p', bearer), 400],
  ['forms', uploadCall(known, bearer, '09_Fotos'), 400],
])('of fifty times 1.25 MiB (%s) all are answered', async (_what, make, status) => {
  const sent = await make(1.25 * MiB);
  await onOneConnection(async (agent) => {
    const statuses: number[] = [];
    for (let count = 0; count < 50; count += 1) {
      statuses.push((await send(agent, { ...sent, isChunked: count % 2 === 0 })).status);
    }
    expect(statuses).toEqual(Array<number>(50).fill(status));
  });
});

// The host looks at an answer when it has passed the whole body on, and starts the function of a body with a
// Content-Length only then. What must not wait for the caller is the function.
test('who stops sending does not hold the function, and is answered at the end of the body', async () => {
  const requestId = 'stops-sending';
  const outgoing = request(`${service.origin}/api/v1/projects/p`, {
    method: 'PUT',
    headers: { ...json, 'transfer-encoding': 'chunked', 'x-request-id': requestId },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.write(Buffer.alloc(MiB));
  const isDone = () =>
    service.logs.some(({ message }) => message.includes(requestId) && message.includes('"status":401'));
  await expect.poll(isDone).toBe(true);
  outgoing.end(Buffer.alloc(MiB));
  const [response] = await answered;
  expect(response.statusCode).toBe(401);
  response.resume();
});
