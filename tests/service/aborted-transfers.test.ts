import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { people } from '../support/document-service.ts';
import { fieldsFor, filePart, formOf, sendForm } from '../support/multipart.ts';
import { twoFragments, useDocuments } from './documents/support/documents.ts';

const MiB = 1024 * 1024;

const { service } = useDocuments();

interface Line {
  readonly level: string;
  readonly event: string;
  readonly requestId: string;
  readonly invocationId: string;
}

/** The lines that the service logged for one request. The host's own lines are not JSON. */
function linesOf(requestId: string): Line[] {
  return service.logs
    .filter(({ message }) => message.startsWith('{') && message.includes(requestId))
    .map(({ level, message, invocationId }) => ({ level, invocationId, ...JSON.parse(message) }) as Line);
}

const requests = () => service.host.requests!;

const eventsOf = (requestId: string): string[] => linesOf(requestId).map(({ event }) => event);

async function expectOnlyAborted(requestId: string): Promise<void> {
  await expect
    .poll(() => eventsOf(requestId).toSorted(), { timeout: 40_000 })
    .toEqual(['request', 'request_aborted']);
  const lines = linesOf(requestId);
  expect(lines.map(({ level }) => level)).toEqual(['information', 'information']);
  // The id under which the host logs the failed function; an alert excludes it.
  const [one, other] = lines.map(({ invocationId }) => invocationId);
  expect(one).toMatch(/^[0-9a-f-]{36}$/);
  expect(other).toBe(one);
}

async function abortedBody(
  method: string,
  path: string,
  headers: object,
  bytes: Uint8Array,
): Promise<string> {
  const requestId = randomUUID();
  const outgoing = request(`${service.origin}/api/v1${path}`, {
    method,
    headers: { ...headers, 'transfer-encoding': 'chunked', 'x-request-id': requestId },
  });
  outgoing.on('error', () => undefined);
  const { forwarded } = requests();
  await new Promise((sent) => outgoing.write(bytes, sent));
  await expect.poll(() => requests().forwarded).toBe(forwarded + 1);
  // The host sends the worker the invocation separately. A request that it sends after both is handled after both.
  await service.call('GET', '/health');
  outgoing.destroy();
  return requestId;
}

const bearer = async (): Promise<object> => ({
  authorization: `Bearer ${await service.token(people.administrator)}`,
});

async function uploaded(bytes: number): Promise<string> {
  const project = await service.newProject();
  const form = formOf([...fieldsFor('01_Angebote', 'replace'), filePart('a.bin', randomBytes(bytes))]);
  const { status, body } = await sendForm(service, project.id, form);
  expect(status).toBe(201);
  return body.id as string;
}

/** @returns the id of the request after its download was cut off: by the client if `disconnects` is true */
async function brokenDownload(documentId: string, disconnects: boolean): Promise<string> {
  const requestId = randomUUID();
  const headers = { ...(await bearer()), 'x-request-id': requestId };
  await new Promise<void>((resolve) => {
    request(`${service.origin}/api/v1/documents/${documentId}/download`, { headers }, (response) => {
      response.on('error', () => undefined).once('close', resolve);
      response.on('data', () => disconnects && response.destroy());
    }).end();
  });
  return requestId;
}

describe('a client that disconnects is logged as request_aborted, and nothing as an error', () => {
  test('in the middle of a JSON body', async () => {
    const headers = { ...(await bearer()), 'content-type': 'application/json' };
    await expectOnlyAborted(await abortedBody('PUT', '/projects/p', headers, Buffer.from('{"number":')));
  });

  test('in the middle of a body that the service does not read', async () => {
    await expectOnlyAborted(await abortedBody('POST', '/folder-requests/claim', {}, Buffer.alloc(1000)));
  });

  test.each([0.1, 6, twoFragments / MiB])('in the middle of an upload, after %d MiB', async (size) => {
    const project = await service.newProject();
    const { boundary, body } = formOf([
      ...fieldsFor('01_Angebote', 'replace'),
      filePart('a.bin', randomBytes(size * MiB)),
    ]);
    const headers = { ...(await bearer()), 'content-type': `multipart/form-data; boundary=${boundary}` };
    const path = `/documents/projects/${project.id}/upload`;
    await expectOnlyAborted(await abortedBody('POST', path, headers, body.subarray(0, -100)));
  });

  test('in the middle of a download', async () => {
    await expectOnlyAborted(await brokenDownload(await uploaded(twoFragments), true));
  });
});

test('a download that the library cuts off is an error, not an aborted request', async () => {
  const id = await uploaded(2 * MiB);
  await service.fault(
    { kind: 'drop-connection', afterBytes: MiB / 4 },
    { host: 'content', method: 'GET', times: null },
  );
  const requestId = await brokenDownload(id, false);
  await service.admin('DELETE', '/faults');
  await expect.poll(() => eventsOf(requestId)).toContain('response_failed');
  // The close of the connection adds nothing. Lines of a later request come after it.
  const later = randomUUID();
  await service.call('GET', '/health', { headers: { 'x-request-id': later } });
  await expect.poll(() => eventsOf(later)).toContain('request');
  expect(eventsOf(requestId)).toEqual(['request', 'response_failed']);
  // The host would keep the client waiting for the rest of the response.
  expect(service.logs.filter(({ level }) => level === 'critical')).toEqual([]);
});

test('a complete transfer is logged only as a request', async () => {
  const requestId = randomUUID();
  const id = await uploaded(MiB);
  const { status } = await service.call('GET', `/documents/${id}/download`, {
    headers: { 'x-request-id': requestId },
  });
  expect(status).toBe(200);
  await expect.poll(() => eventsOf(requestId)).toContain('request');
  await expect.poll(() => requests().ended).toBe(requests().started);
  expect(eventsOf(requestId)).toEqual(['request']);
});
