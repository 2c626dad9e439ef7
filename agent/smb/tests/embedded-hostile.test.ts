import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SmbClient, type SmbShare } from '../index.ts';
import { EmbeddedServer } from './embedded/server.ts';
import { clientOptions } from './samba-client.ts';
import { mutated, Random } from './support/wire/mutations.ts';
import { command } from './support/scripted-server/responses.ts';
import type { Script } from './support/scripted-server/script.ts';

// The embedded server and clients that are logged on and send what they may not: it never leaves its folder, and never stops.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server whose folder has neighbors that it must not touch, and links to them. */
async function started(script: Script) {
  const around = await mkdtemp(join(tmpdir(), 'around-'));
  const folder = join(around, 'server');
  const server = await EmbeddedServer.start({ folder, script });
  ends.push(() => server.stop());
  await writeFile(join(around, 'secret'), 'secret');
  await mkdir(join(folder, 'projects-other'));
  await writeFile(join(folder, 'projects-other', 'secret'), 'secret');
  await symlink(around, join(server.projectFolder, 'up'));
  await symlink(join(folder, 'projects-other'), join(server.projectFolder, 'sibling'));
  await symlink(join(around, 'new'), join(server.projectFolder, 'dangling'));
  const connect = (): SmbShare => {
    const client = new SmbClient({
      ...clientOptions(server),
      timeouts: { logonMs: 1_000, requestMs: 300, silenceMs: 300, closeMs: 50 },
    });
    ends.push(() => client.close());
    return client.share(server.projectShare);
  };
  const neighbors = [join(around, 'secret'), join(folder, 'projects-other', 'secret')];
  const untouched = async () => {
    for (const path of neighbors) expect(await readFile(path, 'utf8')).toBe('secret');
    await expect(readFile(join(around, 'new'))).rejects.toThrow('ENOENT');
  };
  return { server, connect, untouched };
}

/** A CREATE request for another name, without its contexts. */
function renamed(request: Buffer, name: string): Buffer {
  const bytes = Buffer.from(name, 'utf16le');
  const changed = Buffer.concat([request.subarray(0, 120), bytes, Buffer.alloc(bytes.length === 0 ? 1 : 0)]);
  changed.writeUInt16LE(120, 108);
  changed.writeUInt16LE(bytes.length, 110);
  changed.fill(0, 112, 120);
  return changed;
}

test.each([
  '..\\secret',
  'up\\secret',
  'up\\new',
  'sibling\\secret',
  'sibling\\new',
  'dangling',
  'up\\server\\projects-other\\secret',
  '.\\secret',
  'a\\..\\..\\secret',
  '../secret',
  'up/secret',
  '\\\\secret',
  '\\..\\secret',
  'C:\\secret',
  'secret\0x',
  '\ud800',
])('a logged-on client cannot open, replace, or delete through the name %j', async (name) => {
  const { server, connect, untouched } = await started({
    request: (request) => (request.readUInt16LE(12) === command.create ? renamed(request, name) : request),
  });
  for (const call of [
    (share: SmbShare) => share.readFile('x'),
    (share: SmbShare) => share.writeFile('x', 'overwritten'),
    (share: SmbShare) => share.rm('x'),
    (share: SmbShare) => share.list('x'),
  ])
    await expect(call(connect())).rejects.toThrow();
  await untouched();
  expect(server.faults).toEqual([]);
});

test.each<[string, number, (request: Buffer) => void, string | undefined]>([
  ['data beyond the request', command.write, (m) => m.writeUInt32LE(60_000, 68), 'INVALID_PARAMETER'],
  ['data before its body', command.write, (m) => m.writeUInt16LE(8, 66), 'INVALID_PARAMETER'],
  ['a name beyond the request', command.create, (m) => m.writeUInt16LE(60_000, 110), 'INVALID_PARAMETER'],
  ['another size of its structure', command.create, (m) => m.writeUInt16LE(58, 64), 'INVALID_PARAMETER'],
  [
    'more bytes than its credits pay for',
    command.read,
    (m) => m.writeUInt32LE(8_000_000, 68),
    'INVALID_PARAMETER',
  ],
  ['an unknown disposition', command.create, (m) => m.writeUInt32LE(6, 100), 'INVALID_PARAMETER'],
  ['a message id that was not granted', command.write, (m) => m.writeBigUInt64LE(99_999n, 24), undefined],
])('a request with %s is rejected', async (_, code, change, statusName) => {
  const { server, connect } = await started({
    request(request) {
      if (request.readUInt16LE(12) !== code) return request;
      const changed = Buffer.from(request);
      change(changed);
      return changed;
    },
  });
  await writeFile(join(server.projectFolder, 'old'), 'x');
  const share = connect();
  const call = code === command.read ? share.readFile('old') : share.writeFile('new', Buffer.alloc(100));
  const failure = await call.then(
    () => 'none',
    (error: unknown) => error,
  );
  if (statusName !== undefined) expect(failure).toMatchObject({ statusName });
  // Without a status, the connection ends.
  else expect(server.faults).toContainEqual(expect.stringContaining('without a credit'));
});

test('1,500 mutated requests of a logged-on client: no crash, nothing outside is touched, and the next client is served', async () => {
  const seed = Date.now() % 2 ** 31;
  const random = new Random(seed);
  const sent = { mutations: 0 };
  let isHostile = true;
  const { server, connect, untouched } = await started({
    request(request, phase) {
      if (!isHostile || phase !== 'operation' || random.next() < 0.5) return request;
      sent.mutations += 1;
      // The header's first fields are behind the check of signatures on any path.
      const body = mutated(Buffer.from(request.subarray(64)), random);
      return Buffer.concat([request.subarray(0, 64), body, Buffer.alloc(Math.max(0, 2 - body.length))]);
    },
  });
  while (sent.mutations < 1_500) {
    const share = connect();
    const name = `file-${random.below(20)}`;
    await Promise.allSettled([
      share.writeFile(name, random.bytes(200)),
      share.list(''),
      share.readFile(name),
      share.rename(name, `${name}-new`),
      share.mkdir(`${name}-folder`),
      share.rm(`${name}-new`),
    ]);
  }
  isHostile = false;
  await untouched();
  const share = connect();
  await share.writeFile('afterwards', 'x');
  expect(await readFile(join(server.projectFolder, 'afterwards'), 'utf8'), `seed ${seed}`).toBe('x');
  // Any other entry would be an exception of this server.
  const unexpected = server.faults.filter((fault) => !fault.startsWith('Error: the client '));
  expect(unexpected, `seed ${seed}`).toEqual([]);
}, 120_000);
