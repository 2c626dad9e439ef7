import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { SmbClient, type SmbShare } from '../index.ts';
import { command, errorBody } from './support/scripted-server/responses.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer, type Script } from './support/scripted-server/server.ts';
import { rejection } from './contract/index.ts';

// Concurrent copies of many files share frames, and the end of a tree closes its sources.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Respond = NonNullable<Script['respond']>;

async function sharesOn(respond: Respond, requestMs = 5000) {
  const server = await ScriptedServer.start({ cipher: 2, respond });
  ends.push(() => server.stop());
  const { user: username, password, domain } = scriptedAccount;
  const timeouts = { requestMs, closeMs: 100 };
  const client = new SmbClient({
    host: '127.0.0.1',
    port: server.port,
    username,
    password,
    domain,
    timeouts,
  });
  ends.push(() => client.close());
  return { server, client, projects: client.share('projects'), template: client.share('template') };
}

function failed(response: Buffer, status: number): Buffer {
  const failure = Buffer.concat([response.subarray(0, 64), errorBody()]);
  failure.writeUInt32LE(status, 8);
  return failure;
}

const renameInfo = 10;

const commandOf = (request: Buffer) => request.readUInt16LE(12);
const treeOf = (request: Buffer) => request.readUInt32LE(36);
const related = (request: Buffer) => (request.readUInt32LE(16) & 0x4) !== 0;

/** Reports whether a request follows an unrelated one in its frame. Called once per request, in order. */
function followers() {
  let inFrame = false;
  return (request: Buffer) => {
    const follows = inFrame;
    inFrame = request.readUInt32LE(20) !== 0;
    return follows && !related(request);
  };
}

const count = (server: ScriptedServer, wanted: number) =>
  server.commands.filter((each) => each === wanted).length;

const copyAll = (projects: SmbShare, template: SmbShare, files: number, size = 4096) =>
  Promise.all(
    Array.from({ length: files }, (_, index) =>
      projects.copyFile({ share: template, path: `file-${index}`, size }, `copy-${index}`, {
        replace: false,
      }),
    ),
  );

/** Files open on each tree at each moment, derived from the requests. Every TREE_CONNECT gets its own tree. */
function openFiles() {
  const open = new Map<number, number>();
  let trees = 4;
  const watch: Respond = (response, request) => {
    const id = treeOf(request);
    if (commandOf(request) === command.treeConnect) response.writeUInt32LE((trees += 1), 36);
    if (commandOf(request) === command.create) open.set(id, (open.get(id) ?? 0) + 1);
    if (commandOf(request) === command.close) open.set(id, open.get(id)! - 1);
    if (commandOf(request) === command.treeDisconnect) open.delete(id);
    return [response];
  };
  return {
    watch,
    total: () => [...open.values()].reduce((sum, each) => sum + each, 0),
    trees: () => trees - 4,
  };
}

test('the end of a tree closes its sources, and the number of open sources is bounded', async () => {
  const files = openFiles();
  let most = 0;
  const { server, projects, template } = await sharesOn((response, request, phase) => {
    const responses = files.watch(response, request, phase);
    most = Math.max(most, files.total());
    return responses;
  });
  for (let round = 0; round < 20; round += 1) await copyAll(projects, template, 50);
  // Two trees of 128 sources, and the source and the copy of each of the 50 in flight.
  expect(most).toBeLessThanOrEqual(2 * 128 + 2 * 50);
  await expect.poll(() => files.total()).toBe(0);
  // Eight trees close 1,000 sources. Every copy has a CLOSE, and so does every source for which no tree was free.
  expect(count(server, command.close)).toBeLessThan(1_100);
  expect(count(server, command.treeDisconnect)).toBeGreaterThanOrEqual(7);
  expect(server.faults).toEqual([]);
});

test('sources beyond the capacity of two trees are closed one by one', async () => {
  const files = openFiles();
  const { projects, template } = await sharesOn(files.watch);
  const outcomes = await copyAll(projects, template, 600);
  expect(new Set(outcomes.map(({ method }) => method))).toEqual(new Set(['server-side']));
  expect(files.trees()).toBe(4);
  await expect.poll(() => files.total()).toBe(0);
});

test('a large source does not hold a tree', async () => {
  const files = openFiles();
  const { server, projects, template } = await sharesOn(files.watch);
  await projects.copyFile({ share: template, path: 'file', size: 16_777_217 }, 'copy', { replace: false });
  expect(files.trees()).toBe(2);
  await expect.poll(() => files.total()).toBe(0);
  // The source, the copy, and one query per share: whether its files can have streams.
  expect(count(server, command.close)).toBe(3);
});

