import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import { command, errorBody } from './support/scripted-server/responses.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer, type Script } from './support/scripted-server/server.ts';
import { rejection } from './contract/index.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const related = 0x4;
const isRelated = (message: Buffer) => (message.readUInt32LE(16) & related) !== 0;

async function serverWith(respond: NonNullable<Script['respond']>): Promise<ScriptedServer> {
  const server = await ScriptedServer.start({ cipher: 0, respond });
  ends.push(() => server.stop());
  return server;
}

function shareAt(port: number) {
  const { user: username, password, domain } = scriptedAccount;
  const timeouts = { closeMs: 100 };
  const client = new SmbClient({ host: '127.0.0.1', port, username, password, domain, timeouts });
  ends.push(() => client.close());
  return { client, share: client.share('projects') };
}

function failed(response: Buffer, status: number): Buffer {
  const failure = Buffer.concat([response.subarray(0, 64), errorBody()]);
  failure.writeUInt32LE(status, 8);
  return failure;
}

const nameOf = (request: Buffer) => request.toString('utf16le', 120, 120 + request.readUInt16LE(110));

test('a server that rejects the followers of a compound receives one request per frame from then on', async () => {
  let rejections = 0;
  const server = await serverWith((response, request) => {
    if (!isRelated(request)) return [response];
    rejections += 1;
    return [failed(response, 0xc000000d)];
  });
  const { share } = shareAt(server.port);
  expect(await share.publish('one', Buffer.from('one'))).toBe('created');
  const rejectedOnce = rejections;
  expect(rejectedOnce).toBe(3);
  expect(await share.publish('two', Buffer.from('two'))).toBe('created');
  expect((await share.stat('file.txt')).isDirectory()).toBe(false);
  expect(rejections).toBe(rejectedOnce);
  expect(server.faults).toEqual([]);
  // The client continued with the file that the rejected compound opened: in the end, every CREATE has its CLOSE.
  const count = (wanted: number) => server.commands.filter((each) => each === wanted).length;
  expect(count(command.close) - 1).toBe(count(command.create));
});

test('one INVALID_PARAMETER among successful responses does not disable compounds', async () => {
  const server = await serverWith((response, request) => [
    isRelated(request) && request.readUInt16LE(12) === command.setInfo
      ? failed(response, 0xc000000d)
      : response,
  ]);
  const { share, client } = shareAt(server.port);
  await rejection(share.rename('file.txt', 'other.txt'), 'SERVER_ERROR');
  const before = client.traffic.framesSent;
  await share.stat('file.txt');
  expect(client.traffic.framesSent - before).toBe(1);
});

test('a request that waited for no other has a frame of its own, and its rejection is not about the frame', async () => {
  const creates: string[] = [];
  const server = await serverWith((response, request) => {
    if (request.readUInt16LE(12) !== command.create) return [response];
    creates.push(nameOf(request));
    return [failed(response, 0xc00000bb)];
  });
  const { share } = shareAt(server.port);
  await rejection(share.publish('large', Buffer.alloc(300_000)), 'NOT_SUPPORTED');
  expect(creates).toEqual([expect.stringMatching(/^~smb-/)]);
});

test('a file that got its name without its contents is deleted immediately', async () => {
  const opened: string[] = [];
  const server = await serverWith((response, request) => {
    const requested = request.readUInt16LE(12);
    if (requested === command.create) opened.push(nameOf(request));
    return [requested === command.write ? failed(response, 0xc000007f) : response];
  });
  const { share } = shareAt(server.port);
  const error = await rejection(share.publish('plan.dwg', Buffer.alloc(100)), 'ENOSPC');
  expect(error).toMatchObject({ operation: 'publish', path: 'plan.dwg', retryable: false });
  expect(opened).toEqual([expect.stringMatching(/^~smb-/), 'plan.dwg']);
});

test('a file of which the server wrote only a part is deleted', async () => {
  const server = await serverWith((response, request) => {
    if (request.readUInt16LE(12) === command.write) response.writeUInt32LE(10, 68);
    return [response];
  });
  const { share } = shareAt(server.port);
  for (const write of [
    () => share.publish('plan.dwg', Buffer.alloc(100)),
    () => share.writeFile('plan.dwg', Buffer.alloc(100)),
  ]) {
    const error = await rejection(write(), 'SERVER_ERROR');
    expect(error.message).toContain('wrote only a part');
    expect(error.retryable).toBe(true);
  }
});

test('a small file is written in place in one frame', async () => {
  const server = await serverWith((response) => [response]);
  const { share, client } = shareAt(server.port);
  await share.connect();
  const before = client.traffic.framesSent;
  await share.writeFile('plan.dwg', Buffer.alloc(100));
  expect(client.traffic.framesSent - before).toBe(1);
});

