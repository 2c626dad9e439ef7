import * as fs from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileCalls, SmbClient, type SmbShare } from '../index.ts';
import { clientOptions } from './samba-client.ts';
import type { TestFileServer } from './support/file-server.ts';
import { startFileServer } from './support/start-file-server.ts';

// Each row is called on `fs` and on a share, on the same files: the results, or the code or class of the error, and the
// files afterwards are the same, unless the row says otherwise.

let fileServer: TestFileServer;
let client: SmbClient;
let projects: SmbShare;
let local: string;
/** What `filesIn` returns for the files before a call. */
let unchanged: unknown[];

beforeAll(async () => {
  fileServer = await startFileServer();
  client = new SmbClient(clientOptions(fileServer));
  projects = client.share(fileServer.projectShare);
  local = await mkdtemp(join(tmpdir(), 'fs-'));
  const fixture = join(local, 'fixture');
  writeFixture(fixture);
  unchanged = filesIn(fixture);
});
afterAll(async () => {
  await client?.close();
  await fileServer?.stop();
});

// Synchronous, as in `filesIn`: with promises, and `cp`, the copies of the files took half of the processor time.
function writeFixture(folder: string): void {
  fs.mkdirSync(join(folder, 'dir', 'inner'), { recursive: true });
  fs.mkdirSync(join(folder, 'void'));
  const files = { file: 'Größe', other: 'other', empty: '', 'dir/child': 'child', 'ü b': 'x' };
  for (const [path, text] of Object.entries(files)) {
    fs.writeFileSync(join(folder, path), text);
    fs.utimesSync(join(folder, path), 1_600_000_000, 1_600_000_000);
  }
}

/** Arguments; a text or a buffer that starts with `@` is a path, and a function makes a new one for each call. */
type Arguments = readonly unknown[];
interface Row {
  readonly args: Arguments;
  /** What this package does instead. */
  readonly instead?: string;
}
const lacks = (...args: Arguments): Row => ({ args, instead: 'not supported' });
const differs = (instead: string, ...args: Arguments): Row => ({ args, instead });
const rows = (...all: readonly (Arguments | Row)[]): Row[] =>
  all.map((each) => ('args' in each ? each : { args: each }));

const noPaths = [undefined, null, 7, true, {}, [], Symbol('path')];
/** Rows for a path that comes first, with what follows it. */
const paths = (...rest: Arguments): Row[] =>
  rows(
    ...['file', 'empty', 'ü b', 'dir', 'void', 'missing', 'missing/child'].map((path) => [
      `@${path}`,
      ...rest,
    ]),
    ...['/file', '//dir//child', 'dir/inner/', 'FILE~'].map((path) => [`@${path}`, ...rest]),
    lacks(Buffer.from('@file'), ...rest),
    lacks(new URL('file:///file'), ...rest),
  );
/** Where leaving the path out, or another value in its place, is a fault. */
const faultyPaths = (...rest: Arguments): Row[] => rows(...noPaths.map((path) => [path, ...rest]));

const text = '@file';
const aborted = { signal: AbortSignal.abort() };
const contents: readonly unknown[] = [
  'Größe',
  '',
  Buffer.from('bytes'),
  new Uint16Array([1, 258]),
  new Float64Array([1.5]),
  new DataView(new ArrayBuffer(3), 1),
  ['several ', Buffer.from('pieces')],
  [],
  { buffer: new ArrayBuffer(2), byteOffset: 0, byteLength: 2 },
  () => Readable.from(['streamed ', 'Größe']),
  () => Readable.from([1, 2]),
  () => Readable.from([{}]),
  undefined,
  null,
  7,
  true,
  {},
  [1],
  new Date(0),
];
const writes: Row[] = rows(
  ...['file', 'dir', 'new', 'missing/new', '/new', 'dir//new'].map((path) => [`@${path}`, 'x']),
  ...contents.map((each) => [text, each]),
  ...['latin1', 'base64', 'hex', 'utf16le', 'nothing', null, undefined, ''].flatMap((encoding) => [
    [text, '4772', encoding],
    [text, '4772', { encoding }],
  ]),
  [text, 'x', { flag: 'a' }],
  [text, 'x', { flag: 'wx' }],
  ['@new', 'x', { flag: 'wx' }],
  [text, 'x', { flag: 'zz' }],
  [text, 'x', { flag: {} }],
  [text, 'x', aborted],
  [text, 'x', { signal: 7 }],
  [text, 'x', 7],
  lacks(text, 'x', { flag: 'r+' }),
  lacks(text, 'x', { flag: 'a+' }),
  lacks(text, 'x', { mode: 0o600 }),
  lacks(text, 'x', { flush: true }),
  lacks(Buffer.from('@file'), 'x'),
  ...faultyPaths('x'),
);
const times = [
  new Date(0),
  1_700_000_000,
  1.5,
  0,
  NaN,
  Infinity,
  '1',
  '2020-01-01',
  null,
  undefined,
  {},
  5n,
  true,
];

