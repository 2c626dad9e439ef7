import { afterEach, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { settingsOf } from '../account/settings.ts';
import { Trees } from '../session/tree.ts';
import { command, errorBody, message, treeConnectBody } from './support/scripted-server/responses.ts';
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
  const client = new SmbClient({ host: '127.0.0.1', port: server.port, username, password, domain });
  ends.push(() => client.close());
  return { server, client, share: client.share('projects') };
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

// Below the signature, which Connection has verified: an unsigned rejection ends it before (tampering.test.ts).
test.each([
  ['3.0', 0xc00000bb, 'NOT_SUPPORTED'],
  ['3.0.2', 0xc0000010, 'INVALID_DEVICE_REQUEST'],
  ['3.0', 0xc0000128, 'FILE_CLOSED'],
] as const)(
  '%s: a signed rejection (%i) of the validation of the negotiation is accepted, with a warning',
  async (dialect, status, name) => {
    const warnings: string[] = [];
    const { trees } = treesOn(dialect, status, (warning) => warnings.push(warning));
    expect(await trees.get('projects')).toMatchObject({ share: 'projects' });
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^fs01 does not support .*${name}`))]);
  },
);

test('another status of the validation is an attack', async () => {
  const { trees, ended } = treesOn('3.0', 0xc0000022, () => undefined);
  await expect(trees.get('projects')).rejects.toMatchObject({ code: 'DOWNGRADE', phase: 'share' });
  expect(ended()).toBe(true);
});

/** Of a session whose server returns `status` to FSCTL_VALIDATE_NEGOTIATE_INFO. */
function treesOn(dialect: '3.0' | '3.0.2', status: number, onWarning: (warning: string) => void) {
  let isEnded = false;
  const reply = (code: number, result: number, body: Buffer) => ({
    status: result,
    message: message({ command: code, messageId: 1n, treeId: 5, sessionId: 1n, status: result }, body),
    treeId: 5,
    sessionId: Buffer.alloc(8),
    shared: false,
  });
  const connection = {
    exchange: ([request]: readonly { command: number }[]) =>
      Promise.resolve([
        request!.command === command.treeConnect
          ? reply(command.treeConnect, 0, treeConnectBody())
          : reply(command.ioctl, status, errorBody()),
      ]),
    end: () => void (isEnded = true),
  };
  const offer = { dialects: [dialect], ciphers: [], signingAlgorithms: [] };
  const guid = Buffer.alloc(16);
  const session = {
    connection,
    negotiated: { dialect, capabilities: 0, serverGuid: guid, securityMode: 1 },
    offer: { ...offer, clientGuid: guid, salt: Buffer.alloc(32), serverName: 'fs01' },
  } as unknown as ConstructorParameters<typeof Trees>[0];
  const settings = settingsOf({ host: 'fs01', username: 'u', password: 'p', onWarning });
  return { trees: new Trees(session, settings), ended: () => isEnded };
}
