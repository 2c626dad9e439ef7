import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequest } from '../../wire/create.ts';
import { closeRequest, flushRequest, readRequest, writeRequest } from '../../wire/file-io.ts';
import { previousFile } from '../../wire/file-id.ts';
import type { Request } from '../../wire/header.ts';
import { ControlCode, ioctlRequest } from '../../wire/ioctl.ts';
import {
  dataOf,
  nameOf,
  ownerRights,
  queryDirectory,
  queryInfo,
  type RawShare,
  setInfo,
} from '../support/wire/raw-share.ts';

// How a server responds to single requests: each function does one kind of thing in an empty folder and returns what it saw.
// Two servers that behave alike return equal values. Nothing here says what is right: Samba does.

/** `at(name)` is a path on the share in the folder of this run, `on(name)` the same on the server's disk. */
export interface Place {
  readonly share: RawShare;
  readonly at: (name: string) => string;
  readonly on: (name: string) => string;
}

const access = {
  read: 1,
  write: 2,
  append: 4,
  readAttributes: 0x80,
  writeAttributes: 0x100,
  delete: 0x10000,
};
const option = { directory: 1, file: 0x40, deleteOnClose: 0x1000 };
const infoClass = { basic: 4, rename: 10, disposition: 13, endOfFile: 20 };

type Results = Record<string, unknown>;