/** More rows for calls whose path may be left out, and whose options have nothing that both sides support. */
const optionalPath: Row[] = rows(
  ...noPaths.filter((path) => path !== undefined).map((path) => [path]),
  [text, undefined],
  ...[null, 7, 'utf8', true, []].map((options) => lacks(text, options)),
  ...['dir/child', 'dir/inner', 'dir/missing', '/dir//child', 'void/', 'DIR~'].map((path) => [
    `@${path}`,
    {},
  ]),
);

const table: Record<string, Row[]> = {
  access: [
    ...paths(),
    ...faultyPaths(),
    ...rows(...[0, 2, 4, 6, 8, -1, NaN, '4', {}, true].map((mode) => [text, mode])),
    ...rows(['@missing', 4], ['@dir', 6], lacks('@dir', 1), differs('ENOENT', '@file/child')),
  ],
  appendFile: writes.filter(({ args }) => args[2] === undefined || !(args[2] as { flag?: unknown })?.flag),
  copyFile: rows(
    ...['file', 'missing', 'dir', '/file', 'dir/child'].map((path) => [`@${path}`, '@new']),
    ...['other', 'missing/new', 'dir/new', 'dir//new'].map((path) => [text, `@${path}`]),
    ...[0, 1, 2, 3, 8, -1, NaN, '1'].map((mode) => [text, '@other', mode]),
    differs('RangeError', text, '@other', 1.5),
    // The copy would take the place of its open source.
    differs('EACCES', text, text),
    ...[1, 3].map((mode) => [text, '@new', mode]),
    differs('EEXIST', text, '@dir'),
    lacks(text, '@other', 4),
    lacks(Buffer.from('@file'), '@new'),
    lacks(text, Buffer.from('@new')),
    ...faultyPaths('@new'),
    ...noPaths.map((path) => [text, path]),
  ),
  cp: rows(
    ...['file', 'missing', 'dir', '/file', 'dir/child'].map((path) => [`@${path}`, '@new']),
    ...['other', 'dir/new', 'dir//new'].map((path) => [text, `@${path}`]),
    ...['dir', 'void', 'dir/', 'missing', 'file'].map((path) => [`@${path}`, '@new', { recursive: true }]),
    ['@dir', '@void', { recursive: true }],
    differs('INVALID_ARGUMENT', '@dir', '@dir/inner/deep', { recursive: true }),
    [text, '@new', { recursive: 'yes' }],
    [text, '@new', { filter: 7 }],
    ['@dir', '@new', { recursive: true, filter: (path: string) => !path.endsWith('child') }],
    differs('EEXIST', text, '@dir'),
    differs('ENOTDIR', '@dir', text, { recursive: true }),
    lacks(text, '@other', { force: false }),
    lacks(text, '@other', { errorOnExist: true }),
    lacks(text, '@new', { dereference: true }),
    lacks(text, '@new', { mode: 1 }),
    lacks(Buffer.from('@file'), '@new'),
    ...faultyPaths('@new'),
  ),
  lstat: [
    ...paths(),
    ...optionalPath,
    ...rows([text, {}], lacks(text, { bigint: true }), differs('ENOENT', '@file/child')),
  ],
  mkdir: rows(
    ...['new', 'file', 'dir', 'missing/new', '/new', 'dir//new', 'new/', 'dir/new'].map((path) => [
      `@${path}`,
    ]),
    ...['new', 'a/b/c', 'dir', 'dir/x/y', '/a/b'].map((path) => [`@${path}`, { recursive: true }]),
    ['@new', {}],
    ['@new', { recursive: false }],
    ['@new', { recursive: 'yes' }],
    ['@new', { recursive: 1 }],
    differs('ENOENT', '@file/new'),
    ['@file/new', { recursive: true }],
    differs('ENOTDIR', text, { recursive: true }),
    lacks('@new', 0o755),
    lacks('@new', '755'),
    lacks('@new', { mode: 0o755 }),
    lacks(Buffer.from('@new')),
    ...faultyPaths(),
  ),
  open: [
    ...paths('r+'),
    ...faultyPaths(),
    ...rows(
      ...['r', 'r+', 'w', 'wx', 'a', 'zz', ''].map((flag) => ['@new', flag]),
      ...['r', 'r+', 'w', 'wx', 'a', 'zz', {}].map((flag) => [text, flag]),
      ...['w+', 'wx+', 'a+', 'ax', 'rs+'].map((flag) => lacks('@new', flag)),
      lacks(text, 2),
      lacks('@new', 'w', 0o600),
    ),
  ],
  opendir: [
    ...paths(),
    ...optionalPath,
    ...rows(['@dir', {}], lacks('@dir', { recursive: true }), lacks('@dir', { bufferSize: 9 })),
  ],
  readFile: [
    ...paths(),
    ...faultyPaths(),
    ...rows(
      ...['utf8', 'latin1', 'base64', 'hex', 'nothing', null, undefined, ''].flatMap((encoding) => [
        [text, encoding],
        [text, { encoding }],
      ]),
      [text, 7],
      [text, aborted],
      [text, { signal: 'x' }],
      [text, { flag: 'r' }],
      [text, { encoding: 'utf8', flag: 'r' }],
      [text, { encoding: 'hex', flag: undefined }],
      lacks(text, { flag: 'r+' }),
      lacks(text, { flag: 'a+' }),
    ),
  ],
  readdir: [
    ...paths(),
    ...faultyPaths(),
    ...rows(
      ['@dir', 'utf8'],
      ['@dir', null],
      ['@dir', {}],
      ['@dir', { encoding: 'utf8' }],
      ['@dir', { encoding: null }],
      ['@dir', { withFileTypes: true }],
      ['@dir', { withFileTypes: false }],
      ['@void', { withFileTypes: true }],
      ['@missing', { withFileTypes: true }],
      lacks('@dir', 'buffer'),
      lacks('@dir', 'hex'),
      lacks('@dir', { encoding: 'buffer' }),
      lacks('@dir', { recursive: true }),
    ),
  ],
  rename: rows(
    ...['file', 'dir', 'void', 'missing', 'ü b', '/file', 'dir/child', 'dir/'].map((path) => [
      `@${path}`,
      '@new',
    ]),
    ...['other', 'file', 'missing/new', 'dir/new', '/dir//new', 'FILE'].map((path) => [text, `@${path}`]),
    ['@dir', '@dir'],
    differs('EEXIST', text, '@dir'),
    differs('EEXIST', '@dir', text),
    ['@dir', '@void'],
    ['@missing', '@missing/x'],
    lacks(Buffer.from('@file'), '@new'),
    lacks(text, Buffer.from('@new')),
    ...faultyPaths('@new'),
    ...noPaths.map((path) => [text, path]),
  ),
  rm: [
    ...paths(),
    ...faultyPaths(),
    ...rows(
      ...['file', 'dir', 'void', 'missing', 'missing/child'].map((path) => [`@${path}`, { recursive: true }]),
      ...['file', 'missing', 'missing/child', 'dir'].map((path) => [`@${path}`, { force: true }]),
      ...['dir', 'missing'].map((path) => [`@${path}`, { force: true, recursive: true }]),
      [text, { recursive: 'yes' }],
      [text, { force: 1 }],
      lacks(text, { maxRetries: 3 }),
      lacks(text, { retryDelay: 3 }),
    ),
  ],
  rmdir: [
    ...paths(),
    ...faultyPaths(),
    ...rows(
      ...[{}, undefined, null, 7, 'x', []].map((options) => ['@void', options]),
      ...['dir/inner', '/void', 'void/', 'dir//inner/', 'void/missing'].map((path) => [`@${path}`]),
      lacks('@void', { maxRetries: 3 }),
    ),
  ],
  stat: [
    ...paths(),
    ...optionalPath,
    ...rows([text, {}], lacks(text, { bigint: true }), differs('ENOENT', '@file/child')),
  ],
  statfs: [...paths(), ...optionalPath, ...rows([text, {}], lacks(text, { bigint: true }))],
  unlink: [
    ...paths(),
    ...faultyPaths(),
    ...rows(
      ...['dir/child', '/dir//child', 'dir/inner', 'dir/missing', 'void/', 'DIR~', ' file', 'file '].map(
        (path) => [`@${path}`],
      ),
      differs('ENOENT', '@file/child'),
      // A separator at the end makes no difference.
      differs('undefined', '@dir/child/'),
    ),
  ],
  utimes: rows(
    ...['file', 'dir', 'missing', '/file', 'dir//child'].map((path) => [
      `@${path}`,
      1_600_000_000,
      new Date(5e11),
    ]),
    ...times.filter((time) => time !== '1').map((time) => [text, time, 1_650_000_000]),
    ...times.filter((time) => time !== '1').map((time) => [text, 1_650_000_000, time]),
    lacks(text, '1', 1),
    differs('RangeError', text, -1, 1),
    differs('RangeError', text, new Date(NaN), 1),
    ...faultyPaths(1, 1),
  ),
  writeFile: writes,
};

