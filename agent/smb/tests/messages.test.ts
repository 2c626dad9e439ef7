import { describe, expect, test } from 'vitest';
import { createRequest } from '../wire/create.ts';
import { readDirectory } from '../wire/directory.ts';
import { joinCompound, readHeader, splitCompound, variablePart } from '../wire/header.ts';
import { renameRequest, setBasicRequest } from '../wire/info.ts';
import { copyChunkRequest, readResumeKey } from '../wire/ioctl.ts';
import { negotiateRequest, readNegotiate } from '../wire/negotiate.ts';
import { readBindAck, readFragment } from '../wire/dce-rpc.ts';
import { readAlternateStreams, readFileSystemSize, readSize } from '../wire/query-info.ts';
import { readShareEnum } from '../wire/srvsvc.ts';
import { offerIn } from './recorded-offer.ts';
import { sessions } from './vectors.ts';

const protocolFault = expect.objectContaining({ code: 'PROTOCOL' });

/** A QUERY_DIRECTORY response around a list. */
function listing(list: Buffer): Buffer {
  const message = Buffer.concat([Buffer.alloc(72), list]);
  message.writeUInt16LE(9, 64);
  message.writeUInt16LE(72, 66);
  message.writeUInt32LE(list.length, 68);
  return message;
}

function entry(name: string, next: number, { size = 0n, attributes = 0x20 } = {}): Buffer {
  const bytes = Buffer.from(name, 'utf16le');
  const result = Buffer.alloc(Math.max(next, 64 + bytes.length));
  result.writeUInt32LE(next, 0);
  result.writeBigUInt64LE(5n, 24);
  result.writeBigUInt64LE(size, 40);
  result.writeUInt32LE(attributes, 56);
  result.writeUInt32LE(bytes.length, 60);
  bytes.copy(result, 64);
  return result;
}

test('a listing returns names as sent, without . and ..', () => {
  const names = ['.', '..', 'a', 'Straße', 'Grün'.normalize('NFD'), '😀', 'x'.repeat(255)];
  const list = names.map((name, index) =>
    entry(name, index === names.length - 1 ? 0 : (64 + name.length * 2 + 7) & ~7, { size: 7n }),
  );
  const entries = readDirectory(listing(Buffer.concat(list)));
  expect(entries.map(({ name }) => name)).toEqual(names.slice(2));
  expect(entries[0]).toMatchObject({ size: 7, writtenAt: 5n });
  expect([entries[0]!.isDirectory(), entries[0]!.isReparsePoint()]).toEqual([false, false]);
});

test('a directory has no size, and a link is a reparse point', () => {
  const [read] = readDirectory(listing(entry('d', 0, { size: 4096n, attributes: 0x410 })));
  expect([read!.size, read!.isDirectory(), read!.isReparsePoint()]).toEqual([0, true, true]);
});

test.each([
  ['an entry that follows itself', entry('aaaa', 8)],
  ['a next entry outside', Buffer.from(entry('aaaa', 72)).fill(0xff, 0, 3)],
  ['a name outside', Buffer.from(entry('aaaa', 0)).fill(0xff, 60, 63)],
  ['a name of an odd length', Buffer.from(entry('aaaa', 0)).fill(3, 60, 61)],
  ['no name', Buffer.from(entry('aaaa', 0)).fill(0, 60, 61)],
  ['half an entry', entry('aaaa', 0).subarray(0, 40)],
  ['a size beyond 2^53', entry('aaaa', 0, { size: 1n << 60n })],
])('a listing with %s is rejected', (_what, list) => {
  expect(() => readDirectory(listing(list))).toThrow(protocolFault);
});

test('a listing that points outside its message is rejected', () => {
  for (const [at, value] of [
    [66, 0xffff],
    [66, 3],
    [68, 0xffff],
  ] as const) {
    const message = listing(entry('a', 0));
    message.writeUInt16LE(value, at);
    expect(() => readDirectory(message), `${at}`).toThrow(protocolFault);
  }
});

test('a compound is padded to 8 bytes except at its end, and can be split again', () => {
  const messages = [66, 67, 72, 73].map((length, index) => Buffer.alloc(length, index + 1));
  for (const message of messages) message.writeUInt32LE(0, 20);
  const { frame, parts } = joinCompound(messages);
  expect(parts.map((part) => part.length)).toEqual([72, 72, 72, 73]);
  expect(splitCompound(frame)).toEqual(parts);
});