async function dispositions({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  for (const [optionName, options] of [
    ['', 0],
    ['directory', option.directory],
    ['file', option.file],
  ] as const)
    for (const kind of ['missing', 'file', 'directory', 'missing\\below', 'file\\below'])
      for (const disposition of [0, 1, 2, 3, 4, 5, 6]) {
        const row = `${optionName} ${kind} ${disposition}`.trim();
        const folder = row.replaceAll(/[ \\]/g, '-');
        await mkdir(join(on(folder), 'directory'), { recursive: true });
        await writeFile(join(on(folder), 'file'), 'old');
        const name = at(`${folder}\\${kind}`);
        const { status, message } = await share.ask(
          createRequest({ name, access: access.read | access.write, share: 7, disposition, options }),
        );
        const isOpen = status === 'SUCCESS';
        results[row] = [
          status,
          isOpen && message.readUInt32LE(68),
          isOpen && [Number(message.readBigUInt64LE(112)), message.readUInt32LE(120)],
          readdirSync(on(folder)).toSorted().join(),
          readFileSync(join(on(folder), 'file'), 'utf8'),
        ];
        if (isOpen) await share.ask(closeRequest(Buffer.from(message.subarray(128, 144))));
      }
  return results;
}

async function shareModes({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  await writeFile(on('file'), 'x');
  const rights = [access.read, access.write, access.delete, access.readAttributes];
  for (const first of rights)
    for (const shared of [0, 1, 2, 4, 7]) {
      const file = await share.open(at('file'), { access: first, share: shared });
      for (const second of rights)
        for (const otherShared of [0, 1, 2, 4, 7])
          results[`${first} ${shared}, then ${second} ${otherShared}`] = await share.tryToOpen(at('file'), {
            access: second,
            share: otherShared,
          });
      await share.ask(closeRequest(file));
    }
  return results;
}

async function deletion({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  const dispose = (file: Buffer, value = 1) => setInfo(file, infoClass.disposition, Buffer.from([value]));
  const attempt = async (name: string, parameters = {}) => {
    const file = await share.open(at(name), parameters);
    results[name] = [(await share.ask(dispose(file))).status, (await share.ask(closeRequest(file))).status];
    results[`${name} exists`] = existsSync(on(name));
  };
  await writeFile(on('a file'), 'x');
  await attempt('a file');
  await mkdir(on('an empty directory'));
  await attempt('an empty directory', { options: option.directory });
  await mkdir(join(on('a full directory'), 'x'), { recursive: true });
  await attempt('a full directory', { options: option.directory });
  await writeFile(on('without the right'), 'x');
  await attempt('without the right', { access: access.read });
  await share.tryToOpen(at('read-only'), { disposition: 2, attributes: 1 });
  await attempt('read-only', { access: access.delete | access.readAttributes });

  await writeFile(on('pending'), 'x');
  const [one, other] = [await share.open(at('pending')), await share.open(at('pending'))];
  await share.ask(dispose(one));
  results['opening what is to be deleted'] = await share.tryToOpen(at('pending'));
  results['creating it'] = await share.tryToOpen(at('pending'), { disposition: 2 });
  results['taking it back'] = (await share.ask(dispose(other, 0))).status;
  results['opening it then'] = await share.tryToOpen(at('pending'));
  await share.ask(dispose(one));
  await share.ask(closeRequest(one));
  results['one handle is closed'] = existsSync(on('pending'));
  await share.ask(closeRequest(other));
  results['all are'] = existsSync(on('pending'));

  await writeFile(on('on close'), 'x');
  const file = await share.open(at('on close'), { options: option.deleteOnClose });
  results['on close'] = [(await share.ask(closeRequest(file))).status, existsSync(on('on close'))];
  results['on close, without the right'] = await share.tryToOpen(at('a full directory'), {
    access: access.read,
    options: option.deleteOnClose,
  });
  return results;
}

function renameRequest(file: Buffer, name: string, replaces: boolean): Request {
  const text = Buffer.from(name, 'utf16le');
  const data = Buffer.alloc(20 + text.length);
  data[0] = replaces ? 1 : 0;
  data.writeUInt32LE(text.length, 16);
  text.copy(data, 20);
  return setInfo(file, infoClass.rename, data);
}

async function renaming({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  for (const replaces of [false, true])
    for (const from of ['file', 'directory'])
      for (const to of [
        'new',
        'FILE',
        'file',
        'directory',
        'other file',
        'OTHER FILE',
        'empty',
        'full',
        'missing\\new',
        'empty\\new',
        'other file\\new',
        'directory\\inside',
        'a?',
        'open file',
      ]) {
        const row = `${from} to ${to}${replaces ? ', replacing' : ''}`;
        const folder = row.replaceAll(/[ \\,?]/g, '-');
        for (const name of ['directory', 'empty', 'full/x'])
          await mkdir(join(on(folder), name), { recursive: true });
        for (const name of ['file', 'other file', 'open file']) await writeFile(join(on(folder), name), name);
        const open = await share.open(at(`${folder}\\open file`), { access: access.read });
        const source = await share.open(at(`${folder}\\${from}`));
        const { status } = await share.ask(renameRequest(source, at(`${folder}\\${to}`), replaces));
        await share.ask(closeRequest(source));
        await share.ask(closeRequest(open));
        results[row] = [status, (readdirSync(on(folder), { recursive: true }) as string[]).toSorted().join()];
      }
  await writeFile(on('right'), 'x');
  const file = await share.open(at('right'), { access: access.read | access.write });
  results['without the right to delete'] = (await share.ask(renameRequest(file, at('left'), false))).status;
  await share.ask(closeRequest(file));
  await mkdir(on('parent'));
  await writeFile(join(on('parent'), 'child'), 'x');
  const child = await share.open(at('parent\\child'));
  const parent = await share.open(at('parent'));
  results['a directory with an open child'] = (
    await share.ask(renameRequest(parent, at('parents'), false))
  ).status;
  for (const handle of [child, parent]) await share.ask(closeRequest(handle));
  return results;
}

async function information({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  await writeFile(on('file'), 'twelve bytes');
  await mkdir(on('directory'));
  for (const kind of ['file', 'directory']) {
    const handle = await share.open(at(kind));
    for (const each of [4, 5, 6, 7, 8, 14, 16, 17, 22, 34, 99]) {
      const { status, message } = await share.ask(queryInfo(handle, 1, each, 1_000));
      results[`${kind} ${each}`] = [status, status === 'SUCCESS' && dataOf(message).length];
      if (status !== 'SUCCESS') continue;
      const data = dataOf(message);
      if (each === 5)
        results[`${kind}: size, deletion, kind`] = [data.readBigUInt64LE(8), data[20], data[21]].map(Number);
      if (each === 8) results[`${kind}: access`] = data.readUInt32LE(0);
      if (each === 4 || each === 34)
        results[`${kind}: attributes in ${each}`] = data.readUInt32LE(each === 4 ? 32 : 48);
      if (each === 22) results[`${kind}: streams`] = data.toString('utf16le', 24);
    }
    for (const each of [3, 4, 5, 7, 99]) {
      const { status, message } = await share.ask(queryInfo(handle, 2, each, 1_000));
      results[`${kind}, file system ${each}`] = [
        status,
        // The name of the file system is the server's own.
        status === 'SUCCESS' && each !== 5 && dataOf(message).length,
      ];
    }
    for (const [type, each, room] of [
      [1, 4, 39],
      [1, 5, 23],
      [1, 6, 7],
      [2, 7, 31],
    ] as const)
      results[`${kind}, ${each} in ${room} bytes`] = (
        await share.ask(queryInfo(handle, type, each, room))
      ).status;
    await share.ask(closeRequest(handle));
    results[`${kind}, closed`] = (await share.ask(queryInfo(handle, 1, 4, 1_000))).status;
  }
  return results;
}

function names(message: Buffer, nameAt: number, lengthAt: number): string[] {
  const found: string[] = [];
  for (let rest = dataOf(message); rest.length > 0; rest = rest.subarray(rest.readUInt32LE(0))) {
    found.push(rest.toString('utf16le', nameAt, nameAt + rest.readUInt32LE(lengthAt)));
    if (rest.readUInt32LE(0) === 0) break;
  }
  return found;
}

async function listing({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  const files = ['a', 'A.TXT', 'b.txt', 'b.tx', 'b.txt.bak', 'Übung.docx', 'x y', 'Datei 10', 'Datei 9'];
  await mkdir(on('empty'));
  await mkdir(join(on('many'), 'sub'), { recursive: true });
  for (const name of files) await writeFile(join(on('many'), name), '');
  const open = (name: string) => share.open(at(name), { options: option.directory });
  for (const pattern of [
    '*',
    '*.*',
    '*.txt',
    '?.txt',
    'b*',
    'B.TXT',
    'übung*',
    '*.',
    '???',
    'none',
    '<.txt',
    'b>txt',
    'Datei ??',
    '*"txt',
    '',
  ]) {
    const directory = await open('many');
    const { status, message } = await share.ask(queryDirectory(directory, { pattern }));
    results[pattern] = status === 'SUCCESS' ? names(message, 64, 60).toSorted() : status;
    results[`${pattern}, again`] = (await share.ask(queryDirectory(directory, { pattern }))).status;
    await share.ask(closeRequest(directory));
  }
  for (const [each, nameAt, lengthAt] of [
    [1, 64, 60],
    [2, 68, 60],
    [3, 94, 60],
    [12, 12, 8],
    [37, 104, 60],
    [38, 80, 60],
    [99, 0, 0],
  ] as const) {
    const directory = await open('many');
    const { status, message } = await share.ask(queryDirectory(directory, { infoClass: each }));
    results[`class ${each}`] = status === 'SUCCESS' ? names(message, nameAt, lengthAt).toSorted() : status;
    await share.ask(closeRequest(directory));
  }
  const directory = await open('many');
  const seen: string[] = [];
  for (let pages = 0; pages < 50; pages += 1) {
    const { status, message } = await share.ask(queryDirectory(directory, { room: 300 }));
    if (status !== 'SUCCESS') {
      results['the end of pages'] = status;
      break;
    }
    seen.push(...names(message, 64, 60));
  }
  results['pages'] = seen.toSorted();
  for (const [name, flags] of [
    ['restart', 1],
    ['reopen', 0x10],
    ['one entry, restart', 3],
  ] as const) {
    const { status, message } = await share.ask(queryDirectory(directory, { flags }));
    results[name] = status === 'SUCCESS' ? names(message, 64, 60).length : status;
  }
  results['too little room'] = (await share.ask(queryDirectory(directory, { room: 60, flags: 1 }))).status;
  await share.ask(closeRequest(directory));
  const empty = await open('empty');
  const { message } = await share.ask(queryDirectory(empty));
  results['empty'] = names(message, 64, 60).toSorted();
  results['empty, again'] = (await share.ask(queryDirectory(empty))).status;
  await share.ask(closeRequest(empty));
  const file = await share.open(at('many\\a'));
  results['listing of a file'] = (await share.ask(queryDirectory(file))).status;
  await share.ask(closeRequest(file));
  return results;
}

async function readingAndWriting({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  await writeFile(on('file'), '0123456789');
  await mkdir(on('directory'));
  const file = await share.open(at('file'));
  const read = async (position: number, length: number, minimum = 0) => {
    const request = readRequest(file, position, length);
    request.message.writeUInt32LE(minimum, 96);
    const { status, message } = await share.ask(request);
    return status === 'SUCCESS' ? message.subarray(80, 80 + message.readUInt32LE(68)).toString() : status;
  };
  for (const [position, length, minimum] of [
    [0, 4, 0],
    [8, 10, 0],
    [8, 10, 5],
    [10, 1, 0],
    [11, 1, 0],
    [1e12, 1, 0],
    [3, 0, 0],
    [20, 0, 0],
  ] as const)
    results[`read ${position} ${length} ${minimum}`] = await read(position, length, minimum);
  const write = async (position: number, text: string, handle = file) => {
    const { status, message } = await share.ask(writeRequest(handle, position, Buffer.from(text)));
    return status === 'SUCCESS' ? message.readUInt32LE(68) : status;
  };
  results['write'] = [await write(2, 'ab'), await write(15, 'cd'), await write(3, ''), await read(0, 100)];
  results['flush'] = (await share.ask(flushRequest(file))).status;
  const size = Buffer.alloc(8);
  for (const bytes of [5, 20, 0]) {
    size.writeBigUInt64LE(BigInt(bytes));
    results[`end of file at ${bytes}`] = [
      (await share.ask(setInfo(file, infoClass.endOfFile, size))).status,
      statSync(on('file')).size,
    ];
  }
  results['end of file in 7 bytes'] = (
    await share.ask(setInfo(file, infoClass.endOfFile, size.subarray(0, 7)))
  ).status;
  await share.ask(closeRequest(file));
  results['closed'] = [await read(0, 1), await write(0, 'x'), (await share.ask(flushRequest(file))).status];
  results['closed twice'] = (await share.ask(closeRequest(file))).status;
  const attributes = Buffer.alloc(40);
  attributes.writeUInt32LE(0x20, 32);
  size.writeBigUInt64LE(3n);
  for (const [name, rights] of Object.entries(access)) {
    await writeFile(on('file'), 'x');
    const handle = await share.open(at('file'), { access: rights });
    results[`with ${name} only`] = [
      (await share.ask(readRequest(handle, 0, 1))).status,
      await write(0, 'x', handle),
      // Samba has no handle of its own system then, and reports NO_MEMORY.
      rights <= access.append && (await share.ask(setInfo(handle, infoClass.endOfFile, size))).status,
      (await share.ask(setInfo(handle, infoClass.basic, attributes))).status,
    ];
    await share.ask(closeRequest(handle));
  }
  const directory = await share.open(at('directory'));
  results['read of a directory'] = (await share.ask(readRequest(directory, 0, 1))).status;
  results['write to a directory'] = await write(0, 'x', directory);
  results['end of file of a directory'] = (
    await share.ask(setInfo(directory, infoClass.endOfFile, size))
  ).status;
  await share.ask(closeRequest(directory));
  return results;
}

async function timesAndAttributes({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  await writeFile(on('file'), 'x');
  await mkdir(on('directory'));
  const basic = async (handle: Buffer) => dataOf((await share.ask(queryInfo(handle, 1, 4, 40))).message);
  for (const kind of ['file', 'directory']) {
    const handle = await share.open(at(kind));
    for (const attributes of [2, 1 | 0x20, 0, 4, 0x80, 0x10]) {
      const data = Buffer.alloc(40);
      data.writeUInt32LE(attributes, 32);
      const { status } = await share.ask(setInfo(handle, infoClass.basic, data));
      results[`${kind}, attributes ${attributes}`] = [status, (await basic(handle)).readUInt32LE(32)];
    }
    const data = Buffer.alloc(40);
    const written = 133_000_000_001_234_567n;
    data.writeBigUInt64LE(written, 16);
    results[`${kind}, last write`] = [
      (await share.ask(setInfo(handle, infoClass.basic, data))).status,
      String((await basic(handle)).readBigUInt64LE(16) / 10n),
      Math.floor(statSync(on(kind)).mtimeMs),
    ];
    results[`${kind}, zero leaves it`] = [
      (await share.ask(setInfo(handle, infoClass.basic, Buffer.alloc(40)))).status,
      String((await basic(handle)).readBigUInt64LE(16) / 10n),
    ];
    results[`${kind}, 39 bytes`] = (
      await share.ask(setInfo(handle, infoClass.basic, data.subarray(0, 39)))
    ).status;
    results[`${kind}, unknown class`] = (await share.ask(setInfo(handle, 99, data))).status;
    await share.ask(closeRequest(handle));
  }
  return results;
}

async function serverSideCopies({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  await writeFile(on('source'), '0123456789');
  await writeFile(on('target'), '');
  await mkdir(on('directory'));
  const source = await share.open(at('source'));
  const target = await share.open(at('target'));
  const { message } = await share.ask(
    ioctlRequest(source, ControlCode.requestResumeKey, Buffer.alloc(0), 32),
  );
  const outputAt = message.readUInt32LE(96);
  const key = Buffer.from(message.subarray(outputAt, outputAt + 24));
  results['length of a key'] = message.readUInt32LE(100);
  const copy = async (
    chunks: readonly (readonly [number, number, number])[],
    resumeKey = key,
    to = target,
  ) => {
    const input = Buffer.alloc(32 + chunks.length * 24);
    resumeKey.copy(input);
    input.writeUInt32LE(chunks.length, 24);
    for (const [index, [from, into, length]] of chunks.entries()) {
      input.writeBigUInt64LE(BigInt(from), 32 + index * 24);
      input.writeBigUInt64LE(BigInt(into), 40 + index * 24);
      input.writeUInt32LE(length, 48 + index * 24);
    }
    const reply = await share.ask(ioctlRequest(to, ControlCode.copyChunkWrite, input, 12));
    const at12 = reply.status === 'SUCCESS' ? reply.message.readUInt32LE(96) : 0;
    return [reply.status, at12 && [0, 8].map((each) => reply.message.readUInt32LE(at12 + each))];
  };
  results['two chunks'] = [
    await copy([
      [0, 0, 5],
      [5, 7, 5],
    ]),
    await readFile(on('target'), 'latin1'),
  ];
  results['beyond the end'] = await copy([[5, 0, 6]]);
  results['from beyond the end'] = await copy([[50, 0, 1]]);
  results['without chunks'] = await copy([]);
  results['a chunk without bytes'] = await copy([[0, 0, 0]]);
  results['a large chunk'] = await copy([[0, 0, 1_048_577]]);
  results['many chunks'] = await copy(Array.from({ length: 257 }, () => [0, 0, 1] as const));
  results['unknown key'] = await copy([[0, 0, 1]], Buffer.alloc(24, 7));
  const readable = await share.open(at('target'), { access: access.read });
  results['to a file that may only be read'] = await copy([[0, 0, 1]], key, readable);
  await share.ask(closeRequest(readable));
  await share.ask(closeRequest(source));
  results['key of a closed file'] = await copy([[0, 0, 1]]);
  results['unknown control code'] = (
    await share.ask(ioctlRequest(target, 0x0009_9999, Buffer.alloc(0), 0))
  ).status;
  await share.ask(closeRequest(target));
  return results;
}

async function compounds({ share, at, on }: Place): Promise<Results> {
  const results: Results = {};
  await writeFile(on('file'), 'abc');
  const open = (name: string, disposition = 1) =>
    createRequest({ name: at(name), access: ownerRights, share: 7, disposition, options: 0 });
  const sequences: Readonly<Record<string, readonly Request[]>> = {
    'open, read, close': [open('file'), readRequest(previousFile, 0, 10), closeRequest(previousFile)],
    'open missing, read, close': [
      open('missing'),
      readRequest(previousFile, 0, 10),
      closeRequest(previousFile),
    ],
    'open, read beyond, close': [open('file'), readRequest(previousFile, 50, 1), closeRequest(previousFile)],
    'open, bad class, close': [open('file'), queryInfo(previousFile, 1, 99, 100), closeRequest(previousFile)],
    'open, close, read': [open('file'), closeRequest(previousFile), readRequest(previousFile, 0, 1)],
    'create taken, write, close': [
      open('file', 2),
      writeRequest(previousFile, 0, Buffer.from('x')),
      closeRequest(previousFile),
    ],
  };
  for (const [name, requests] of Object.entries(sequences)) {
    // Only a single request may have its data beside it.
    const whole = requests.map(({ data, ...request }) =>
      data === undefined ? request : { ...request, message: Buffer.concat([request.message, data]) },
    );
    results[name] = (await share.send(whole)).map(nameOf);
  }
  return results;
}

async function badNames({ share, at }: Place): Promise<Results> {
  const results: Results = {};
  for (const name of [
    'a:b',
    'a*',
    'a?',
    'a|b',
    'a<b',
    'a"b',
    'a\\\\b',
    'a\u0001b',
    'n'.repeat(255),
    'n'.repeat(256),
  ])
    results[name] = [
      await share.tryToOpen(at(name), { disposition: 1 }),
      await share.tryToOpen(at(name), { disposition: 3 }),
    ];
  return results;
}

async function wrongHandles({ share, at, on }: Place): Promise<Results> {
  await writeFile(on('file'), 'x');
  const file = await share.open(at('file'));
  const unknown = Buffer.alloc(16, 0x77);
  const results: Results = {
    'unknown handle': (await share.ask(readRequest(unknown, 0, 1))).status,
    'unknown tree': (await share.ask(readRequest(file, 0, 1), 4_711)).status,
    'no previous file': (await share.ask(closeRequest(previousFile))).status,
  };
  await share.ask(closeRequest(file));
  return results;
}

export const behavior: Readonly<Record<string, (place: Place) => Promise<Results>>> = {
  dispositions,
  'share modes': shareModes,
  deletion,
  renaming,
  information,
  listing,
  'reading and writing': readingAndWriting,
  'times and attributes': timesAndAttributes,
  'server-side copies': serverSideCopies,
  compounds,
  'bad names': badNames,
  'wrong handles': wrongHandles,
};
