import { rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type DirectoryEntry,
  type FileCalls,
  FileAttribute,
  SmbClient,
  type SmbOptions,
} from '../../agent/smb/index.ts';
import { skipRule } from '../../agent/base/skipped-names.ts';
import { namesLeftOut } from '../../agent/copy/template-names.ts';
import { CopyError } from '../../agent/base/copy-error.ts';
import { type CopyOptions, copyTemplate } from '../../agent/copy/template-copy.ts';
import { EmbeddedServer } from '../../agent/smb/tests/embedded/server.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { recycleBinLines } from '../../agent/smb/tests/samba/samba-conf.ts';
import { startSamba } from '../../agent/smb/tests/support/samba.ts';
import { command } from '../../agent/smb/tests/support/scripted-server/responses.ts';
import { createdName } from '../../agent/smb/tests/support/scripted-server/script.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { ageTree, makeTree, smbClient, timesOf, treeOf } from '../support/share-trees.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

let fileServer: TestFileServer;
let client: SmbClient;
let run = 0;
/** A separate template and destination for each test: on disk, and as the trees of the copy. */
let disk: { template: string; destination: string };
let name: string;

beforeAll(async () => {
  fileServer = await startFileServer({ moreShares: { readonly: 'readOnly', limited: 'limited' } });
  client = smbClient(fileServer);
});
afterAll(async () => {
  await client.close();
  await fileServer.stop();
});
beforeEach(async () => {
  run += 1;
  name = `run-${run}`;
  disk = {
    template: join(fileServer.templateFolder, name),
    destination: join(fileServer.projectFolder, name),
  };
  await mkdir(disk.template);
  await mkdir(disk.destination);
});

const copy = (options: CopyOptions = {}, from: SmbClient = client) =>
  copyTemplate(from.share('template').folder(name), from.share('projects').folder(name), options);

/** A folder whose server lists an entry otherwise than Samba does. */
const listing = <Folder extends FileCalls>(
  folder: Folder,
  listed: string,
  change: (entry: DirectoryEntry) => Partial<DirectoryEntry>,
): Folder =>
  new Proxy(folder, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property !== 'list') return value.bind(target);
      return async (...given: Parameters<FileCalls['list']>) => {
        const entries = await target.list(...given);
        for (const entry of entries.filter(({ name: each }) => each === listed)) {
          Object.assign(entry, change(entry));
        }
        return entries;
      };
    },
  });
/** As Windows lists a junction. Samba follows its links itself. */
const withLink = <Folder extends FileCalls>(folder: Folder, link: string): Folder =>
  listing(folder, link, ({ attributes }) => ({ attributes: attributes | FileAttribute.reparsePoint }));

const others: SmbClient[] = [];
const anotherClient = (options: Partial<SmbOptions> = {}) => {
  const other = smbClient(fileServer, options);
  others.push(other);
  return other;
};
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()));
});

const failureOf = async (copying: Promise<unknown>): Promise<CopyError> => {
  const error = await copying.catch((reason: unknown) => reason);
  if (!(error instanceof CopyError)) throw new Error(`no CopyError but ${String(error)}`);
  return error;
};