test.each([
  ['4', 4],
  ['beyond the end', 1000],
  ['not a multiple of 8', 71],
  ['beyond 2^31', 0xffff_fff8],
])('a compound whose next offset is %s is rejected', (_what, next) => {
  const { frame } = joinCompound([Buffer.alloc(72), Buffer.alloc(72)]);
  frame.writeUInt32LE(next, 20);
  expect(() => splitCompound(frame)).toThrow(protocolFault);
});

test('a compound with more parts than any response has is rejected', () => {
  const { frame } = joinCompound(Array.from({ length: 40 }, () => Buffer.alloc(72)));
  expect(() => splitCompound(frame)).toThrow(protocolFault);
});

test('a message without the response flag, or with an impossible id, is rejected', () => {
  const response = Buffer.from(sessions[0]!.frames[1]!.plain);
  expect(readHeader(response)).toMatchObject({ command: 0, messageId: 0, status: 0 });
  const request = Buffer.from(response);
  request[16] = 0;
  expect(() => readHeader(request)).toThrow(protocolFault);
  const strange = Buffer.from(response);
  strange.fill(0xee, 24, 32);
  expect(() => readHeader(strange)).toThrow(protocolFault);
  for (let length = 0; length < 66; length += 1) {
    expect(() => readHeader(response.subarray(0, length))).toThrow(protocolFault);
  }
});

const recorded = sessions.find(({ label }) => label === '3.1.1 AES-128-GCM')!;
const response = () => Buffer.from(recorded.frames[1]!.plain);
const offer = offerIn(recorded.frames[0]!.plain);

test('NEGOTIATE contexts are 8-byte aligned for any length of the server name', () => {
  for (let length = 1; length <= 16; length += 1) {
    const { message } = negotiateRequest({ ...offer, serverName: 'n'.repeat(length) });
    expect(offerIn(message).serverName).toBe('n'.repeat(length));
    expect(message.readUInt32LE(92) % 8).toBe(0);
  }
});

test('a response cut anywhere is rejected', () => {
  const whole = response();
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => readNegotiate(whole.subarray(0, length), offer), `${length}`).toThrow();
  }
});

test.each([
  ['a dialect that was not offered', (m: Buffer) => m.writeUInt16LE(0x0202, 68)],
  ['the wildcard dialect', (m: Buffer) => m.writeUInt16LE(0x02ff, 68)],
  ['no contexts', (m: Buffer) => m.writeUInt16LE(0, 70)],
  ['another hash', (m: Buffer) => m.writeUInt16LE(2, m.readUInt32LE(124) + 8 + 4)],
])('a response with %s is a downgrade', (_what, change) => {
  const message = response();
  change(message);
  expect(() => readNegotiate(message, offer)).toThrow(expect.objectContaining({ code: 'DOWNGRADE' }));
});

test('algorithms outside the offer are a downgrade', () => {
  const downgrade = expect.objectContaining({ code: 'DOWNGRADE' });
  const others = (['AES-256-CCM', 'AES-256-GCM', 'AES-128-CCM'] as const).filter(
    (name) => name !== recorded.cipher,
  );
  expect(() => readNegotiate(response(), { ...offer, ciphers: others })).toThrow(downgrade);
  expect(() => readNegotiate(response(), { ...offer, signingAlgorithms: ['HMAC-SHA256'] })).toThrow(
    downgrade,
  );
});

describe('NEGOTIATE contexts', () => {
  const first = (m: Buffer): number => m.readUInt32LE(124);
  const next = (m: Buffer, at: number): number => (at + 8 + m.readUInt16LE(at + 2) + 7) & ~7;
  const of = (m: Buffer, type: number): number => {
    let at = first(m);
    while (m.readUInt16LE(at) !== type) at = next(m, at);
    return at;
  };

  test('of one type twice are rejected', () => {
    const message = response();
    message.writeUInt16LE(1, next(message, first(message)));
    expect(() => readNegotiate(message, offer)).toThrow('the same negotiate context twice');
  });

  test('with two ciphers to choose from are rejected', () => {
    const message = response();
    const at = of(message, 2);
    message.writeUInt16LE(6, at + 2);
    message.writeUInt16LE(2, at + 8);
    expect(() => readNegotiate(message, offer)).toThrow('more than one choice');
  });

  test('of a type that this client does not know are left out, whatever they hold', () => {
    const padded = Buffer.concat([response(), Buffer.alloc(-response().length & 7)]);
    const message = Buffer.concat([padded, Buffer.from('6300080000000000', 'hex'), Buffer.alloc(8)]);
    message.writeUInt16LE(message.readUInt16LE(70) + 1, 70);
    expect(readNegotiate(message, offer)).toEqual(readNegotiate(response(), offer));
  });
});