test('a server that allows no further connection to the share gets a CLOSE for every source', async () => {
  const files = openFiles();
  let connections = 0;
  const { server, projects, template } = await sharesOn((response, request, phase) => {
    if (commandOf(request) === command.treeConnect && (connections += 1) > 2)
      return [failed(response, 0xc00000d0)];
    return files.watch(response, request, phase);
  });
  await copyAll(projects, template, 1);
  await expect.poll(() => files.total()).toBe(0);
  const before = count(server, command.close);
  await copyAll(projects, template, 50);
  await copyAll(projects, template, 50);
  await expect.poll(() => files.total()).toBe(0);
  expect(count(server, command.close) - before).toBe(200);
  expect(connections).toBe(3);
});

test('a server that rejects frames of unrelated requests receives one request per frame from then on', async () => {
  const follows = followers();
  let rejected = 0;
  const { server, client, projects, template } = await sharesOn((response, request) => {
    if (!follows(request)) return [response];
    rejected += 1;
    return [failed(response, 0xc000000d)];
  });
  const outcomes = await copyAll(projects, template, 40);
  expect(outcomes).toEqual(Array.from({ length: 40 }, () => ({ outcome: 'created', method: 'server-side' })));
  expect(rejected).toBeGreaterThan(0);
  const before = rejected;
  await copyAll(projects, template, 40);
  expect(rejected).toBe(before);
  const frames = client.traffic.framesSent;
  await projects.copyFile({ share: template, path: 'file', size: 4096 }, 'last', { replace: false });
  expect(client.traffic.framesSent - frames).toBeGreaterThanOrEqual(6);
  expect(client.traffic.connections).toBe(1);
  expect(server.faults).toEqual([]);
});

test('a rejection of a single request does not end the use of shared frames', async () => {
  /** Each CREATE, and whether other requests follow it in its frame. */
  const creates: boolean[] = [];
  const { projects, template } = await sharesOn((response, request) => {
    if (commandOf(request) === command.create) creates.push(request.readUInt32LE(20) !== 0);
    const rejects = commandOf(request) === command.setInfo && request[67] === renameInfo;
    return [rejects ? failed(response, 0xc000000d) : response];
  });
  const copies = Array.from({ length: 20 }, (_, index) =>
    rejection(
      projects.copyFile({ share: template, path: 'file', size: 4096 }, `copy-${index}`, { replace: false }),
      'SERVER_ERROR',
    ),
  );
  await Promise.all(copies);
  creates.length = 0;
  await Promise.all(Array.from({ length: 20 }, (_, index) => projects.stat(`file-${index}`)));
  // Frames are not counted: on a busy machine, an ECHO or the end of an idle tree may be among them.
  expect(creates).toEqual(Array.from({ length: 20 }, () => true));
});

test('a failed copy never gets its name, regardless of the rest of the frame', async () => {
  const named: string[] = [];
  const { projects, template } = await sharesOn((response, request) => {
    if (commandOf(request) === command.setInfo && request[67] === renameInfo) {
      named.push(request.toString('utf16le', 116, 116 + request.readUInt32LE(112)));
    }
    // The server rejects the times of every second file.
    const rejectsTimes =
      commandOf(request) === command.setInfo && request[67] === 4 && request.readBigUInt64LE(112) % 2n === 1n;
    return [rejectsTimes ? failed(response, 0xc0000022) : response];
  });
  const copies = Array.from({ length: 40 }, (_, index) =>
    projects
      .copyFile({ share: template, path: 'file', size: 4096 }, `copy-${index}`, {
        replace: false,
        info: { writtenAt: BigInt(index) },
      })
      .then(
        () => 'created',
        (error: { code: string }) => error.code,
      ),
  );
  const outcomes = await Promise.all(copies);
  expect(outcomes.filter((each) => each === 'EACCES')).toHaveLength(20);
  expect(named.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `copy-${index * 2}`).toSorted());
});

test('a request with nothing else in flight is sent immediately, in its own frame', async () => {
  const follows = followers();
  let shared = 0;
  const { client, projects, template } = await sharesOn((response, request) => {
    if (follows(request)) shared += 1;
    return [response];
  });
  await projects.connect();
  await template.connect();
  const before = client.traffic.framesSent;
  await projects.copyFile({ share: template, path: 'file', size: 4096 }, 'copy', { replace: false });
  // Tree, source, key, temporary, copy, rename, close, and whether files of the share can have streams.
  expect(client.traffic.framesSent - before).toBe(8);
  expect(shared).toBe(0);
});