describe('an empty destination', () => {
  test('becomes the template: names, contents, empty files and directories', async () => {
    const longest = `${'x'.repeat(251)}.txt`;
    const longestUmlauts = 'ü'.repeat(127);
    const contents = {
      '01 Angebote/Entwurf für Müller & Söhne.txt': 'Grüße',
      '02_Aufträge/': '',
      'decomposed-u\u0308.txt': 'nfd',
      'composed-ü.txt': 'nfc',
      '😀/emoji': 'x',
      'empty.txt': '',
      [longest]: 'long',
      [longestUmlauts]: 'long umlauts',
      'sub/.hidden': 'h',
      'big.bin': Buffer.alloc(3_000_001, 7),
      'medium.bin': Buffer.alloc(300_000, 8),
    };
    makeTree(disk.template, contents);
    const summary = await copy();
    expect(treeOf(disk.destination)).toEqual(treeOf(disk.template));
    expect(summary).toMatchObject({ directoriesCreated: 4, filesCreated: 10, filesExisting: 0 });
    expect(summary.conflicts.count + summary.linksSkipped.count + summary.leftoversRemoved).toBe(0);
    const bytes = Object.values(contents).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
    expect(summary.bytesCopied).toBe(bytes);
  });

  test('is filled by the server itself, without the contents passing through the agent', async () => {
    makeTree(disk.template, {
      'a.bin': Buffer.alloc(5_000_000, 1),
      // More than one request to copy covers.
      'b.bin': Buffer.alloc(20_000_000, 2),
    });
    const before = client.traffic;
    const summary = await copy();
    const after = client.traffic;
    expect(summary.filesCopiedByServer).toBe(2);
    const bytes = after.bytesSent + after.bytesReceived - before.bytesSent - before.bytesReceived;
    expect(bytes).toBeLessThan(450_000);
    expect(treeOf(disk.destination)).toEqual(treeOf(disk.template));
  });

  test('is filled by reading and writing if the server does not copy', async () => {
    makeTree(disk.template, { 'a.bin': Buffer.alloc(9_000_000, 1), 'b/c.txt': 'c', 'd.txt': '' });
    const through = anotherClient({ serverSideCopy: false });
    const summary = await copy({}, through);
    expect(summary).toMatchObject({ filesCreated: 3, filesCopiedByServer: 0 });
    expect(treeOf(disk.destination)).toEqual(treeOf(disk.template));
  });

  test.each([true, false])('gets files with the same holes; server-side copy: %s', async (serverSideCopy) => {
    const size = 8 * 1024 * 1024;
    const path = join(disk.template, 'sparse.bin');
    const file = await open(path, 'w');
    for (const position of [0, 2_500_001, 7_000_000])
      await file.write(Buffer.alloc(70_000, 7), 0, 70_000, position);
    await file.truncate(size);
    await file.close();
    await writeFile(join(disk.template, 'hole.bin'), 'x');
    await truncate(join(disk.template, 'hole.bin'), size);
    await copy({}, anotherClient({ serverSideCopy }));
    for (const file of ['sparse.bin', 'hole.bin']) {
      const { size: copied, blocks } = await stat(join(disk.destination, file));
      expect([copied, blocks * 512 < 1_000_000], `${file}: ${blocks} blocks`).toEqual([size, true]);
      const [one, other] = await Promise.all(
        [disk.template, disk.destination].map((folder) => readFile(join(folder, file))),
      );
      expect(one!.equals(other!)).toBe(true);
    }
  });

  test('gets the timestamps of the template, including those of directories', async () => {
    makeTree(disk.template, { 'a/b/c.txt': 'c', 'a/d.txt': 'd', 'e/': '', 'f.txt': 'f' });
    await ageTree(disk.template);
    await copy();
    expect(await timesOf(disk.destination)).toEqual(await timesOf(disk.template));
  });

  test('gets the attributes of the template, but not those of the template directory itself', async () => {
    const { hidden, readOnly } = FileAttribute;
    makeTree(disk.template, { 'secret/a.txt': 'a', 'fixed.txt': 'b', 'plain.txt': 'c' });
    const template = client.share('template');
    await template.setInfo(`${name}\\secret`, { attributes: hidden });
    await template.setInfo(`${name}\\fixed.txt`, { attributes: readOnly | hidden });
    await template.setInfo(name, { attributes: hidden });
    await copy();
    const attributesOf = async (path: string) => (await client.share('projects').stat(path)).attributes;
    expect((await attributesOf(`${name}\\secret`)) & (hidden | readOnly)).toBe(hidden);
    expect((await attributesOf(`${name}\\fixed.txt`)) & (hidden | readOnly)).toBe(hidden | readOnly);
    expect((await attributesOf(`${name}\\plain.txt`)) & (hidden | readOnly)).toBe(0);
    expect((await attributesOf(name)) & hidden).toBe(0);
    await template.setInfo(name, { attributes: FileAttribute.normal });
  });

  // Their names need more than one response to a listing, and they are more than the sources that stay open.
  test('can receive 800 files in one directory and 30 levels of directories', async () => {
    const deep = Array.from({ length: 30 }, (_, level) => `ebene ${level + 1}`).join('/');
    const files = Array.from({ length: 800 }, (_, index) => [`viele/Datei ${index}.txt`, `${index}`]);
    makeTree(disk.template, { ...Object.fromEntries(files), [`${deep}/unten.txt`]: 'tief' });
    const summary = await copy();
    expect(summary).toMatchObject({ directoriesCreated: 31, filesCreated: 801 });
    expect(treeOf(disk.destination)).toEqual(treeOf(disk.template));
  });
});

