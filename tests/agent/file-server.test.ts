import { getEventListeners } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { FileServer, logonRetryMs } from '../../agent/copy/file-server.ts';
import { emptyPathList, notePath } from '../../agent/base/path-list.ts';
import { EmbeddedServer } from '../../agent/smb/tests/embedded/server.ts';
import { logLines } from '../support/log-lines.ts';
import { ntlmAccount } from '../support/ntlm-account.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(onConnected: () => void = () => undefined, wrongPassword?: string) {
  const server = await EmbeddedServer.start();
  const clock = new VirtualClock();
  const { log, lines } = logLines();
  const { user, password } = server.account;
  const fileServer = new FileServer(
    {
      server: server.host,
      port: server.port,
      account: ntlmAccount(user, wrongPassword ?? password),
      aliases: [],
      encryption: 'preferred',
      minimumDialect: '3.0',
      ownFolders: [],
    },
    clock,
    log,
    {},
    onConnected,
  );
  ends.push(
    () => server.stop(),
    () => fileServer.close(),
  );
  return { server, clock, fileServer, lines };
}

test('a file server that was reached is not tested again until a call to it fails', async () => {
  let connected = 0;
  const { fileServer } = await start(() => (connected += 1));
  const stop = new AbortController();
  for (let claim = 0; claim < 2; claim += 1)
    expect(await fileServer.readiness(stop.signal)).toEqual({ ready: true });
  expect(connected).toBe(1);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('a rejected logon is not repeated within 15 minutes, whoever asks for the server', async () => {
  const { server, clock, fileServer } = await start(undefined, 'wrong');
  const { signal } = new AbortController();
  const rejected = (logonRetryInMs: number) => ({
    ready: false,
    error: expect.objectContaining({ code: 'LOGON_REJECTED' }),
    logonRetryInMs,
  });
  expect(await fileServer.readiness(signal)).toEqual(rejected(logonRetryMs));
  clock.advance(60_000);
  expect(await fileServer.readiness(signal)).toEqual(rejected(logonRetryMs - 60_000));
  expect(server.connections).toBe(1);
  clock.advance(logonRetryMs);
  expect(await fileServer.readiness(signal)).toEqual(rejected(logonRetryMs));
  expect(server.connections).toBe(2);
});

test('a fault of this program while the file server is tested is not taken for one of the server', async () => {
  const { fileServer } = await start(() => {
    throw new TypeError('a fault');
  });
  await expect(fileServer.readiness(new AbortController().signal)).rejects.toThrow(new TypeError('a fault'));
});

test('what a template leaves out is logged once, and again when it is another number', async () => {
  const { fileServer, lines } = await start();
  const skipped = emptyPathList();
  const noted = () => {
    fileServer.noteSkipped('\\\\fs\\template', skipped);
    return lines.length;
  };
  expect(noted()).toBe(0);
  notePath(skipped, 'Thumbs.db');
  expect([noted(), noted()]).toEqual([1, 1]);
  notePath(skipped, '~$Plan.docx');
  expect(noted()).toBe(2);
});
