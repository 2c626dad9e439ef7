import type { Readable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { free } from '../base/free.ts';

const blockBytes = 256 * 1024;

/**
 * Joins the chunks of a body that are available into blocks, of about 256 KiB for a fast body: TLS delivers 16 KiB at a
 * time, and each would be a separate write. Available bytes are never held back to wait for more.
 *
 * @throws the error that breaks the body, after the bytes before it
 */
export async function* joinedBlocks(body: Readable): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let wake = (): void => undefined;
  const notify = (): void => wake();
  body.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= blockBytes) body.pause();
    notify();
  });
  body.once('end', notify).once('error', notify).once('close', notify);
  for (;;) {
    if (length === 0 && !isOver(body)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    // Includes the chunks that arrive in the same turn of the event loop.
    if (length < blockBytes && !isOver(body)) await nextRound();
    if (length > 0) {
      const block = Buffer.concat(chunks, length);
      for (const chunk of chunks) free(chunk);
      chunks = [];
      length = 0;
      body.resume();
      yield block;
    } else if (isOver(body)) {
      if (body.errored) throw body.errored;
      if (!body.readableEnded) throw new Error('the body ended early');
      return;
    }
  }
}

const isOver = (body: Readable): boolean => body.readableEnded || body.destroyed;
