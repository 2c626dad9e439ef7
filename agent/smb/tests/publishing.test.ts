import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isTemporaryName, SmbClient } from '../index.ts';
import { startSamba } from './support/samba.ts';
import { command, readBody } from './support/scripted-server/responses.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer, type Script } from './support/scripted-server/server.ts';
import { rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';
import { recycleBinLines } from './samba/samba-conf.ts';
import { requires } from './support/requires.ts';

// How a published file gets its name: by a rename without replacing.

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const renameInfo = 10;

async function shareOn(respond: NonNullable<Script['respond']>) {
  const server = await ScriptedServer.start({ cipher: 2, respond });
  ends.push(() => server.stop());
  const { user: username, password, domain } = scriptedAccount;
  const client = new SmbClient({ host: '127.0.0.1', port: server.port, username, password, domain });
  ends.push(() => client.close());
  return { server, client, share: client.share('projects') };
}

test.each([
  ['in one compound', 100],
  ['in pieces', 1_000_000],
])('the file is created and renamed, and nothing is deleted: %s', async (_, size) => {
  const classes: number[] = [];
  const { share, server } = await shareOn((response, request) => {
    if (request.readUInt16LE(12) === command.setInfo) classes.push(request[67]!);
    return [response];
  });
  expect(await share.publish('one', Buffer.alloc(size))).toBe('created');
  expect(classes).toEqual([renameInfo]);
  expect(server.commands.filter((code) => code === command.create)).toHaveLength(1);
});

// Samba looks whether the name is free, and renames then. Between the two, another client may take the name.
requires('samba').test(
  'of two clients that publish the same name at the same moment, one file remains, and it is whole',
  async () => {
    const samba = await startSamba();
    ends.push(() => samba.stop());
    const shares = [0, 1].map(() => {
      const client = new SmbClient(clientOptions(samba));
      ends.push(() => client.close());
      return client.share(samba.projectShare);
    });
    const count = 100;
    for (let file = 0; file < count; file += 1) {
      const outcomes = await Promise.all(
        shares.map((share, index) => share.publish(`file-${file}`, Buffer.alloc(1_000, index))),
      );
      expect(outcomes).toContain('created');
      const contents = await readFile(join(samba.projectFolder, `file-${file}`));
      const writer = [0, 1].find((index) => contents.equals(Buffer.alloc(1_000, index)));
      expect(writer === undefined ? 'torn' : outcomes[writer]).toBe('created');
    }
    const names = await readdir(samba.projectFolder);
    expect(names).toHaveLength(count);
    expect(names.filter(isTemporaryName)).toEqual([]);
  },
);

describe('on a share with a recycle bin', () => {
  requires('samba').test('published and copied files leave nothing in it, and have one link', async () => {
    const samba = await startSamba({ projectLines: recycleBinLines });
    ends.push(() => samba.stop());
    const client = new SmbClient(clientOptions(samba));
    ends.push(() => client.close());
    const share = client.share(samba.projectShare);
    await writeFile(join(samba.projectFolder, 'source'), Buffer.alloc(300_000, 1));
    const sizes = [0, 1, 300_000, 1_000_000];
    await Promise.all([
      ...sizes.map((size) => share.publish(`published ${size}`, Buffer.alloc(size))),
      ...sizes.map((_, index) => share.copyFile('source', `copied ${index}`, { replace: false })),
    ]);
    const names = await readdir(samba.projectFolder);
    expect(names).toHaveLength(2 * sizes.length + 1);
    for (const name of names) expect((await stat(join(samba.projectFolder, name))).nlink, name).toBe(1);
    // It is a bin, and what is deleted gets into it.
    await share.rm('source');
    expect(await readdir(join(samba.projectFolder, '#recycle'))).toEqual(['source']);
  });
});

requires('samba').test.each([
  ['veto files = /*.tmp/~*/', 'OBJECT_NAME_NOT_FOUND|ACCESS_DENIED|OBJECT_NAME_INVALID'],
])('a server that forbids the temporary name (%s) is said to do so', async (line, statuses) => {
  const samba = await startSamba({ projectLines: [line] });
  ends.push(() => samba.stop());
  const client = new SmbClient(clientOptions(samba));
  ends.push(() => client.close());
  const share = client.share(samba.projectShare);
  await writeFile(join(samba.projectFolder, 'source'), Buffer.alloc(300_000, 1));
  await mkdir(join(samba.projectFolder, 'folder'));
  for (const attempt of [
    () => share.publish('folder\\Plan.docx', Buffer.alloc(10)),
    () => share.publish('folder\\Plan.docx', Buffer.alloc(1_000_000)),
    () => share.copyFile('source', 'folder\\Plan.docx'),
  ]) {
    const error = await rejection(attempt(), 'TEMPORARY_NAME_FORBIDDEN');
    expect(error.message).toMatch(
      new RegExp(`folder.Plan.docx: .*temporary name ~smb-\\w{8}\\.tmp \\((${statuses})\\)`),
    );
    expect(error.message).toContain('veto files');
  }
  await rejection(share.publish('gone\\Plan.docx', Buffer.alloc(10)), 'ENOENT');
});

const mebibyte = 1_048_576;
const sparse = 0x200;
const setSparse = 0x0009_00c4;
const resumeKey = 0x0014_0078;

// Without the attribute, a server may not know what is allocated, or the file may be compressed.
test.each([
  ['all of it is one, by its attribute', 2 * mebibyte, 0, sparse, true],
  ['they are large enough', 2 * mebibyte, mebibyte, sparse, true],
  ['they are small', 2 * mebibyte, 1.5 * mebibyte, sparse, false],
  ['nothing is known', 2 * mebibyte, 0, 0x20, false],
  ['it takes hardly any space', 2 * mebibyte, 4096, 0x20, true],
  ['it may be compressed', 2 * mebibyte, 0.5 * mebibyte, 0x20, false],
  ['it is small', mebibyte / 2, 4096, 0x20, false],
])('whether a copy gets the holes of a file: %s', async (_what, size, allocated, attributes, hasHoles) => {
  let isSparse = false;
  let written = 0;
  const { share } = await shareOn((response, request) => {
    const code = request.readUInt16LE(12);
    if (code === command.create) {
      response.writeBigUInt64LE(BigInt(allocated), 104);
      response.writeBigUInt64LE(BigInt(size), 112);
      response.writeUInt32LE(attributes, 120);
    }
    if (code === command.ioctl) {
      isSparse ||= request.readUInt32LE(68) === setSparse;
      // The key of a source, too: the contents go through this process.
      response.writeUInt32LE(0xc00000bb, 8);
    }
    if (code === command.write) written += request.readUInt32LE(68);
    if (code !== command.read) return [response];
    response.writeUInt32LE(0, 8);
    return [Buffer.concat([response.subarray(0, 64), readBody(Buffer.alloc(request.readUInt32LE(68)))])];
  });
  expect((await share.copyFile('source', 'copy', { replace: false })).method).toBe('read-write');
  expect([isSparse, written]).toEqual([hasHoles, hasHoles ? 0 : size]);
});

test.each([
  ['never copies', 0xc00000bb],
  ['does not copy this file', 0xc0000022],
])('where the server %s, the contents are read and written', async (_what, rejection) => {
  let written = 0;
  const { share } = await shareOn((response, request) => {
    const code = request.readUInt16LE(12);
    if (code === command.ioctl && request.readUInt32LE(68) !== resumeKey)
      response.writeUInt32LE(rejection, 8);
    if (code === command.write) written += request.readUInt32LE(68);
    return [response];
  });
  expect((await share.copyFile('source', 'copy', { replace: false })).method).toBe('read-write');
  expect(written).toBe(100_000);
});
