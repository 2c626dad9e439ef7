import { readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SmbClient, type SmbShare, type TraceEvent, type TransferProgress } from '../index.ts';
import type { TestFileServer } from './support/file-server.ts';
import { startSamba } from './support/samba.ts';
import { startFileServer } from './support/start-file-server.ts';
import { bytesOf, fileHas, ownName, rejection } from './contract/context.ts';
import { clientOptions } from './samba-client.ts';
import type { Transfers } from './support/cancel-transfers.ts';
import { requires } from './support/requires.ts';

let fileServer: TestFileServer;
let client: SmbClient;
let projects: SmbShare;

beforeAll(async () => {
  fileServer = await startFileServer();
  client = new SmbClient(clientOptions(fileServer));
  projects = client.share(fileServer.projectShare);
});
afterAll(async () => {
  await client?.close();
  await fileServer?.stop();
});

const written = new Date('2024-02-03T04:05:06.789Z');
const earlier = new Date('2020-01-01T00:00:00Z');
const tree = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted();

async function localFolder(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'local-'));
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), contents);
    await utimes(join(folder, path), written, written);
  }
  return folder;
}

test('a directory is uploaded and downloaded with its times, and progress is reported for every file', async () => {
  const name = ownName();
  const remote = join(fileServer.projectFolder, name);
  // More pieces than there are buffers.
  const large = bytesOf(6_000_000);
  const local = await localFolder({
    'a/Übergabe.txt': 'first',
    'a/b/empty': '',
    large,
  });
  const progress: TransferProgress[] = [];
  const options = {
    recursive: true,
    preserveTimestamps: true,
    onProgress: (step: TransferProgress) => progress.push(step),
  };
  await rejection(projects.upload(local, name), 'EISDIR');
  await projects.upload(local, name, options);
  expect(await tree(remote)).toEqual(['a', 'a/b', 'a/b/empty', 'a/Übergabe.txt', 'large'].toSorted());
  expect((await stat(join(remote, 'a/Übergabe.txt'))).mtime).toEqual(written);
  expect(await fileHas(join(remote, 'large'), large)).toBe(true);
  expect(progress).toContainEqual({ path: `${name}/a/Übergabe.txt`, size: 5, done: 5 });
  expect(progress.filter(({ size }) => size === 0)).toEqual([]);
  const steps = progress.filter(({ path }) => path === `${name}/large`);
  expect(steps.length).toBeGreaterThan(2);
  expect(steps.at(-1)).toMatchObject({ size: large.length, done: large.length });

  const back = join(local, 'back');
  progress.length = 0;
  await projects.download(name, back, options);
  expect(await tree(back)).toEqual(await tree(remote));
  expect((await stat(join(back, 'a/b/empty'))).mtime).toEqual(written);
  expect(progress).toContainEqual({ path: `${name}/a/Übergabe.txt`, size: 5, done: 5 });
  expect(await fileHas(join(back, 'large'), large)).toBe(true);
  // A caller divides by the size.
  expect(progress.filter(({ size }) => size === 0)).toEqual([]);

  await projects.upload(join(local, 'large'), `${name}/one file`);
  await projects.download(`${name}\\one file`, join(local, 'one file'));
  expect(await fileHas(join(local, 'one file'), large)).toBe(true);
});