describe('what exists at the destination', () => {
  test('is never changed, and what is missing is added', async () => {
    makeTree(disk.template, { 'a/x.txt': 'template', 'a/y.txt': 'template', 'b/z.txt': 'template' });
    makeTree(disk.destination, { 'a/x.txt': 'mine', 'a/own.txt': 'own', 'c/': '' });
    await ageTree(disk.destination);
    const before = await stat(join(disk.destination, 'a/x.txt'));
    const summary = await copy();
    expect(treeOf(disk.destination)).toEqual({
      'a/': '',
      'a/own.txt': 'own',
      'a/x.txt': 'mine',
      'a/y.txt': 'template',
      'b/': '',
      'b/z.txt': 'template',
      'c/': '',
    });
    const after = await stat(join(disk.destination, 'a/x.txt'));
    expect([after.mtimeMs, after.ctimeMs, after.ino]).toEqual([before.mtimeMs, before.ctimeMs, before.ino]);
    expect(summary).toMatchObject({ directoriesCreated: 1, filesCreated: 2, filesExisting: 1 });
  });

  test('is recognized even if its name differs in case', async () => {
    makeTree(disk.template, { 'Äpfel.TXT': 'template' });
    makeTree(disk.destination, { 'äpfel.txt': 'mine' });
    expect(await copy()).toMatchObject({ filesCreated: 0, filesExisting: 1 });
    expect(treeOf(disk.destination)).toEqual({ 'äpfel.txt': 'mine' });
  });

  test('is a conflict if it is of another kind; everything else is still added', async () => {
    makeTree(disk.template, { 'a/x.txt': 'x', 'b.txt': 'b', 'c.txt': 'c' });
    makeTree(disk.destination, { a: 'a file', 'b.txt/': '' });
    const summary = await copy();
    expect(summary.conflicts).toEqual({ count: 2, first: ['a', 'b.txt'] });
    expect(treeOf(disk.destination)).toEqual({ a: 'a file', 'b.txt/': '', 'c.txt': 'c' });
  });

  test('is a conflict if it is a link to a directory, which could lead anywhere', async () => {
    makeTree(disk.template, { 'a/x.txt': 'x', 'b.txt': 'b' });
    makeTree(disk.destination, { 'a/': '' });
    const destination = withLink(client.share('projects').folder(name), 'a');
    const summary = await copyTemplate(client.share('template').folder(name), destination);
    expect(summary.conflicts).toEqual({ count: 1, first: ['a'] });
    expect(treeOf(disk.destination)).toEqual({ 'a/': '', 'b.txt': 'b' });
  });

  test('includes one of two names that are the same to the server; both names are reported, also by a second run', async () => {
    // Samba treats the Kelvin sign as a separate letter.
    const own = { '\u212a.txt': '3', 'k.txt': '4', 'z.txt': '5' };
    makeTree(disk.template, { 'a/Plan.txt': '1', 'a/plan.txt': '2', ...own });
    for (const created of [4, 0]) {
      const { nameClashes, filesCreated } = await copy();
      expect(filesCreated).toBe(created);
      expect(nameClashes.count).toBe(1);
      expect(['a\\Plan.txt and a\\plan.txt', 'a\\plan.txt and a\\Plan.txt']).toContain(nameClashes.first[0]);
      const tree = treeOf(disk.destination);
      expect(tree).toMatchObject(own);
      expect(Object.keys(tree)).toHaveLength(5);
    }
  });

  test('includes one of two directories with the same name to the server, without any contents of the other', async () => {
    makeTree(disk.template, { 'Plan/1.txt': '1', 'plan/2.txt': '2' });
    const { nameClashes } = await copy();
    expect(nameClashes.count).toBe(1);
    expect(Object.keys(treeOf(disk.destination))).toHaveLength(2);
  });

  requires('samba').test(
    'does not conflict with names in another case on a case-sensitive server; each name is a separate file',
    async () => {
      const caseSensitive = await startSamba({
        templateLines: ['case sensitive = yes'],
        projectLines: ['case sensitive = yes'],
      });
      const other = smbClient(caseSensitive);
      try {
        const contents = { 'Plan.txt': '1', 'plan.txt': '2', 'Ordner/x': '3', 'ordner/y': '4' };
        makeTree(caseSensitive.templateFolder, contents);
        makeTree(caseSensitive.projectFolder, { 'PLAN.txt': 'theirs', 'ORDNER/': '' });
        const run = () => copyTemplate(other.share('template'), other.share('projects'));
        expect(await run()).toMatchObject({ filesCreated: 4, nameClashes: { count: 0 } });
        expect(treeOf(caseSensitive.projectFolder)).toMatchObject({ ...contents, 'PLAN.txt': 'theirs' });
        expect(await run()).toMatchObject({ filesCreated: 0, filesExisting: 4, nameClashes: { count: 0 } });
      } finally {
        await other.close();
        await caseSensitive.stop();
      }
    },
  );

  test('costs one round trip per level if it is complete, whatever the number of files', async () => {
    const contents: Record<string, string> = {};
    for (let index = 0; index < 20; index += 1) {
      for (let file = 0; file < 10; file += 1) contents[`dir ${index}/sub/deep/file ${file}`] = 'x';
    }
    makeTree(disk.template, contents);
    await copy();
    const proxy = await DelayProxy.start(fileServer.port, 25, { inLockStep: true });
    const far = anotherClient({ port: proxy.port });
    try {
      await far.connect();
      await Promise.all([far.share('template').connect(), far.share('projects').connect()]);
      proxy.resetCounters();
      const before = far.traffic;
      expect(await copy({}, far)).toMatchObject({
        filesExisting: 200,
        filesCreated: 0,
        directoriesCreated: 0,
      });
      const levels = 4;
      const directories = 1 + 20 * 3;
      expect(far.traffic.framesSent - before.framesSent).toBe(2 * directories);
      expect(proxy.counters.roundTrips).toBeLessThanOrEqual(2 * levels);
    } finally {
      await proxy.stop();
    }
  });
});