test('a size of a file that is too short is rejected, and an empty part of a message may be anywhere', () => {
  // QUERY_INFO has the shape of QUERY_DIRECTORY.
  expect(() => readSize(listing(Buffer.alloc(8)))).toThrow(protocolFault);
  expect(readSize(listing(Buffer.alloc(24)))).toBe(0);
  expect(variablePart(Buffer.alloc(80), 0, 0, 'a token')).toHaveLength(0);
  for (const at of [0, 63, 79])
    expect(() => variablePart(Buffer.alloc(80), at, 2, 'a token')).toThrow(protocolFault);
});

test.each([92, 96, 100])('a size limit below 4 KiB at %i is rejected', (at) => {
  const message = response();
  message.writeUInt32LE(4095, at);
  expect(() => readNegotiate(message, offer)).toThrow(protocolFault);
  expect(() => readNegotiate(message, offer)).toThrow('size limits of 4095 bytes; at least 4096 are needed');
  message.writeUInt32LE(4096, at);
  readNegotiate(message, offer);
});

test('the name of a CREATE may be empty, and a reservation follows it aligned', () => {
  const base = { access: 1, share: 7, disposition: 1, options: 0 };
  expect(createRequest({ ...base, name: '' }).message).toHaveLength(121);
  for (const name of ['a', 'ab', 'abc', 'abcd']) {
    const { message } = createRequest({ ...base, name, allocation: 0x1_0000_0001 });
    const at = message.readUInt32LE(112);
    expect(at % 8).toBe(0);
    expect(message.readUInt32LE(116)).toBe(message.length - at);
    expect(message.toString('latin1', at + 16, at + 20)).toBe('AlSi');
    expect(message.readBigUInt64LE(at + 24)).toBe(0x1_0000_0001n);
  }
});

test('a short new name is padded to the fixed structure Windows expects', () => {
  const { message } = renameRequest(Buffer.alloc(16), 'a');
  expect(message.readUInt32LE(68)).toBe(24);
  expect(message.readUInt32LE(96 + 16)).toBe(2);
  expect(message).toHaveLength(96 + 24);
});

test('empty attributes are written as NORMAL, omitted ones as unchanged', () => {
  const attributes = (info: Parameters<typeof setBasicRequest>[1]) =>
    setBasicRequest(Buffer.alloc(16), info).message.readUInt32LE(96 + 32);
  expect(attributes({})).toBe(0);
  expect(attributes({ attributes: 0 })).toBe(0x80);
  expect(attributes({ attributes: 0x410 })).toBe(0x80);
  expect(attributes({ attributes: 0x23 })).toBe(0x23);
});

test('a copy is split into chunks of at most 1 MiB that cover it', () => {
  const { message } = copyChunkRequest(Buffer.alloc(16), Buffer.alloc(24, 9), 100, 2_500_000);
  const input = message.subarray(120);
  expect(input.readUInt32LE(24)).toBe(3);
  const chunks = [0, 1, 2].map((index) => {
    const at = 32 + index * 24;
    return [input.readBigUInt64LE(at), input.readBigUInt64LE(at + 8), input.readUInt32LE(at + 16)];
  });
  expect(chunks).toEqual([
    [100n, 100n, 1_048_576],
    [1_048_676n, 1_048_676n, 1_048_576],
    [2_097_252n, 2_097_252n, 402_848],
  ]);
});

test('a resume key that is too short is rejected', () => {
  const message = Buffer.alloc(112 + 20);
  message.writeUInt16LE(49, 64);
  message.writeUInt32LE(112, 96);
  message.writeUInt32LE(20, 100);
  expect(() => readResumeKey(message)).toThrow(protocolFault);
});

