import { expect, onTestFinished, test, vi } from 'vitest';
import { IncomingBody } from '../../../lib/http/incoming-body.ts';

const mib = 1024 * 1024;

/** A source that counts what was read of it. */
class Source implements AsyncIterable<Uint8Array> {
  read = 0;
  isStopped = false;
  readonly chunk: Uint8Array;

  constructor(chunkBytes: number) {
    // Part of a larger buffer, which the reader doesn't free.
    this.chunk = new Uint8Array(chunkBytes + 1).subarray(1);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (!this.isStopped) {
      await new Promise(setImmediate);
      this.read += 1;
      yield this.chunk;
    }
  }
}

test('of a body that has come completely, nothing is read', async () => {
  const source = new Source(4);
  await new IncomingBody(source, () => true).discardRest();
  expect(source.read).toBe(0);
});

test('of a body without an end, what the host accepts is read before the response, and the rest beside it', async () => {
  const source = new Source(64 * mib);
  await new IncomingBody(source, () => false).discardRest();
  const atResponse = source.read;
  expect(atResponse).toBe(5);
  await expect.poll(() => source.read).toBeGreaterThan(atResponse);
  source.isStopped = true;
});

test('a body that stops coming is waited for a second, not for ever', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { promise: never } = Promise.withResolvers<void>();
  async function* stuck(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('part');
    await never;
  }
  let isOver = false;
  const discarded = new IncomingBody(stuck(), () => false).discardRest().then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await discarded;
});

test('a reader that stops leaves the rest to the next one', async () => {
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (const part of ['one', 'two', 'three']) yield Buffer.from(part);
  }
  const body = new IncomingBody(parts(), () => false);
  const read: string[] = [];
  for await (const part of body) {
    read.push(Buffer.from(part).toString());
    break;
  }
  for await (const part of body) read.push(Buffer.from(part).toString());
  expect(read).toEqual(['one', 'two', 'three']);
});