test('what cannot be read in the template costs only itself, and all of it is listed', async () => {
  const copyAll = () => copyTemplate(client.share('limited'), client.share('projects').folder(name));
  const templateFolder = join(fileServer.projectFolder, '../limited');
  try {
    await chmod(join(templateFolder, '..'), 0o711);
    await chmod(templateFolder, 0o755);
    makeTree(templateFolder, {
      'a/b.txt': 'b',
      'a/zu.txt': 'x',
      'Zu/c.txt': 'c',
      'd.txt': 'd',
      'zu.txt': 'x',
    });
    const closed = ['a/zu.txt', 'zu.txt', 'Zu'].map((path) => join(templateFolder, path));
    for (const path of closed) await chmod(path, 0);
    const { unreadable, filesCreated } = await copyAll();
    expect(unreadable.count).toBe(3);
    expect(unreadable.first.toSorted()).toEqual([
      expect.stringContaining('Zu ('),
      expect.stringContaining('a\\zu.txt ('),
      expect.stringContaining('zu.txt ('),
    ]);
    for (const text of unreadable.first) expect(text).toContain('ACCESS_DENIED');
    expect(filesCreated).toBe(2);
    // The next round adds the rest.
    for (const path of closed) await chmod(path, 0o755);
    expect(await copyAll()).toMatchObject({ filesCreated: 3, unreadable: { count: 0 } });
    await chmod(templateFolder, 0);
    expect((await failureOf(copyAll())).side).toBe('template');
  } finally {
    await chmod(templateFolder, 0o755);
  }
});