describe('the list of shares', () => {
  const uint32 = (...values: readonly number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const text = (characters: string) => {
    const bytes = Buffer.from(`${characters}\0`, 'utf16le');
    const count = bytes.length / 2;
    return Buffer.concat([uint32(count, 0, count), bytes, Buffer.alloc(-bytes.length & 3)]);
  };
  /** Level, container, two entries, their texts, total, no resume handle, success. */
  const results = Buffer.concat([
    uint32(1, 1, 9, 2, 9, 2),
    uint32(9, 0, 9, 9, 0x80000003, 0),
    text('Pläne'),
    text('von allen'),
    text('IPC$'),
    uint32(2, 0, 0),
  ]);
  const fragment = (type: number, flags: number, body: Buffer) => {
    const header = Buffer.alloc(16);
    header.set([5, 0, type, flags, 0x10]);
    header.writeUInt16LE(16 + body.length, 8);
    return Buffer.concat([header, body]);
  };

  test('is read with types and comments', () => {
    expect(readShareEnum(results)).toEqual([
      { name: 'Pläne', type: 'disk', isSpecial: false, comment: 'von allen' },
      { name: 'IPC$', type: 'pipe', isSpecial: true, comment: '' },
    ]);
    expect(readShareEnum(uint32(1, 1, 0, 0, 0, 5))).toBe(5);
  });

  test('cut anywhere, or with false counts, is rejected', () => {
    for (let length = 0; length < results.length; length += 1)
      expect(() => readShareEnum(results.subarray(0, length)), `${length} bytes`).toThrow(protocolFault);
    for (const at of [12, 56]) {
      const changed = Buffer.from(results);
      changed.writeUInt32LE(0x7fff_ffff, at);
      expect(() => readShareEnum(changed), `at ${at}`).toThrow(protocolFault);
    }
  });

  test('arrives in fragments, each a whole message', () => {
    const first = fragment(2, 1, Buffer.concat([Buffer.alloc(8), Buffer.from('one')]));
    const last = fragment(2, 2, Buffer.concat([Buffer.alloc(8), Buffer.from('two')]));
    const read = readFragment(first);
    expect([read.part.toString(), read.isLast]).toEqual(['one', false]);
    expect(readFragment(last).isLast).toBe(true);
    for (let length = 0; length < first.length; length += 1)
      expect(() => readFragment(first.subarray(0, length)), `${length} bytes`).toThrow(protocolFault);
    // Two in one message, a fault, and a length that leaves no room for the header.
    for (const other of [
      Buffer.concat([first, last]),
      fragment(3, 3, Buffer.alloc(16)),
      fragment(2, 3, Buffer.alloc(0)),
    ])
      expect(() => readFragment(other)).toThrow(protocolFault);
  });

  test('is not requested unless the server accepts the interface', () => {
    const results = (result: number) => Buffer.from([1, 0, 0, 0, result, 0, 0, 0]);
    const ack = (result: number, address = 'pipe\0') => {
      const text = Buffer.from(address);
      const length = Buffer.from([text.length, 0]);
      const head = Buffer.concat([Buffer.alloc(8), length, text]);
      return fragment(12, 3, Buffer.concat([head, Buffer.alloc(-head.length & 3), results(result)]));
    };
    readBindAck(ack(0));
    readBindAck(ack(0, '\\PIPE\\srvsvc\0'));
    for (const bad of [
      ack(2),
      ack(0).subarray(0, 30),
      fragment(12, 3, Buffer.alloc(4)),
      fragment(12, 3, Buffer.alloc(10)),
      fragment(13, 3, Buffer.alloc(20)),
    ])
      expect(() => readBindAck(bad)).toThrow(protocolFault);
  });
});

test('the size of a file system that is too short is rejected', () => {
  expect(() => readFileSystemSize(listing(Buffer.alloc(31)))).toThrow(protocolFault);
  expect(readFileSystemSize(listing(Buffer.alloc(32)))).toEqual({ bsize: 0, blocks: 0, bfree: 0, bavail: 0 });
});

describe('the list of streams of a file', () => {
  const stream = (name: string, next: number, nameBytes = name.length * 2) => {
    const bytes = Buffer.from(name, 'utf16le');
    const result = Buffer.alloc(Math.max(next, 24 + bytes.length));
    result.writeUInt32LE(next, 0);
    result.writeUInt32LE(nameBytes, 4);
    bytes.copy(result, 24);
    return result;
  };
  const last = stream(':mark:$DATA', 0);

  test('is read without the contents', () => {
    expect(readAlternateStreams(listing(Buffer.concat([stream('::$DATA', 40), last])))).toEqual([
      ':mark:$DATA',
    ]);
    expect(readAlternateStreams(listing(Buffer.alloc(0)))).toEqual([]);
  });

  test.each([
    ['a name that ends outside', stream(':mark:$DATA', 0, 24)],
    ['a next stream outside', Buffer.from(stream(':mark:$DATA', 48)).fill(0xff, 0, 1)],
    ['a next stream inside of the name', Buffer.concat([stream(':mark:$DATA', 0).fill(40, 0, 1), last])],
    ['half a stream', last.subarray(0, 20)],
  ])('with %s is rejected', (_what, list) => {
    expect(() => readAlternateStreams(listing(list))).toThrow(protocolFault);
  });
});