test('update copies what is missing or older, and nothing else', async () => {
  const name = ownName();
  const local = await localFolder({ older: 'here', newer: 'here', same: 'here', missing: 'here' });
  const remote = join(fileServer.projectFolder, name);
  await mkdir(remote);
  for (const file of ['older', 'NEWER', 'same']) await writeFile(join(remote, file), 'there');
  await utimes(join(remote, 'older'), earlier, earlier);
  await utimes(join(remote, 'same'), written, written);
  const options = { recursive: true, update: true, preserveTimestamps: true };
  await projects.upload(local, name, options);
  const contents = async (folder: string) =>
    Promise.all(
      (await tree(folder)).map(async (file) => `${file} ${await readFile(join(folder, file), 'utf8')}`),
    );
  expect(await contents(remote)).toEqual(['NEWER there', 'missing here', 'older here', 'same there']);

  const other = await localFolder({ older: 'newer than the share', missing: 'old' });
  await utimes(join(other, 'older'), new Date(), new Date());
  await utimes(join(other, 'missing'), earlier, earlier);
  await projects.download(name, other, options);
  expect(await contents(other)).toEqual([
    'NEWER there',
    'missing here',
    'older newer than the share',
    'same there',
  ]);

  const file = join(other, 'older');
  await projects.download(`${name}/older`, file, { update: true });
  expect(await readFile(file, 'utf8')).toBe('newer than the share');
  await projects.download(`${name}/older`, file, { replace: false });
  expect(await readFile(file, 'utf8')).toBe('newer than the share');
  await projects.download(`${name}/older`, join(other, 'new'), { replace: false });
  expect(await readFile(join(other, 'new'), 'utf8')).toBe('here');
  await projects.download(`${name}/older`, file);
  expect(await readFile(file, 'utf8')).toBe('here');
  await projects.cp(`${name}/missing`, `${name}/NEWER`, { update: true });
  expect(await readFile(join(remote, 'NEWER'), 'utf8')).toBe('there');
});

test('a directory is not downloaded into a missing one, nor to the place of a file', async () => {
  const name = ownName();
  await projects.mkdir(name);
  const local = await localFolder({ file: '' });
  for (const [place, code] of [
    ['missing/new', 'ENOENT'],
    ['file', 'EEXIST'],
  ] as const)
    await expect(projects.download(name, join(local, place), { recursive: true })).rejects.toMatchObject({
      code,
    });
});

requires('linux').test('a transfer leaves no file open, of the local disk or of the share', async () => {
  const name = ownName();
  const sent = { CREATE: 0, CLOSE: 0 };
  const trace = ({ what, direction }: TraceEvent) => {
    if (direction === 'sent' && (what === 'CREATE' || what === 'CLOSE')) sent[what] += 1;
  };
  await using traced = new SmbClient({ ...clientOptions(fileServer), trace });
  const share = traced.share(fileServer.projectShare);
  const local = await localFolder({ small: 'x', large: bytesOf(3_000_000) });
  await share.upload(local, name, { recursive: true });
  const pathOf = (file: string) => {
    try {
      return readlinkSync(join('/proc/self/fd', file));
    } catch {
      // The one by which they were listed.
      return '';
    }
  };
  const openIn = (folder: string) =>
    readdirSync('/proc/self/fd')
      .map(pathOf)
      .filter((path) => path.startsWith(folder));
  expect(openIn(local)).toEqual([]);
  await share.download(name, join(local, 'back'), { recursive: true });
  expect(sent.CREATE).toBeGreaterThan(4);
  await expect.poll(() => sent.CLOSE).toBe(sent.CREATE);
});

test('the pieces of large files that wait for their turn are not mixed up', async () => {
  const name = ownName();
  const contents = Array.from({ length: 8 }, (_, index) => bytesOf(2_200_000 + index));
  const local = await localFolder(Object.fromEntries(contents.entries()));
  await projects.upload(local, name, { recursive: true });
  for (const [index, bytes] of contents.entries())
    expect(await fileHas(join(fileServer.projectFolder, name, String(index)), bytes)).toBe(true);
  const back = join(local, 'back');
  await projects.download(name, back, { recursive: true });
  for (const [index, bytes] of contents.entries())
    expect(await fileHas(join(back, String(index)), bytes)).toBe(true);
});