const streams: Record<string, Row[]> = {
  createReadStream: [
    ...paths(),
    ...rows(
      ...['utf8', 'latin1', 'base64', 'nothing'].map((encoding) => [text, encoding]),
      ...['hex', 'nothing', 7].map((encoding) => [text, { encoding }]),
      ...[0, 2, 99, -1, 1.5, NaN, '2', {}].map((start) => [text, { start }]),
      ...[0, 2, 99, -1, 1.5, '2'].map((end) => [text, { end }]),
      [text, { start: 1, end: 3 }],
      [text, { start: 3, end: 1 }],
      [text, aborted],
      [text, { signal: 7 }],
      lacks(text, { highWaterMark: 5 }),
      lacks(text, { flags: 'r+' }),
      lacks(text, { autoClose: false }),
    ),
  ],
  createWriteStream: rows(
    ...['file', 'new', 'dir', 'missing/new', '/new', 'dir//new'].map((path) => [`@${path}`]),
    ...['w', 'wx', 'a', 'r+'].map((flags) => [text, { flags }]),
    ...['w', 'wx', 'a', 'r+'].map((flags) => ['@new', { flags }]),
    ...['latin1', 'nothing'].map((encoding) => [text, encoding]),
    ...['hex', 'nothing'].map((encoding) => [text, { encoding }]),
    ...[0, 2].map((start) => [text, { flags: 'r+', start }]),
    ...[-1, 1.5, '2', {}].map((start) => [text, { start }]),
    [text, aborted],
    lacks(text, { highWaterMark: 5 }),
    lacks(text, { mode: 0o600 }),
    lacks(text, { flags: 'a+' }),
    lacks(text, { flush: true }),
  ),
};