describe('temporary files', () => {
  const leftover = '~smb-0123456789abcdef.tmp';

  test('of a crashed run are removed, and never copied from a template', async () => {
    makeTree(disk.template, { 'a/x.txt': 'x', [`a/${leftover}`]: 'half', [`b/${leftover}`]: 'half' });
    makeTree(disk.destination, { [`a/${leftover}`]: 'half', [leftover]: 'half' });
    // A directory of such a name is somebody's own, as is a file of another.
    const own = '~smb-fedcba9876543210.tmp';
    makeTree(disk.destination, { [`${own}/y.txt`]: 'y', '~$Plan.docx': 'open' });
    expect(await copy()).toMatchObject({ leftoversRemoved: 2, filesCreated: 1 });
    expect(treeOf(disk.destination)).toEqual({
      'a/': '',
      'a/x.txt': 'x',
      'b/': '',
      [`${own}/`]: '',
      [`${own}/y.txt`]: 'y',
      '~$Plan.docx': 'open',
    });
  });

  test('that another agent removes first are not counted', async () => {
    makeTree(disk.template, { 'x.txt': 'x' });
    makeTree(disk.destination, { 'x.txt': 'x', [leftover]: 'half', '~smb-fedcba9876543210.tmp': 'half' });
    // Called when the destination has been listed.
    const onProgress = () => rmSync(join(disk.destination, leftover), { force: true });
    const { leftoversRemoved, leftoversKept } = await copy({ onProgress });
    expect([leftoversRemoved, leftoversKept.count]).toEqual([1, 0]);
  });

  requires('samba').test(
    'leave nothing in a recycle bin, wherever the connection or the server died',
    async () => {
      const samba = await startSamba({ projectLines: recycleBinLines });
      const proxy = await DelayProxy.start(samba.port);
      const clients: SmbClient[] = [];
      const clientVia = (port: number, options: Partial<SmbOptions> = {}) => {
        const opened = smbClient(samba, { port, ...options });
        clients.push(opened);
        return opened;
      };
      const copyTo = (target: string, from: SmbClient, options: CopyOptions = {}) =>
        copyTemplate(from.share('template'), from.share('projects').folder(target), options);
      try {
        const sizes = Array.from({ length: 24 }, (_, index) => index * 4_000);
        const files = sizes.map((size, index) => [`d${index % 3}/f${index}`, Buffer.alloc(size, index)]);
        makeTree(samba.templateFolder, Object.fromEntries(files));
        const near = clientVia(samba.port);
        const attributes = FileAttribute.readOnly | FileAttribute.hidden;
        await near.share('template').setInfo('d1\\f4', { attributes });
        let leftovers = 0;
        const expectCompleted = async (target: string) => {
          // Until then, the server carries out what it has received.
          await expect.poll(async () => (await samba.connectionPids()).length).toBeLessThanOrEqual(1);
          const folder = join(samba.projectFolder, target);
          const left = Object.keys(treeOf(folder)).filter((path) => path.includes('~smb-')).length;
          const { leftoversRemoved, leftoversKept } = await copyTo(target, near);
          expect([leftoversRemoved, leftoversKept.count], target).toEqual([left, 0]);
          expect(treeOf(folder), target).toEqual(treeOf(samba.templateFolder));
          leftovers += left;
        };
        for (const serverSideCopy of [true, false])
          for (const part of [0.2, 0.4, 0.6, 0.9]) {
            const far = clientVia(proxy.port, { serverSideCopy });
            const target = `${serverSideCopy} ${part}`;
            await mkdir(join(samba.projectFolder, target));
            await Promise.all(['template', 'projects'].map((share) => far.share(share).connect()));
            proxy.cutAfter(Math.round(part * (serverSideCopy ? 20_000 : 1_000_000)));
            await failureOf(copyTo(target, far));
            await expectCompleted(target);
          }
        await mkdir(join(samba.projectFolder, 'crashed'));
        let made = 0;
        let crash: Promise<void> | undefined;
        const onProgress = () => {
          made += 1;
          if (made === 8) crash = samba.crash();
        };
        await failureOf(copyTo('crashed', clientVia(samba.port, { serverSideCopy: false }), { onProgress }));
        await crash;
        await samba.restart();
        await near
          .share('projects')
          .stat()
          .catch(() => undefined);
        await expectCompleted('crashed');
        expect(leftovers).toBeGreaterThan(0);
        const inTheBin = treeOf(samba.projectFolder);
        expect(Object.keys(inTheBin).filter((path) => path.startsWith('#recycle'))).toEqual([]);
      } finally {
        await Promise.all(clients.map((each) => each.close()));
        await proxy.stop();
        await samba.stop();
      }
    },
  );

  test('that another agent is writing are left alone', async () => {
    makeTree(disk.template, { 'x.txt': 'x' });
    const other = anotherClient();
    const writing = await other.share('projects').open(`${name}\\${leftover}`, 'wx');
    await writing.write(Buffer.from('in the middle'), { position: 0 });
    expect(await copy()).toMatchObject({
      leftoversRemoved: 0,
      leftoversKept: { count: 1, first: [leftover] },
      filesCreated: 1,
    });
    await writing.write(' and on', 13);
    await writing.close();
    expect(treeOf(disk.destination)).toEqual({ 'x.txt': 'x', [leftover]: 'in the middle and on' });
  });
});

