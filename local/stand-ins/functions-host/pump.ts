import type { Readable, Writable } from 'node:stream';
import { free } from '../../../lib/base/free.ts';

/** A body did not arrive completely; `side` aborted it. */
export class BrokenBody extends Error {
  readonly side: 'source' | 'target';
  constructor(side: 'source' | 'target', message: string) {
    super(message);
    this.side = side;
  }
}

/** The source has more bytes than allowed. */
export class BodyTooLarge extends BrokenBody {
  constructor() {
    super('source', 'Request body too large.');
  }
}

/**
 * Forwards a body with back-pressure; the caller ends the target. With `pipeline` and a counting stream, the host's own
 * code took three times as long (0.18 s for an upload of 250 MiB, now 0.06), and the host shares its cores with what the
 * benchmarks measure. Each buffer is freed as soon as it is written.
 *
 * @throws BrokenBody. In that case neither side is closed; the rest of the source is read and discarded.
 */
export async function pump(source: Readable, target: Writable, limitBytes = Infinity): Promise<void> {
  const over = Promise.withResolvers<void>();
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limitBytes) over.reject(new BodyTooLarge());
    else if (!target.write(chunk, () => free(chunk))) source.pause();
  };
  const onDrain = (): void => void source.resume();
  const sourceBroke = (): void => over.reject(new BrokenBody('source', 'the source broke off'));
  const targetBroke = (): void => over.reject(new BrokenBody('target', 'the target broke off'));
  if (target.destroyed) targetBroke();
  if (source.readableAborted || source.destroyed) sourceBroke();
  source.once('end', over.resolve).once('close', sourceBroke).on('error', sourceBroke).on('data', onData);
  target.on('drain', onDrain).once('close', targetBroke).on('error', targetBroke);
  try {
    await over.promise;
  } finally {
    source.off('data', onData).off('close', sourceBroke).resume();
    target.off('drain', onDrain).off('close', targetBroke);
  }
}
