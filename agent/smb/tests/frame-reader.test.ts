import { expect, test } from 'vitest';
import { FrameReader } from '../connection/frame-reader.ts';

const framed = (frame: Buffer) => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(frame.length);
  return Buffer.concat([prefix, frame]);
};
const frames = [70, 66, 500, 4096].map((length, index) => Buffer.alloc(length, index + 1));
const stream = Buffer.concat(frames.map(framed));

function read(chunks: Buffer[], limit = 8192): Buffer[] {
  const reader = new FrameReader(limit);
  return chunks.flatMap((chunk) => {
    const received = Buffer.from(chunk);
    // A frame is valid until the next one is requested.
    const complete = Array.from(reader.push(received), (frame) => Buffer.from(frame));
    // As the next read of the socket does.
    received.fill(0xff);
    return complete;
  });
}

test.each([1, 2, 3, 4, 5, 67, 1000, stream.length])(
  'frames are reassembled from chunks of %i bytes',
  (size) => {
    const chunks: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
    expect(read(chunks)).toEqual(frames);
  },
);

test('a frame takes the memory of a larger one before, encrypted or not', () => {
  const encrypted = Buffer.alloc(5000, 1);
  encrypted.writeUInt32BE(0xfd534d42);
  const sent = [encrypted, Buffer.alloc(4000, 2), Buffer.alloc(100, 3), Buffer.alloc(5000, 4), encrypted];
  const memory = new Set<ArrayBufferLike>();
  let number = 0;
  for (const frame of new FrameReader(8192).push(Buffer.concat(sent.map(framed)))) {
    expect(frame).toEqual(sent[number]);
    memory.add(frame.buffer);
    number += 1;
  }
  expect([number, memory.size]).toEqual([sent.length, 1]);
});

test('a NetBIOS keep-alive between frames is ignored', () => {
  const keepAlive = Buffer.from([0x85, 0, 0, 0]);
  expect(read([Buffer.concat([keepAlive, framed(frames[0]!), keepAlive, framed(frames[1]!)])])).toEqual(
    frames.slice(0, 2),
  );
});

test('a NetBIOS rejection is reported as CONNECT_FAILED', () => {
  expect(() => read([Buffer.from('8300000182', 'hex')])).toThrow(
    expect.objectContaining({ code: 'CONNECT_FAILED' }),
  );
});

test.each([
  ['a frame above the limit', '00002001'],
  ['the largest possible length', '00ffffff'],
  ['an empty frame', '00000000'],
  ['a frame too short for a message', '00000041'],
  ['HTTP', Buffer.from('HTTP').toString('hex')],
])('%s is rejected by its prefix alone', (_what, prefix) => {
  expect(() => read([Buffer.from(prefix, 'hex')])).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
});