describe('a copy that is stopped', () => {
  test('by its signal ends with the reason of the signal, leaves no partial file, and can be completed', async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `d${index % 10}/f${index}.bin`,
        Buffer.alloc(20_000, index),
      ]),
    );
    makeTree(disk.template, contents);
    const ending = new AbortController();
    let made = 0;
    const stopped = copy({
      signal: ending.signal,
      onProgress: () => {
        made += 1;
        if (made === 60) ending.abort(new Error('the claim is lost'));
      },
    });
    await expect(stopped).rejects.toThrow('the claim is lost');
    const wanted = treeOf(disk.template);
    const partial = treeOf(disk.destination);
    for (const [path, content] of Object.entries(partial)) {
      if (!path.includes('~smb-')) expect(content === wanted[path], path).toBe(true);
    }
    expect(Object.keys(partial).length).toBeLessThan(Object.keys(wanted).length);
    await copy();
    expect(treeOf(disk.destination)).toEqual(wanted);
  });

  test('by a lost connection is completed by the next attempt, with the timestamps of all its directories', async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`d${index % 20}/f${index}.bin`, Buffer.alloc(5_000, index)]),
    );
    makeTree(disk.template, contents);
    await ageTree(disk.template);
    const proxy = await DelayProxy.start(fileServer.port);
    const far = anotherClient({ port: proxy.port });
    const created = new Set<string>();
    try {
      await far.connect();
      proxy.cutAfter(60_000);
      const failure = await failureOf(copy({ created }, far));
      expect(failure.cause).toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
      await copy({ created }, far);
    } finally {
      await proxy.stop();
    }
    expect(treeOf(disk.destination)).toEqual(treeOf(disk.template));
    expect(await timesOf(disk.destination)).toEqual(await timesOf(disk.template));
  });
});