test('a source that another client has to release first extends the deadline of the others in its frame', async () => {
  // Samba and Windows send STATUS_PENDING for the CREATE that waits, and nothing for those behind it.
  const held: Buffer[] = [];
  const interim = (response: Buffer) => {
    const pending = failed(response, 0x103);
    pending.writeUInt32LE(pending.readUInt32LE(16) | 0x2, 16);
    pending.writeBigUInt64LE(7n, 32);
    return pending;
  };
  let stats = 0;
  const { projects, template } = await sharesOn((response, request) => {
    if (commandOf(request) !== command.create) return [response];
    const name = request.toString('utf16le', 120, 120 + request.readUInt16LE(110));
    if (name.startsWith('file-')) {
      held.push(response);
      return held.length === 1 ? [interim(response)] : [];
    }
    if (name !== 'other' || stats > 2) return [response];
    stats += 1;
    return stats === 1 ? [interim(held[0]!), response] : [...held.splice(0), response];
  }, 5000);
  const copying = copyAll(projects, template, 3);
  await expect.poll(() => held.length).toBe(3);
  await delay(3000);
  await projects.stat('other');
  await delay(3000);
  await projects.stat('other');
  const outcomes = await copying;
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
});

/** Bytes that a copy request covers. */
function copyBytes(request: Buffer): number {
  if (commandOf(request) !== command.ioctl || request.readUInt32LE(68) !== 0x001480f2) return 0;
  const chunks = Array.from({ length: request.readUInt32LE(120 + 24) }, (_, index) =>
    request.readUInt32LE(120 + 32 + index * 24 + 16),
  );
  return chunks.reduce((sum, bytes) => sum + bytes, 0);
}

/** Every file has this size. */
function opensLarge(response: Buffer, request: Buffer, size: number): void {
  if (commandOf(request) !== command.create) return;
  response.writeBigUInt64LE(BigInt(size), 104);
  response.writeBigUInt64LE(BigInt(size), 112);
}

test('a tree stays as long as one of its sources is being copied', async () => {
  let held: Buffer | undefined;
  let copies = 0;
  let isOver = false;
  const { server, projects, template } = await sharesOn((response, request) => {
    if (copyBytes(request) > 0 && (copies += 1) === 2) {
      held = response;
      return [];
    }
    const late = isOver ? held : undefined;
    if (isOver) held = undefined;
    return late === undefined ? [response] : [late, response];
  });
  const copying = copyAll(projects, template, 2);
  await expect.poll(() => held !== undefined).toBe(true);
  // Longer than a tree that is not used is kept.
  await delay(300);
  await projects.rm('other');
  expect(count(server, command.treeDisconnect)).toBe(0);
  isOver = true;
  await projects.stat('other');
  expect((await copying).map(({ outcome }) => outcome)).toEqual(['created', 'created']);
  await expect.poll(() => count(server, command.treeDisconnect)).toBe(1);
});

test('a server has 16 MiB to copy at a time, over all files', async () => {
  const size = 160 * 1_048_576;
  const bound = 16 * 1_048_576;
  let asked = 0;
  const { projects, template } = await sharesOn((response, request) => {
    opensLarge(response, request, size);
    asked += copyBytes(request);
    return copyBytes(request) > 0 ? [] : [response];
  });
  const ending = new AbortController();
  const copies = Array.from({ length: 6 }, (_, index) =>
    projects.copyFile({ share: template, path: `file-${index}`, size }, `copy-${index}`, {
      replace: false,
      signal: ending.signal,
    }),
  );
  const ended = Promise.allSettled(copies);
  await expect.poll(() => asked).toBe(bound);
  // Its response comes after everything that was sent before.
  await template.exists('file');
  expect(asked).toBe(bound);
  ending.abort();
  await ended;
});

test('a large file is copied on slow storage without any request exceeding its timeout', async () => {
  const size = 160 * 1_048_576;
  const bytesPerMs = 48 * 1_048;
  let copied = 0;
  // All at once would take 3.4 s, and the timeout of a request is 2 s.
  const { client, server, projects, template } = await sharesOn((response, request) => {
    opensLarge(response, request, size);
    copied += copyBytes(request);
    return [response];
  }, 2_000);
  server.script = { ...server.script, diskMs: (request) => copyBytes(request) / bytesPerMs };
  const source = { share: template, path: 'file', size };
  expect(await projects.copyFile(source, 'copy', { replace: false })).toEqual({
    outcome: 'created',
    method: 'server-side',
  });
  expect(copied).toBe(size);
  expect(client.traffic.connections).toBe(1);
});