test('a file that changes after it was listed is copied as it is then', async () => {
  const name = ownName();
  const remote = join(fileServer.projectFolder, name);
  const lengths = { grows: 10, 'grows large': 20, shrinks: 300, empties: 40 };
  const later = { grows: 11, 'grows large': 400_000, shrinks: 200, empties: 0 };
  const write = (folder: string, files: Readonly<Record<string, number>>) => {
    for (const [file, length] of Object.entries(files)) writeFileSync(join(folder, file), bytesOf(length));
  };
  const expectLater = async (folder: string) => {
    for (const [file, length] of Object.entries(later))
      expect(await fileHas(join(folder, file), bytesOf(length)), file).toBe(true);
  };
  const local = await localFolder({});
  write(local, lengths);
  const changing = (folder: string) => ({ recursive: true, filter: () => (write(folder, later), true) });
  await projects.upload(local, name, changing(local));
  await expectLater(remote);
  write(remote, lengths);
  await projects.download(name, join(local, 'back'), changing(remote));
  await expectLater(join(local, 'back'));
});

test('a file that another client shortens, and extends again, during its download ends where it was short', async () => {
  const name = ownName();
  const remote = join(fileServer.projectFolder, name);
  const size = 16_777_216;
  const short = size / 2 + 1;
  await writeFile(remote, bytesOf(size));
  const local = join(await localFolder({}), 'file');
  const onProgress = ({ done }: TransferProgress) => {
    if (done < short) truncateSync(remote, short);
    else truncateSync(remote, size);
  };
  await projects.download(name, local, { onProgress });
  expect(await fileHas(local, bytesOf(size).subarray(0, short))).toBe(true);
});

test('several large files at the same time have 4 MiB in flight, in few pieces', async () => {
  const inFlight = { READ: 0, WRITE: 0 };
  const most = { READ: 0, WRITE: 0 };
  const sent = { READ: 0, WRITE: 0 };
  const trace = ({ what, direction }: TraceEvent) => {
    if (what !== 'READ' && what !== 'WRITE') return;
    inFlight[what] += direction === 'sent' ? 1 : -1;
    sent[what] += direction === 'sent' ? 1 : 0;
    most[what] = Math.max(most[what], inFlight[what]);
  };
  await using traced = new SmbClient({ ...clientOptions(fileServer), trace });
  const share = traced.share(fileServer.projectShare);
  const local = await localFolder({ a: bytesOf(4_194_304), b: bytesOf(4_194_304), c: bytesOf(4_194_304) });
  const name = ownName();
  await share.upload(local, name, { recursive: true });
  await share.download(name, join(local, 'back'), { recursive: true });
  expect(sent).toEqual({ READ: 6, WRITE: 24 });
  expect(most.READ).toBeLessThanOrEqual(2);
  expect(most.WRITE).toBeLessThanOrEqual(8);
  await Promise.all(['a', 'b', 'c'].map((file) => share.readFile(`${name}/${file}`)));
  expect(most.READ).toBeLessThanOrEqual(8);
});

test('a local link and names that the other side cannot have fail, unless the filter leaves them out', async () => {
  const local = await localFolder({ note: 'x' });
  await symlink('/etc/hostname', join(local, 'link'));
  const name = ownName();
  const error = await rejection(projects.upload(local, name, { recursive: true }), 'NOT_SUPPORTED');
  expect(error.message).toContain(join(local, 'link'));
  await projects.upload(local, name, { recursive: true, filter: (_, entry) => !entry.isReparsePoint() });
  expect(await tree(join(fileServer.projectFolder, name))).toEqual(['note']);
  await writeFile(join(local, 'a:b'), '');
  const filter = (path: string) => path !== 'link';
  await rejection(projects.upload(local, name, { recursive: true, filter }), 'NAME_INVALID');
  const backslash = await localFolder({ 'a\\b': '' });
  await rejection(projects.upload(backslash, name, { recursive: true }), 'NAME_INVALID');
});

