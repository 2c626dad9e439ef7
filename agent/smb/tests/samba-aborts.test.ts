import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTemporaryName, SmbClient, type SmbError } from '../index.ts';
import { ownName } from './contract/index.ts';
import type { TestFileServer } from './support/file-server.ts';
import { startFileServer } from './support/start-file-server.ts';
import { clientOptions } from './samba-client.ts';

let fileServer: TestFileServer;
beforeAll(async () => {
  fileServer = await startFileServer();
});
afterAll(() => fileServer?.stop());

// A claim may be lost at any moment, which aborts the copy in progress.
test.each([
  ['in compounds', true],
  ['one request at a time', false],
])('publishing %s leaves only complete files when aborted at any moment', async (_how, compounds) => {
  const client = new SmbClient({ ...clientOptions(fileServer), compounds });
  try {
    const name = ownName();
    await client.share('projects').mkdir(name);
    const share = client.share('projects').folder(name);
    await share.publish('source', Buffer.alloc(100_000, 1));
    const codes = new Set<string>();
    for (let index = 0; index < 100; index += 1) {
      const abort = new AbortController();
      const path = `file${index}`;
      const { signal } = abort;
      const publishing =
        index % 2 === 0
          ? share.publish(path, Buffer.alloc(3000, 2), { signal, info: { attributes: 1 } })
          : share.copyFile({ share, path: 'source', size: 100_000 }, path, { replace: false, signal });
      setTimeout(() => abort.abort(), index % 7);
      codes.add(
        await publishing.then(
          () => 'done',
          (error: SmbError) => error.code,
        ),
      );
    }
    // Cleanup continues after the abort.
    await expect
      .poll(async () => (await share.list('')).filter(({ name }) => isTemporaryName(name)), {
        timeout: 20_000,
      })
      .toEqual([]);
    const sizes = new Set((await share.list('')).map(({ size }) => size));
    expect([...sizes].filter((size) => size !== 3000 && size !== 100_000)).toEqual([]);
    expect([...codes].filter((code) => code !== 'done' && code !== 'ABORTED')).toEqual([]);
    expect(codes).toContain('ABORTED');
  } finally {
    await client.close();
  }
});

test('a signal ends all calls that it was given to and no other, and keeps no listener of the client', async () => {
  const client = new SmbClient(clientOptions(fileServer));
  try {
    const share = client.share('projects');
    await share.list('');
    const [abort, other] = [new AbortController(), new AbortController()];
    await fileServer.signalConnections('SIGSTOP');
    const ending = ['one', 'two', 'three'].map((path) => share.mkdir(path, { signal: abort.signal }));
    const going = share.mkdir('four', { signal: other.signal });
    abort.abort();
    const outcomes = await Promise.allSettled(ending);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual(
      ending.map(() => 'ABORTED'),
    );
    await fileServer.signalConnections('SIGCONT');
    await going;
    for (const { signal } of [abort, other]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  } finally {
    await client.close();
  }
});

test('a buffer belongs to the caller again when its read is aborted, whatever arrives later', async () => {
  const client = new SmbClient({ ...clientOptions(fileServer), encryption: 'required' });
  try {
    const share = client.share('projects');
    await share.writeFile('file', Buffer.alloc(1_200_000, 1));
    const abort = new AbortController();
    const file = await share.open('file', 'r', { signal: abort.signal });
    const buffer = Buffer.alloc(1_200_000);
    await fileServer.signalConnections('SIGSTOP');
    const reading = file.read(buffer, { position: 0 });
    // The requests are sent with the next turn of the event loop.
    await new Promise(setImmediate);
    const receivedBefore = client.traffic.bytesReceived;
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    await fileServer.signalConnections('SIGCONT');
    await file.close();
    await share.stat('file');
    expect(client.traffic.bytesReceived - receivedBefore).toBeGreaterThan(buffer.length);
    expect(buffer.equals(Buffer.alloc(buffer.length))).toBe(true);
  } finally {
    await client.close();
  }
});