/** Methods of an open file; `bytes()` are new for each call. */
const bytes = () => Buffer.from('0123456789');
const handles: Record<string, readonly (Row & { args: Arguments })[]> = {
  read: rows(
    ...[
      [0, 5, 0],
      [2, 3, 1],
      [0, 10, 2],
      [0, 0, 0],
      [undefined, undefined, 1],
      [null, null, 0],
      [0, 5, 99],
    ].map((rest) => [bytes, ...rest]),
    ...[
      [-1, 1, 0],
      [0, 11, 0],
      [0, -1, 0],
      [11, 1, 0],
      [1.5, 1, 0],
      ['0', 1, 0],
    ].map((rest) => [bytes, ...rest]),
    ...[{ position: 1 }, { offset: 2, position: 0 }, { offset: 2, length: 3, position: 1 }].map((o) => [
      bytes,
      o,
    ]),
    [bytes, 0, 5, 1.5],
    [bytes, 0, 5, '1'],
    lacks(bytes, 0, 5),
    lacks(bytes, 0, 5, null),
    ...['text', 7, true].map((each) => [each, 0, 1, 0]),
  ),
  write: rows(
    ...[
      [0, 5, 0],
      [2, 3, 1],
      [0, 10, 2],
      [0, 0, 0],
      [undefined, undefined, 1],
      [null, null, 0],
      [0, 5, 9],
    ].map((rest) => [bytes, ...rest]),
    ...[
      [-1, 1, 0],
      [0, 11, 0],
      [0, -1, 0],
      [11, 1, 0],
      [1.5, 1, 0],
      ['0', 1, 0],
    ].map((rest) => [bytes, ...rest]),
    ...[{ position: 1 }, { offset: 2, position: 0 }, { offset: 2, length: 3, position: 1 }].map((o) => [
      bytes,
      o,
    ]),
    ['Größe', 2],
    ['4772', 1, 'hex'],
    ['Größe', 0, 'latin1'],
    differs('TypeError', bytes, 0, '1', 0),
    differs('RangeError', bytes, 0, 5, -1),
    differs('RangeError', 'text', -1),
    lacks(bytes, 0, 5),
    lacks('text'),
    ...[7, true, null, undefined, {}].map((each) => [each, 0, 1, 0]),
  ),
  truncate: rows([], [0], [3], [99], [1.5], ['1'], differs('RangeError', -1)),
  sync: rows([]),
  close: rows([]),
};

