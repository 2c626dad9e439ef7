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

/** What the write buffer of .NET's client holds before it sends the beginning of a chunked body. */
const heldBytes = 4084;

interface Limits {
  /** Of the source, with the frames of its chunks. */
  readonly maxBytes?: number;
  /** Whether both sides send it in chunks. */
  readonly isChunked?: boolean;
}

/**
 * Forwards a body with back-pressure; the caller ends the target. With `pipeline` and a counting stream, the host's own
 * code took three times as long (0.18 s for an upload of 250 MiB, now 0.06), and the host shares its cores with what the
 * benchmarks measure. Each buffer is freed as soon as it is written. The beginning of a chunked body is held until it fills
 * the write buffer of the host's client, and so is each further step.
 *
 * @throws BrokenBody. In that case neither side is closed; the rest of the source is read and discarded.
 */
export async function pump(
  source: Readable,
  target: Writable,
  { maxBytes = Infinity, isChunked = false }: Limits = {},
): Promise<void> {
  const over = Promise.withResolvers<void>();
  let bytes = isChunked ? frameBytes(0) : 0;
  let held = Buffer.alloc(0);
  const send = (chunk: Buffer): void => {
    if (!target.write(chunk, () => free(chunk))) source.pause();
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length + (isChunked ? frameBytes(chunk.length) : 0);
    if (bytes > maxBytes) return over.reject(new BodyTooLarge());
    if (!isChunked || (held.length === 0 && chunk.length >= heldBytes)) return send(chunk);
    held = Buffer.concat([held, chunk]);
    if (held.length < heldBytes) return;
    if (!target.write(held)) source.pause();
    held = Buffer.alloc(0);
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
    if (held.length > 0) target.write(held);
  } finally {
    source.off('data', onData).off('close', sourceBroke).resume();
    target.off('drain', onDrain).off('close', targetBroke);
  }
}

/** The size in hexadecimal digits and two line ends; Node's parser reports each chunk, or each part of one that it received. */
const frameBytes = (length: number): number => length.toString(16).length + 4;
