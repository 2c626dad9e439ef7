import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendRaw } from '../../../support/multipart.ts';
import { useDocuments } from '../support/documents.ts';

const MiB = 1024 * 1024;
const limit = 250 * MiB;
const chunk = randomBytes(1 * MiB);
const longTimeout = { timeout: 300_000 };

const { service, filesOf } = useDocuments({
  drive: { dataDir: join(tmpdir(), `large-files-${randomUUID()}`) },
});

function* bytes(size: number): Generator<Uint8Array> {
  for (let left = size; left > 0; left -= chunk.length)
    yield left < chunk.length ? chunk.subarray(0, left) : chunk;
}

function upload(projectId: string, size: number, isChunked = false) {
  const boundary = `----WebKitFormBoundary${randomUUID().slice(0, 8)}`;
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const head = Buffer.from(
    `${part('name="folderName"')}\r\n01_Angebote\r\n${part('name="conflictBehavior"')}\r\nfail\r\n` +
      `${part('name="file"; filename="Aufmaß.bin"')}\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return sendRaw(service, projectId, {
    boundary,
    headers: isChunked ? {} : { 'content-length': String(head.length + size + tail.length) },
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

test('one byte more than 250 MiB: 413, and nothing is stored', longTimeout, async () => {
  const project = await service.newProject();
  const response = await upload(project.id, limit + 1);
  expect(response).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
  await expect.poll(() => service.openSessions(), { timeout: 60_000 }).toEqual([]);
  expect(await filesOf(project)).toEqual([]);
});

// More than the kernel's buffers between library and client can hold: three connections with up to 32 MiB at the receiving
// end and 4 MiB at the sending end (tcp(7), tcp_rmem and tcp_wmem). On a busy machine they held 60 MiB.
const slowBytes = 150 * MiB;

test(
  'a client that stops reading pauses the library; one that disconnects ends the download',
  longTimeout,
  async () => {
    const project = await service.newProject();
    const response = await upload(project.id, slowBytes);
    const id = typeof response === 'string' ? '' : response.body.id;
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
    // Other clients read the whole file: if the bytes of the first one were buffered, its response would be complete too.
    for (const others of [[200], [200, 200]]) {
      let length = 0;
      for await (const piece of (await fetch(url, { headers })).body!) length += piece.byteLength;
      expect(length).toBe(slowBytes);
      await expect.poll(ended, { timeout: 60_000 }).toEqual(others);
    }
    await reader.cancel();
    await expect.poll(ended, { timeout: 60_000 }).toEqual([200, 200, null]);
  },
);