/** A copy of the files for `fs` and one on the share. */
interface Copies {
  readonly name: string;
  readonly root: string;
  readonly remote: string;
}
let count = 0;
/** Those of rows that changed nothing: the file system needs 3 ms to make new ones. */
const unchangedCopies: Copies[] = [];

function newCopies(): Copies {
  const name = `row-${(count += 1)}`;
  const copies = { name, root: join(local, name), remote: join(fileServer.projectFolder, name) };
  writeFixture(copies.root);
  writeFixture(copies.remote);
  return copies;
}

const areSame = (some: unknown, others: unknown) => JSON.stringify(some) === JSON.stringify(others);

/**
 * One call on `fs` and one on the share, each on a copy of the files that no other row uses; returns what differs from
 * the row. An aborted stream may still open its file when its row has ended, so its copies are for no other row.
 */
async function compared(
  kind: 'calls' | 'streams',
  { args, instead }: Row,
  onFs: (given: unknown[], root: string) => unknown,
  onShare: (given: unknown[], folder: FileCalls) => unknown,
): Promise<string | undefined> {
  const copies = (kind === 'calls' ? unchangedCopies.pop() : undefined) ?? newCopies();
  const { name, root, remote } = copies;
  const withPaths = (at: (path: string) => string) =>
    args.map((arg) => {
      if (typeof arg === 'function') return (arg as () => unknown)();
      if (Buffer.isBuffer(arg) && arg.toString().startsWith('@'))
        return Buffer.from(at(arg.toString().slice(1)));
      return typeof arg === 'string' && arg.startsWith('@') ? at(arg.slice(1)) : arg;
    });
  const expected = await outcome(root, () =>
    onFs(
      withPaths((path) => `${root}/${path}`),
      root,
    ),
  );
  const actual = await outcome(root, () =>
    onShare(
      withPaths((path) => path),
      projects.folder(name),
    ),
  );
  const row = { args: withPaths((path) => path), fs: expected, ours: actual };
  const difference = (facts: object) => inspect(facts, { depth: 5, breakLength: Infinity });
  const ourFiles = filesIn(remote);
  // A fault of the caller is found before anything is opened.
  const isFault = actual === 'TypeError' || actual === 'not supported' || actual === 'RangeError';
  const filesOfFs = filesIn(root);
  const theirFiles = isFault ? unchanged : filesOfFs;
  if (kind === 'calls' && areSame(filesOfFs, unchanged) && areSame(ourFiles, unchanged))
    unchangedCopies.push(copies);
  const succeeded = typeof expected !== 'string' || expected === 'undefined';
  if ((isFault || (succeeded && instead === undefined)) && !areSame(theirFiles, ourFiles))
    return difference({ ...row, theirFiles, ourFiles });
  if (instead !== undefined)
    return actual === instead && expected !== instead ? undefined : difference({ ...row, instead });
  return areSame(expected, actual) || (expected === 'TypeError' && actual === 'not supported')
    ? undefined
    : difference(row);
}

/** A text for `undefined` and for an error. */
async function outcome(root: string, call: () => unknown): Promise<unknown> {
  try {
    return (await plain(await call(), root)) ?? 'undefined';
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    if (name === 'AbortError') return name;
    if (!(error instanceof TypeError || error instanceof RangeError))
      return code?.replace(/^ERR_FS_(CP_)?/, '');
    if (error instanceof RangeError) return 'RangeError';
    return message.includes('not supported') ? 'not supported' : 'TypeError';
  }
}