test('without compounds, a file whose write failed gets no name', async () => {
  const requested: number[] = [];
  const server = await serverWith((response, request) => {
    const wanted = request.readUInt16LE(12);
    requested.push(wanted);
    if (isRelated(request)) return [failed(response, 0xc00000bb)];
    return [wanted === command.write ? failed(response, 0xc000007f) : response];
  });
  const { share } = shareAt(server.port);
  await share.stat('file.txt');
  requested.length = 0;
  await rejection(share.publish('plan.dwg', Buffer.alloc(100)), 'ENOSPC');
  const { create, write, close, setInfo } = command;
  // Then the temporary name is deleted.
  expect(requested).toEqual([create, write, close, create, setInfo, setInfo, close]);
});

test('a source of an impossible size is copied piece by piece, until the server fails', async () => {
  let copies = 0;
  const server = await serverWith((response, request) => {
    const requested = request.readUInt16LE(12);
    // Allocated, too: a file that is mostly holes would be read.
    if (requested === command.create)
      for (const offset of [104, 112]) response.writeBigUInt64LE(1n << 52n, offset);
    if (requested !== command.ioctl) return [response];
    copies += 1;
    return [copies > 3 ? failed(response, 0xc0000022) : response];
  });
  const { share, client } = shareAt(server.port);
  const source = { share: client.share('template'), path: 'file.txt', size: 100 };
  await rejection(share.copyFile(source, 'copy', { replace: false }), 'EACCES');
  expect(copies).toBeLessThan(100);
});

test('a server that crashes on compounds receives none after two connections', async () => {
  const server = await serverWith((response) => [response]);
  // The proxy cuts the connection at every compound of the client, like a crash of Samba 4.9.5.
  const proxy = createServer((inside) => {
    const outside = connect(server.port, '127.0.0.1');
    const cut = () => {
      inside.destroy();
      outside.destroy();
    };
    inside.on('error', cut).on('close', cut);
    outside.on('error', cut).on('close', cut);
    outside.pipe(inside);
    inside.on('data', (chunk) => (holdsCompound(chunk) ? cut() : outside.write(chunk)));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  ends.push(async () => proxy.close());
  const { client, share } = shareAt((proxy.address() as AddressInfo).port);
  await rejection(share.publish('a', Buffer.from('a')), 'CONNECTION_LOST');
  await rejection(share.stat('file.txt'), 'CONNECTION_LOST');
  expect(await share.publish('a', Buffer.from('a'))).toBe('created');
  expect(client.traffic.connections).toBe(3);
});

/** The frames of one event-loop turn arrive together; none is split here. */
function holdsCompound(chunk: Buffer): boolean {
  for (let at = 0; at + 68 <= chunk.length; at += 4 + chunk.readUInt32BE(at)) {
    if (chunk.readUInt32LE(at + 4 + 20) !== 0) return true;
  }
  return false;
}

// MS-SMB2 3.3.5.2.7.2: a server SHOULD fail what is related to a failed request with its status; Samba and Windows do not.
test('where CLOSE fails with the request before it, the file is closed by its id, and then alone', async () => {
  let before = 0;
  let open = 0;
  const closes: boolean[] = [];
  let isMissing = false;
  let atCreate = () => {};
  const server = await ScriptedServer.start({
    entries: [{ name: 'a.txt', size: 1, directory: false }],
    respond: (response, request) => {
      const code = request.readUInt16LE(12);
      const isRelated = (request.readUInt32LE(16) & 4) !== 0;
      const isFailed = isRelated && before !== 0;
      if (isFailed) {
        const failed = Buffer.concat([response.subarray(0, 64), errorBody()]);
        failed.writeUInt32LE(before, 8);
        if (code === command.close) closes.push(false);
        return [failed];
      }
      if (code === command.create) atCreate();
      if (code === command.create && isMissing) return [failed(response, 0xc0000034)];
      before = response.readUInt32LE(8);
      if (code === command.create && before === 0) open += 1;
      if (code === command.close) open -= 1;
      if (code === command.close) closes.push(true);
      return [response];
    },
  });
  const { user: username, password, domain } = scriptedAccount;
  const client = new SmbClient({ host: '127.0.0.1', port: server.port, username, password, domain });
  try {
    const share = client.share('projects');
    expect(await share.readdir('folder')).toEqual(['a.txt']);
    expect([open, closes]).toEqual([0, [false, true]]);
    expect(await share.readdir('folder')).toEqual(['a.txt']);
    expect(await share.readFile('file')).toHaveLength(100_000);
    await share.stat('file');
    await expect.poll(() => open).toBe(0);
    // No CLOSE is sent in vain any more.
    expect(closes.filter((succeeded) => !succeeded)).toHaveLength(1);
    isMissing = true;
    await rejection(share.stat('file'), 'ENOENT');
    // Too late for a caller that has gone: nothing is open.
    const caller = new AbortController();
    atCreate = () => caller.abort();
    await rejection(share.stat('file', { signal: caller.signal }), 'ABORTED');
    [isMissing, atCreate] = [false, () => {}];
    await share.stat('file');
    expect(client.traffic.connections).toBe(1);
  } finally {
    await client.close();
    await server.stop();
  }
});
