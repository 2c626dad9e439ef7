import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SmbClient } from '../../agent/smb/index.ts';
import { copyTemplate } from '../../agent/copy/template-copy.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { bytesOf } from '../../agent/smb/tests/contract/context.ts';
import { clientOptions } from '../../agent/smb/tests/samba-client.ts';

// The tests count the longest chain of requests that each waited for a response. The proxy delivers the responses of a
// round together, so the speed of the machine does not matter.
const quietMs = 30;
const files = 200;

let fileServer: TestFileServer;
let proxy: DelayProxy;

let firsts = 0;

beforeAll(async () => {
  fileServer = await startFileServer();
  proxy = await DelayProxy.start(fileServer.port, quietMs, { inLockStep: true });
  for (let number = 0; number < files; number += 1) {
    const directory = join(fileServer.templateFolder, `outer ${number % 4}`, `inner ${number % 5}`);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `file ${number}`), bytesOf(4_096));
  }
});
afterAll(async () => {
  await proxy?.stop();
  await fileServer?.stop();
});

/** Round trips of `act` on an established connection. */
async function roundTripsOf(act: (client: SmbClient) => Promise<unknown>): Promise<number> {
  const client = new SmbClient(clientOptions(fileServer, proxy.port));
  try {
    await client.share(fileServer.templateShare).connect();
    // The first link on a share costs an additional check.
    await client.share(fileServer.projectShare).publish(`first-${(firsts += 1)}`, bytesOf(1));
    const before = proxy.counters.roundTrips;
    await act(client);
    return proxy.counters.roundTrips - before;
  } finally {
    await client.close();
    proxy.resetCounters();
  }
}

const copyTo = (path: string) => async (client: SmbClient) => {
  const projects = client.share(fileServer.projectShare);
  await projects.ensureDirectory(path);
  await copyTemplate(client.share(fileServer.templateShare), projects.folder(path));
};

test('connecting and one call take five round trips: negotiate, two for the logon, the share, the call', async () => {
  const client = new SmbClient(clientOptions(fileServer, proxy.port));
  await client.share(fileServer.projectShare).stat('');
  expect(proxy.counters.roundTrips).toBe(5);
  await client.close();
  proxy.resetCounters();
});

test('listing a directory and publishing, reading, and deleting a file take one round trip each', async () => {
  const trips = await roundTripsOf(async (client) => {
    const projects = client.share(fileServer.projectShare);
    await projects.publish('single', bytesOf(10_000));
    await projects.readFile('single');
    await projects.list('');
    await projects.rm('single');
  });
  expect(trips).toBe(4);
});

test('copying many files does not cost a round trip per file', async () => {
  const trips = await roundTripsOf(copyTo('new'));
  expect(trips).toBeLessThan(files / 5);
});
