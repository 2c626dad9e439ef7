import { afterEach, describe, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { rejection } from './contract/index.ts';
import { framed } from './support/wire/frame-server.ts';
import { validateNegotiate } from './support/scripted-server/connection.ts';
import { command } from './support/scripted-server/responses.ts';
import { rejecting } from './support/scripted-server/script.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer, type Script } from './support/scripted-server/server.ts';

// Servers that are used nevertheless: what they do differs from Samba and Windows, and harms nobody.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function shareOn(script: Script) {
  const server = await ScriptedServer.start(script);
  ends.push(() => server.stop());
  const { user: username, password, domain } = scriptedAccount;
  const warnings: string[] = [];
  const client = new SmbClient({
    host: '127.0.0.1',
    port: server.port,
    username,
    password,
    domain,
    onWarning: (warning) => warnings.push(warning),
  });
  ends.push(() => client.close());
  return { server, client, share: client.share('projects'), warnings };
}

// MS-SMB2 2.2.4: at least 65,536. Smaller limits of NAS appliances are known from public reports.
test.each([4_096, 32_768])('a server with size limits of %i bytes works', async (limit) => {
  const tooLarge: number[] = [];
  const { share } = await shareOn({
    entries: [{ name: 'a.txt', size: 1, directory: false }],
    respond: (response, request, phase) => {
      if (phase === 'negotiate') for (const at of [92, 96, 100]) response.writeUInt32LE(limit, at);
      const code = request.readUInt16LE(12);
      const lengthAt = { [command.read]: 68, [command.write]: 68, [command.queryDirectory]: 92 }[code];
      if (lengthAt !== undefined && request.readUInt32LE(lengthAt) > limit) tooLarge.push(code);
      return [response];
    },
  });
  expect(await share.readdir('folder')).toEqual(['a.txt']);
  expect(await share.readFile('file')).toHaveLength(100_000);
  expect(await share.publish('new', Buffer.alloc(50_000))).toBe('created');
  expect(tooLarge).toEqual([]);
});

// MS-SMB2 3.3.5.2.5: without the capability, a request has one credit, for 64 KiB.
test('a server without large requests gets pieces of 64 KiB', async () => {
  let largest = 0;
  const { share } = await shareOn({
    respond: (response, request, phase) => {
      if (phase === 'negotiate') response.writeUInt32LE(3, 88);
      const code = request.readUInt16LE(12);
      if (code === command.read || code === command.write)
        largest = Math.max(largest, request.readUInt32LE(68));
      return [response];
    },
  });
  expect(await share.readFile('file')).toHaveLength(100_000);
  await share.publish('new', Buffer.alloc(300_000));
  expect(largest).toBe(65_536);
});

test('a name that no path can hold, and that is no other path, is listed', async () => {
  const { share } = await shareOn({ entries: [{ name: 'a:b', size: 1, directory: false }] });
  expect((await share.list('folder')).map(({ name }) => name)).toEqual(['a:b']);
});

test.each(['a\\b', '..\\..\\etc', 'a/b', 'a\0'])(
  'a listing with the name %j fails with it, or leaves it out',
  async (name) => {
    const entry = { name, size: 1, directory: false };
    const { share } = await shareOn({ entries: [entry, { ...entry, name: 'a.txt' }] });
    const failure = await share.list('folder').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'NAME_INVALID', retryable: false, path: 'folder' });
    expect((failure as Error).message).toContain(JSON.stringify(name));
    const unusable: string[] = [];
    const entries = await share.list('folder', { onUnusableName: (each) => unusable.push(each) });
    expect([unusable, entries.map((each) => each.name)]).toEqual([[name], ['a.txt']]);
  },
);

test('a response to CANCEL does not end the connection', async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { client, share } = await shareOn({
    respond: (response, request) => {
      if (request.readUInt16LE(12) !== command.flush) return [response];
      arrive();
      const canceled = Buffer.from(response);
      canceled.writeUInt16LE(command.cancel, 12);
      return [canceled, response];
    },
  });
  const file = await share.open('file', 'r+');
  await Promise.all([file.sync(), arrived]);
  await file.close();
  expect(client.traffic.connections).toBe(1);
});

describe('a server of 3.0', () => {
  const validating = (status: number) =>
    rejecting('ioctl', status, { matches: (request) => request.readUInt32LE(68) === validateNegotiate });

  test('validates the negotiation', async () => {
    const { share, server, warnings } = await shareOn({ dialect: 0x300 });
    expect(await share.readFile('file')).toHaveLength(100_000);
    expect(server.commands).toContain(command.ioctl);
    expect([warnings, server.faults]).toEqual([[], []]);
  });

  test.each([
    [0x300, 0xc00000bb, 'NOT_SUPPORTED'],
    [0x302, 0xc0000010, 'INVALID_DEVICE_REQUEST'],
    [0x300, 0xc0000128, 'FILE_CLOSED'],
  ] as const)(
    'may reject that with its signature (%i, %i), with a warning that names the server',
    async (dialect, status, name) => {
      const { share, warnings, server } = await shareOn({ dialect, reject: validating(status) });
      expect(await share.readFile('file')).toHaveLength(100_000);
      expect(warnings).toEqual([expect.stringMatching(`^127\\.0\\.0\\.1 does not support .*${name}`)]);
      expect(server.faults).toEqual([]);
    },
  );

  test('is under attack with another status, and with a rejection that is not signed', async () => {
    const { share, client } = await shareOn({ dialect: 0x300, reject: validating(0xc0000022) });
    await rejection(share.readFile('file'), 'DOWNGRADE');
    const forged = await shareOn({
      dialect: 0x300,
      reject: validating(0xc00000bb),
      wire: (frame, phase) => {
        if (phase === 'operation' && frame.readUInt16LE(12) === command.ioctl) frame.fill(0, 48, 64);
        return [framed(frame)];
      },
    });
    await rejection(forged.share.readFile('file'), 'INTEGRITY');
    // Neither connection is used again.
    for (const attacked of [client, forged.client]) {
      await rejection(attacked.share('projects').stat('file'));
      expect(attacked.traffic.connections).toBe(2);
    }
  });
});