/** What is compared of a result. */
async function plain(value: unknown, root: string): Promise<unknown> {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string'
      ? {
          text: value
            .replace(root, '')
            .split(/[\\/]+/)
            .filter(Boolean)
            .join('/'),
        }
      : value;
  }
  if (value instanceof Writable) {
    value.end('text');
    await new Promise((resolve, reject) => value.on('finish', () => resolve(undefined)).on('error', reject));
    return undefined;
  }
  if (value instanceof Readable) {
    const encoding = value.readableEncoding;
    return {
      encoding,
      contents: (encoding ? Buffer.from((await value.toArray()).join('')) : await buffer(value)).toString(
        'hex',
      ),
    };
  }
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if ('bytesRead' in value || 'bytesWritten' in value) return JSON.parse(JSON.stringify(value));
  if ('outcome' in value) return undefined;
  if ('bsize' in value) return 'space';
  if (Array.isArray(value))
    return (await Promise.all(value.map((each) => plain(each, root))))
      .map((each) => JSON.stringify(each))
      .toSorted();
  if (Symbol.asyncIterator in value)
    return plain(await Array.fromAsync(value as AsyncIterable<unknown>), root);
  if (Symbol.asyncDispose in value) {
    await (value as AsyncDisposable)[Symbol.asyncDispose]();
    return { opened: true };
  }
  const { name, size, mtime } = value as fs.Stats & fs.Dirent;
  const entry = value as fs.Stats;
  const isFile = entry.isFile();
  const isDirectory = entry.isDirectory();
  // Only files of the fixture have a known time and size.
  return name === undefined
    ? { isFile, isDirectory, ...(isFile && { size, mtime }) }
    : { name, isFile, isDirectory };
}

function filesIn(folder: string): unknown[] {
  const found = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return found.map((path) => {
    const facts = fs.statSync(join(folder, path));
    const contents = facts.isFile() ? fs.readFileSync(join(folder, path), 'hex') : 'directory';
    const recent = facts.mtimeMs > Date.now() - 3_600_000;
    return [path, contents, recent ? 'now' : facts.mtimeMs];
  });
}

type Calls = Record<string, (...args: unknown[]) => unknown>;
const different = async (
  kind: 'calls' | 'streams',
  all: readonly Row[],
  ...calls: Parameters<typeof compared> extends [string, Row, ...infer Rest] ? Rest : never
) => {
  const found: (string | undefined)[] = [];
  for (let at = 0; at < all.length; at += 8)
    found.push(...(await Promise.all(all.slice(at, at + 8).map((row) => compared(kind, row, ...calls)))));
  return found.filter((each) => each !== undefined);
};

test.each(Object.entries(table))(
  '%s does what fs does, or names what is not supported',
  async (name, all) => {
    const call = (calls: unknown, args: unknown[]) => (calls as Calls)[name]!(...args);
    expect(
      await different(
        'calls',
        all,
        (args) => call(fsPromises, args),
        (args, folder) => call(folder, args),
      ),
    ).toEqual([]);
  },
);

test.each(Object.entries(streams))(
  '%s does what fs does, or names what is not supported',
  async (name, all) => {
    const call = (calls: unknown, args: unknown[]) => (calls as Calls)[name]!(...args);
    expect(
      await different(
        'streams',
        all,
        (args) => call(fs, args),
        (args, folder) => call(folder, args),
      ),
    ).toEqual([]);
  },
);

test.each(Object.entries(handles))(
  '%s of an open file does what fs does, or names what is not supported',
  async (name, all) => {
    const call = async (opening: Promise<unknown>, args: unknown[]) => {
      await using file = (await opening) as AsyncDisposable & Calls;
      return await file[name]!(...args);
    };
    expect(
      await different(
        'calls',
        all,
        (args, root) => call(fsPromises.open(join(root, 'file'), 'r+'), args),
        (args, folder) => call(folder.open('file', 'r+'), args),
      ),
    ).toEqual([]);
  },
);

test('the table has every function of fs that a share has', () => {
  const shared = Object.getOwnPropertyNames(FileCalls.prototype).filter((name) =>
    Object.hasOwn(fsPromises, name),
  );
  expect(Object.keys(table).toSorted()).toEqual(shared.toSorted());
});
