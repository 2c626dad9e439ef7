import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendRaw } from '../../../support/multipart.ts';
import { useDocuments } from '../support/documents.ts';

const MiB = 1024 * 1024;
const chunk = randomBytes(1 * MiB);
const longTimeout = { timeout: 300_000 };

const { service, warmProject, refresh, filesOf, list } = useDocuments({
  drive: { dataDir: join(tmpdir(), `large-files-${randomUUID()}`) },
});

function* bytes(size: number): Generator<Uint8Array> {
  for (let left = size; left > 0; left -= chunk.length)
    yield left < chunk.length ? chunk.subarray(0, left) : chunk;
}

/** @param announced the size of the file according to the gateway, if that forwards the upload */
function upload(projectId: string, size: number, isChunked = false, announced?: number) {
  const boundary = `----WebKitFormBoundary${randomBytes(8).toString('hex')}`;
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const head = Buffer.from(
    `${part('name="folderName"')}\r\n01_Angebote\r\n${part('name="conflictBehavior"')}\r\nfail\r\n` +
      `${part('name="file"; filename="Aufmaß.bin"')}\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const lengthWith = (file: number) => String(head.length + file + tail.length);
  const headers: Record<string, string> = isChunked ? {} : { 'content-length': lengthWith(size) };
  if (announced !== undefined) {
    headers['x-functions-key'] = 'the key of the gateway';
    headers['x-upload-content-length'] = lengthWith(announced);
  }
  return sendRaw(service, projectId, {
    boundary,
    headers,
    write: async (send) => {
      await send(head);
      for (const piece of bytes(size)) await send(piece);
      await send(tail);
    },
  });
}

test.each([
  ['streamed', false],
  ['staged', true],
])('%s, twice what an upload holds: is uploaded and downloaded completely', async (_how, isChunked) => {
  const size = 40 * MiB;
  const project = await service.newProject();
  const stored = await upload(project.id, size, isChunked);
  expect(stored).toMatchObject({ status: 201, body: { size, fileName: 'Aufmaß.bin' } });
  const sent = createHash('sha256');
  for (const piece of bytes(size)) sent.update(piece);
  const received = createHash('sha256');
  const id = typeof stored === 'string' ? '' : stored.body.id;
  const response = await fetch(`${service.origin}/api/v1/documents/${id}/download`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  for await (const piece of response.body!) received.update(piece);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
  expect(await service.openSessions()).toEqual([]);
  expect(await service.staged()).toEqual([]);
});

// The service rejects the size that the gateway announces, before the bytes.
test('one byte more than 250 MiB, the default limit: 413, and nothing is stored', async () => {
  const project = await service.newProject();
  const response = await upload(project.id, 100, true, 250 * MiB + 1);
  expect(response).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
  expect(await service.openSessions()).toEqual([]);
  expect(await filesOf(project)).toEqual([]);
});

// More than the kernel's buffers between library and client can hold: three connections with up to 32 MiB at the receiving
// end and 4 MiB at the sending end (tcp(7), tcp_rmem and tcp_wmem). On a busy machine they held 60 MiB.
const slowBytes = 150 * MiB;

test(
  'a client that stops reading pauses the library; one that disconnects ends the download',
  longTimeout,
  async () => {
    const project = await warmProject();
    // Stored in the library itself: this is about downloads.
    const path = `/items/${project.folderId}:/Aufmaß.bin:/content`;
    const stored = await service.library('PUT', path, { body: Buffer.alloc(slowBytes) });
    expect([stored.status, stored.body.size]).toEqual([201, slowBytes]);
    expect((await refresh(project.id)).body).toMatchObject({ added: 1 });
    const [{ id }] = await list(project.id);
    const headers = { authorization: `Bearer ${await service.token()}` };
    const url = `${service.origin}/api/v1/documents/${id}/download`;
    // The library logs a request some time after its response is complete (with its status: only the slow client requests a
    // range), or was cut off (null).
    const ended = async () =>
      (await service.requests())
        .filter(({ host, method }) => host === 'content' && method === 'GET')
        .map(({ status }) => status);
    await service.forgetRequests();
    const slow = await fetch(url, { headers: { ...headers, range: 'bytes=0-' } });
    expect(slow.status).toBe(206);
    const reader = slow.body!.getReader();
    await reader.read();
    // Another client reads the whole file: if the bytes of the first one were buffered, its response would be complete too.
    let length = 0;
    for await (const piece of (await fetch(url, { headers })).body!) length += piece.byteLength;
    expect(length).toBe(slowBytes);
    await expect.poll(ended, { timeout: 60_000 }).toEqual([200]);
    await reader.cancel();
    await expect.poll(ended, { timeout: 60_000 }).toEqual([200, null]);
  },
);