requires('samba').test(
  'a name of the server that could lead elsewhere on the local disk fails, unless the filter leaves it out',
  async () => {
    // Otherwise Samba shows the name `a:b` as one that Windows permits.
    const samba = await startSamba({ projectLines: ['mangled names = no'] });
    onTestFinished(() => samba.stop());
    await using unmangledClient = new SmbClient(clientOptions(samba));
    const unmangled = unmangledClient.share(samba.projectShare);
    const local = await localFolder({});
    const remote = samba.projectFolder;
    await mkdir(join(remote, 'a:b'));
    await rejection(unmangled.download('', local, { recursive: true }), 'NAME_INVALID');
    expect(await tree(local)).toEqual([]);
    await writeFile(join(remote, 'a'), 'x');
    await unmangled.download('', local, { recursive: true, filter: (path) => !path.includes(':') });
    expect(await tree(local)).toEqual(['a']);
  },
);

test('a canceled transfer leaves no part of a file', async () => {
  const name = ownName();
  const remote = join(fileServer.projectFolder, name);
  await mkdir(remote);
  const local = await localFolder({ endless: '' });
  await truncate(join(local, 'endless'), 2 ** 40);
  await writeFile(join(remote, 'huge'), '');
  await chmod(join(remote, 'huge'), 0o666);
  await truncate(join(remote, 'huge'), 2 ** 40);
  for (const transfer of [
    (options: object) => projects.upload(local, name, options),
    (options: object) => projects.download(name, local, options),
  ]) {
    const cancel = new AbortController();
    const options = { recursive: true, signal: cancel.signal, onProgress: () => cancel.abort() };
    await expect(transfer(options)).rejects.toMatchObject({ name: 'AbortError' });
  }
  expect(await tree(local)).toEqual(['endless']);
  expect(await tree(remote)).toEqual(['huge']);
});

test('transfers that are canceled or fail end in no uncaught error and leave no temporary file', async () => {
  const count = 60;
  const source = ownName();
  const contents = Object.fromEntries(
    // Many and small: what is canceled is calls, and bytes would only take time.
    Array.from({ length: count }, (_, index) => [index, 'x'.repeat(20_000)]),
  );
  const localSource = await localFolder(contents);
  const localTarget = await localFolder({});
  // Directories in the way of a file, one of them with an entry.
  await mkdir(join(localTarget, 'blocked', '7'), { recursive: true });
  await projects.mkdir('blocked/7/inner', { recursive: true });
  await projects.upload(localSource, source, { recursive: true });
  const transfers: Transfers = {
    client: clientOptions(fileServer),
    share: fileServer.projectShare,
    source,
    localSource,
    localTarget,
    count,
    moments: 20,
    seed: randomInt(2 ** 31),
  };
  const script = join(import.meta.dirname, 'support/cancel-transfers.ts');
  const env = { ...process.env, TRANSFERS: JSON.stringify(transfers) };
  // Rejects with what the process wrote to stderr when it ends with an uncaught error.
  const running = promisify(execFile)(process.execPath, [script], { env });
  const { stdout } = await running.catch((cause: Error) => {
    throw new Error(`seed ${transfers.seed}: ${cause.message}`, { cause });
  });
  const result = JSON.parse(stdout) as { canceled: Record<string, number> };
  const failed = ['of the caller', 'of the caller', 'EEXIST', 'EISDIR'];
  expect(result, `seed ${transfers.seed}`).toMatchObject({ failed, left: [] });
  for (const transfer of ['upload', 'download', 'readStreams', 'writeStreams']) {
    expect(result.canceled[transfer], transfer).toBeGreaterThan(0);
  }
  const remote = await tree(fileServer.projectFolder);
  expect(remote.filter((path) => path.includes('~smb-'))).toEqual([]);
});

test('writeFile of a stream that never delivers ends with its signal, and leaves the old file', async () => {
  const name = ownName();
  await projects.writeFile(name, 'old');
  const caller = new AbortController();
  const silent = new Readable({ read: () => {} });
  const writing = projects.writeFile(name, silent, { signal: caller.signal });
  caller.abort();
  await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
  expect(await projects.readFile(name, 'utf8')).toBe('old');
  silent.destroy();
});
