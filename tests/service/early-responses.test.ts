import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { FunctionsHost } from '../../local/stand-ins/functions-host/functions-host.ts';
import { describedOperations } from '../../release/generate/generated.ts';
import { appDirectory } from '../support/built-functions.ts';
import { people } from '../support/document-service.ts';
import { fieldsFor, filePart, formOf } from '../support/multipart.ts';
import { useDocuments } from './documents/support/documents.ts';

const MiB = 1024 * 1024;

const { service } = useDocuments();

interface Received {
  readonly status: number;
  readonly body: any;
  /** The client's port, which identifies the connection. */
  readonly port: number | undefined;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly isChunked?: boolean;
}

/** Sends the whole body before it processes the response, as most clients do. */
function send(agent: Agent, { method, path, headers, body, isChunked = false }: Sent): Promise<Received> {
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

/** With several connections, the client would select an idle one. */
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

/** Keeps the last result for each kind of body, because consecutive tests usually send bodies of the same size. */
function remembered<T>(make: (bytes: number, kind: string) => T): (bytes: number, kind?: string) => T {
  const made = new Map<string, { readonly bytes: number; readonly result: T }>();
  return (bytes, kind = '') => {
    const last = made.get(kind);
    if (last?.bytes === bytes) return last.result;
    const result = make(bytes, kind);
    made.set(kind, { bytes, result });
    return result;
  };
}

/** JSON that is valid except for its size. */
const jsonOf = remembered((bytes) => Buffer.from(`{"number":"1","name":"${'n'.repeat(bytes)}"}`, 'latin1'));
const formOfSize = remembered((bytes, folderName) =>
  formOf([...fieldsFor(folderName, 'replace'), filePart('a.bin', Buffer.alloc(bytes, 'x'))]),
);
const repeated = remembered((bytes, character) => Buffer.alloc(bytes, character));

type Make = (bytes: number) => Promise<Sent>;

const jsonCall =
  (method: string, path: string, headers: () => Promise<Record<string, string>>): Make =>
  async (bytes) => ({ method, path, headers: { ...json, ...(await headers()) }, body: jsonOf(bytes) });

const uploadCall =
  (
    path: () => Promise<string>,
    headers: () => Promise<Record<string, string>>,
    folderName = '01_Angebote',
  ): Make =>
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

type Rejection = [status: number, code: string, what: string, make: Make];

const tooLarge: Rejection = [413, 'file_too_large', 'a form', uploadCall(known, bearer)];
const rejections: Rejection[] = [
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
    400,
    'invalid_request',
    'provisioning, which takes no body',
    jsonCall('POST', '/documents/projects/unknown/provision', bearer),
  ],
  [404, 'project_not_found', 'a form for an unknown project', uploadCall(unknown, bearer)],
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
    'invalid JSON',
    async (bytes) => ({
      ...(await jsonCall('PUT', '/projects/p', bearer)(bytes)),
      body: repeated(bytes, '{'),
    }),
  ],
  [400, 'unknown_folder', 'a form for an unknown folder', uploadCall(known, bearer, '09_Fotos')],
  [
    400,
    'invalid_request',
    'an invalid form',
    async (bytes) => ({ ...(await uploadCall(known, bearer)(bytes)), body: repeated(bytes, 'x') }),
  ],
];

/**
 * One for each place where the service stops to read: before the body, or in it. Of 40 MiB, the latter get no response
 * unless the service reads the rest.
 */
const places = new Set([
  'JSON without a token',
  'an unknown route',
  'JSON above its limit',
  'a form for an unknown folder',
  'an invalid form',
]);

describe.each([
  ['with Content-Length', false],
  ['chunked', true],
])('a body that is not read to its end, %s', (_how, isChunked) => {
  // What the kernel's buffers hold, and more than that.
  describe.each([
    [1, rejections],
    [40, [...rejections.filter(([, , what]) => places.has(what)), tooLarge]],
  ])('of %i MiB', (size, given) => {
    test.each(given)('%i %s: %s', async (status, code, _what, make) => {
      const sent = { ...(await make(size * MiB)), isChunked };
      await onOneConnection(async (agent) => {
        const response = await send(agent, sent);
        expect([response.status, response.body.code]).toEqual([status, code]);
        const next = await send(agent, { method: 'GET', path: '/health', headers: {} });
        expect([next.status, next.port]).toEqual([200, response.port]);
      });
      // The rest of the body does not affect another client's request between host and worker either.
      await onOneConnection(async (agent) => {
        const other = await send(agent, { method: 'GET', path: '/openapi.json', headers: {} });
        expect(other.status).toBe(200);
      });
    });
  });
});

test('a GET with a body', async () => {
  const sent = await jsonCall('GET', '/health?color=red', none)(40 * MiB);
  await onOneConnection(async (agent) => {
    const response = await send(agent, sent);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    const next = await send(agent, { method: 'GET', path: '/health', headers: {} });
    expect([next.status, next.port]).toEqual([200, response.port]);
  });
});

test.each([
  ['JSON', jsonCall('PUT', '/projects/p', bearer), 400],
  ['forms', uploadCall(known, bearer, '09_Fotos'), 400],
])('fifty bodies of 1.25 MiB (%s): every request gets a response', async (_what, make, status) => {
  const sent = await make(1.25 * MiB);
  await onOneConnection(async (agent) => {
    const statuses: number[] = [];
    for (let count = 0; count < 50; count += 1) {
      statuses.push((await send(agent, { ...sent, isChunked: count % 2 === 0 })).status);
    }
    expect(statuses).toEqual(Array<number>(50).fill(status));
  });
});

// The host processes a response only after it has forwarded the whole body. If the body has a Content-Length, the host does
// not even start the function until then. The function itself must not wait for the client.
test('a client that stops sending does not block the function, and gets the response at the end of the body', async () => {
  const requestId = 'stops-sending';
  const outgoing = request(`${service.origin}/api/v1/projects/p`, {
    method: 'PUT',
    headers: { ...json, 'transfer-encoding': 'chunked', 'x-request-id': requestId },
  });
  const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.write(Buffer.alloc(MiB));
  const isDone = () =>
    service.logs.some(({ message }) => message.includes(requestId) && message.includes('"status":401'));
  await expect.poll(isDone).toBe(true);
  outgoing.end(Buffer.alloc(MiB));
  const [response] = await responded;
  expect(response.statusCode).toBe(401);
  response.resume();
});

test("without the gateway's key, the host rejects every route before the service sees the request", async () => {
  const host = await FunctionsHost.start({
    appDirectory: await appDirectory(),
    env: { STORAGE_CONNECTION_STRING: service.storageConnectionString },
    functionKeys: { master: 'of-the-host', function: ['of-the-gateway'] },
  });
  try {
    const routes = [
      ...describedOperations().map(({ method, route }) => [method, route] as const),
      ['GET', 'v1/nowhere'] as const,
      ['GET', 'console'] as const,
    ];
    expect(routes.length).toBeGreaterThan(30);
    for (const [method, route] of routes) {
      const url = `${host.origin}/api/${route.replaceAll(/\{\w+\}/g, 'x')}`;
      const statuses = await Promise.all(
        [{}, { 'x-functions-key': 'of-nobody' }, { 'x-functions-key': 'of-the-gateway' }].map(
          async (headers) => {
            const response = await fetch(url, { method, headers });
            return response.status === 401 && (await response.text()) === '' ? 'host' : 'service';
          },
        ),
      );
      expect([method, route, ...statuses]).toEqual([method, route, 'host', 'host', 'service']);
    }
  } finally {
    await host.stop();
  }
});