describe('links that the server follows', () => {
  const links = { loop: '.', loop2: '.', 'sub/up': '..', 'sub/c/top': '../..' };
  beforeEach(async () => {
    makeTree(disk.template, { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/c/d.txt': 'd' });
    for (const [path, target] of Object.entries(links)) await symlink(target, join(disk.template, path));
  });
  const own = { 'a.txt': 'a', 'sub/': '', 'sub/b.txt': 'b', 'sub/c/': '', 'sub/c/d.txt': 'd' };

  test('to a directory above them are named and stay empty', async () => {
    const { loops } = await copy();
    expect(loops.first.toSorted()).toEqual(['loop', 'loop2', 'sub\\c\\top', 'sub\\up']);
    expect(loops.count).toBe(4);
    const empty = Object.fromEntries(Object.keys(links).map((path) => [`${path}/`, '']));
    expect(treeOf(disk.destination)).toEqual({ ...own, ...empty });
  });

  test('end at the deepest level where the server has no ids of files', async () => {
    const server = await EmbeddedServer.start({
      // FileInternalInformation.
      script: {
        reject: (request) =>
          request.readUInt16LE(12) === command.queryInfo && request[67] === 6 ? 0xc00000bb : undefined,
      },
    });
    const opened = smbClient(server);
    others.push(opened);
    try {
      makeTree(server.templateFolder, { 'a.txt': 'a' });
      await symlink('.', join(server.templateFolder, 'loop'));
      const { loops } = await copyTemplate(
        opened.share('template').folder(''),
        opened.share('projects').folder(''),
      );
      expect(loops).toEqual({ count: 1, first: [Array.from({ length: 65 }, () => 'loop').join('\\')] });
    } finally {
      await server.stop();
    }
  });

  test('to a directory beside them are directories like others', async () => {
    for (const path of Object.keys(links)) await rm(join(disk.template, path));
    await symlink('sub/c', join(disk.template, 'beside'));
    expect((await copy()).loops.count).toBe(0);
    expect(treeOf(disk.destination)).toEqual({ ...own, 'beside/': '', 'beside/d.txt': 'd' });
  });
});

test('a link to a directory above is named once, although the template has changed when it is followed', async () => {
  makeTree(disk.template, { 'a.txt': 'a' });
  for (const link of ['loop', 'loop2']) await symlink('.', join(disk.template, link));
  let isNew = true;
  const onProgress = () => {
    // The first directory is listed.
    if (isNew) writeFileSync(join(disk.template, 'new.txt'), '');
    isNew = false;
  };
  const { loops } = await copy({ onProgress });
  expect(loops.count).toBe(2);
  expect(loops.first.toSorted()).toEqual(['loop', 'loop2']);
});

test('a link of the template to a directory is not followed, and named', async () => {
  makeTree(disk.template, { 'a/x.txt': 'x', 'b/': '' });
  const template = withLink(client.share('template').folder(name), 'a');
  const summary = await copyTemplate(template, client.share('projects').folder(name));
  expect(summary.linksSkipped).toEqual({ count: 1, first: ['a'] });
  expect(treeOf(disk.destination)).toEqual({ 'b/': '' });
});

test('a file of the template that is a reparse point is copied, unless the server says that it is a link', async () => {
  // Deduplicated and tiered files are reparse points too. What says where a link leads, the error does not contain.
  const isLink = (request: Buffer) => createdName(request)?.endsWith('Link.txt') === true;
  const stoppedOnSymlink = 0x8000002d;
  const server = await EmbeddedServer.start({
    script: { reject: (request) => (isLink(request) ? stoppedOnSymlink : undefined) },
  });
  const opened = smbClient(server);
  others.push(opened);
  try {
    makeTree(server.templateFolder, { 'Archiv.txt': 'archived', 'Link.txt': 'target' });
    const folder = withLink(opened.share('template').folder(''), 'Archiv.txt');
    const summary = await copyTemplate(withLink(folder, 'Link.txt'), opened.share('projects').folder(''));
    expect(summary.linksSkipped).toEqual({ count: 1, first: ['Link.txt'] });
    expect(treeOf(server.projectFolder)).toEqual({ 'Archiv.txt': 'archived' });
  } finally {
    await server.stop();
  }
});

test('a template of more than 64 levels ends there, with the name', async () => {
  const levels = (count: number) => Array.from({ length: count }, () => 'd').join('/');
  makeTree(disk.template, { [`${levels(70)}/unten.txt`]: 'x' });
  const { loops, directoriesCreated } = await copy();
  expect(loops).toEqual({ count: 1, first: [levels(65).replaceAll('/', '\\')] });
  expect(directoriesCreated).toBe(65);
});

test('what programs leave behind in the template is not copied, and named', async () => {
  const debris = [
    '~$Brief.docx',
    '.~lock.Liste.ods#',
    'Plan.dwl',
    'Plan.DWL2',
    'Thumbs.db',
    '.DS_Store',
    'desktop.ini',
    '._Brief.docx',
    '~WRL0001.tmp',
  ];
  const folders = ['@eaDir', '#recycle', '$RECYCLE.BIN', 'System Volume Information'];
  const kept = { 'Brief.docx': 'x', 'sub/': '', 'sub/~Brief.docx': 'x', 'sub/Thumbs.db.txt': 'x' };
  makeTree(disk.template, {
    ...kept,
    ...Object.fromEntries(debris.map((file) => [`sub/${file}`, 'x'])),
    ...Object.fromEntries(folders.map((folder) => [`${folder}/a`, 'x'])),
  });
  const { skipped } = await copy({ isSkipped: skipRule() });
  expect(treeOf(disk.destination)).toEqual(kept);
  expect(skipped.count).toBe(debris.length + folders.length);
  expect(skipped.first).toContain('#recycle');
  // The built-in list can be extended, and emptied.
  expect(['alt.bak', 'Thumbs.db'].map(skipRule(['*.BAK']))).toEqual([true, true]);
  expect(['alt.bak', 'Thumbs.db'].map(skipRule(['none', '*.bak']))).toEqual([true, false]);
});

requires('samba').test(
  'names that no path can hold are left out and named; at the destination they are in no way',
  async () => {
    const asOnDisk = ['mangled names = no'];
    const linux = await startSamba({ templateLines: asOnDisk, projectLines: asOnDisk });
    const other = smbClient(linux);
    try {
      const names = ['Alt\\Plan.pdf', 'Frage?.txt', 'Steuer\u0001'];
      for (const each of names) {
        await writeFile(join(linux.templateFolder, each), 'x');
        await writeFile(join(linux.projectFolder, `Rest ${each}`), 'x');
      }
      makeTree(linux.templateFolder, { 'a.txt': 'a' });
      const { namesUnusable, filesCreated } = await copyTemplate(
        other.share('template'),
        other.share('projects'),
      );
      expect(filesCreated).toBe(1);
      expect(namesUnusable.count).toBe(names.length);
      expect(namesUnusable.first.toSorted()).toEqual(names.map((each) => JSON.stringify(each)).toSorted());
      // The package does not leave out what the caller does not know.
      const listing = await other
        .share('template')
        .list()
        .catch((error: unknown) => error);
      expect(listing).toMatchObject({
        code: 'NAME_INVALID',
        message: expect.stringContaining('"Alt\\\\Plan.pdf"'),
      });
      expect(await namesLeftOut(other.share('template'), skipRule())).toMatchObject({
        skipped: { count: 0 },
        unusable: { count: names.length },
      });
    } finally {
      await other.close();
      await linux.stop();
    }
  },
);

test('what the template lists and nobody can open is named', async () => {
  makeTree(disk.template, { 'a/x.txt': 'x', 'b/': '' });
  const template = listing(client.share('template').folder(name), 'a', () => ({ name: 'c' }));
  const summary = await copyTemplate(template, client.share('projects').folder(name));
  expect(summary.unreadable).toEqual({ count: 1, first: ['c (OBJECT_NAME_NOT_FOUND)'] });
});

test('what is removed from the template during the copy was not to be copied', async () => {
  makeTree(disk.template, { 'gone.txt': 'x', 'stays.txt': 'z', 'gone-folder/a': 'a' });
  let compared = 0;
  const onProgress = () => {
    compared += 1;
    // The first directory is listed, and nothing of it is copied yet.
    if (compared > 1) return;
    for (const path of ['gone.txt', 'gone-folder']) rmSync(join(disk.template, path), { recursive: true });
  };
  const summary = await copy({ onProgress });
  expect(summary).toMatchObject({ unreadable: { count: 0 }, filesCreated: 1 });
  expect(treeOf(disk.destination)).toEqual({ 'gone-folder/': '', 'stays.txt': 'z' });
});

test('nor what is in a directory that is removed after it was listed', async () => {
  makeTree(disk.template, { 'gone/x.txt': 'x', 'stays.txt': 'z' });
  const compared = new Set<string>();
  const onProgress = () => {
    if (compared.has('gone')) rmSync(join(disk.template, 'gone'), { recursive: true, force: true });
  };
  expect(await copy({ compared, onProgress })).toMatchObject({ unreadable: { count: 0 } });
  expect(treeOf(disk.destination)).toEqual({ 'gone/': '', 'stays.txt': 'z' });
});

describe('a failed copy reports where and why', () => {
  test('when the template does not exist', async () => {
    await rm(disk.template, { recursive: true });
    const failure = await failureOf(copy());
    expect(failure).toMatchObject({ side: 'template', path: `\\\\127.0.0.1\\template\\${name}` });
    expect(failure.cause.code).toBe('ENOENT');
  });

  test('when the share is read-only', async () => {
    makeTree(disk.template, { 'x.txt': 'x' });
    const copying = copyTemplate(client.share('template').folder(name), client.share('readonly'));
    const failure = await failureOf(copying);
    expect(failure).toMatchObject({ side: 'destination', path: '\\\\127.0.0.1\\readonly\\x.txt' });
    expect(failure.cause.code).toBe('EACCES');
  });

  test('when a file of the template remains open without being shared', async () => {
    makeTree(disk.template, { 'ok.txt': 'ok' });
    const editor = anotherClient();
    await editor.share('template').open(`${name}\\locked.txt`, 'wx');
    const waits: number[] = [];
    const clock = { now: () => 0, wait: async (ms: number) => void waits.push(ms) };
    const { unreadable, filesCreated } = await copy({ clock });
    expect(unreadable).toEqual({
      count: 1,
      first: [expect.stringMatching(/^locked\.txt \(.*SHARING_VIOLATION\)$/)],
    });
    expect(filesCreated).toBe(1);
    expect(waits).toEqual([100, 300, 1000, 2000]);
  });

  test('unless the file is closed in time; then it is copied', async () => {
    await writeFile(join(disk.template, 'x.txt'), 'x');
    const editor = anotherClient();
    const open = await editor.share('template').open(`${name}\\locked.txt`, 'wx');
    await open.write(Buffer.from('done'), { position: 0 });
    const clock = { now: () => 0, wait: () => open.close() };
    await copy({ clock });
    expect(treeOf(disk.destination)).toEqual({ 'locked.txt': 'done', 'x.txt': 'x' });
  });
});
