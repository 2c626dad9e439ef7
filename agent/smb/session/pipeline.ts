import { maxPayloadBytes, type Session } from './session.ts';

/** Pieces of one file in flight at the same time. */
export const windowSize = 8;
/**
 * Contents in flight at the same time, over all files of a server. It bounds memory, and on a slow link the time until
 * the last response (4 MiB take 30 s, the timeout of a request, at 1.1 Mbit/s).
 */
export const bytesInFlight = 4_194_304;

/**
 * Bytes that a server copies by itself at the same time, over all files. Servers accept any amount and copy it at the speed of
 * their storage, while each request needs a response within its timeout of 30 s, for which 0.6 MB/s are enough. A window of up to
 * 128 MiB copied 250 MiB over loopback no faster, and in 0.8 s instead of 1.3 s at a round-trip time of 20 ms; of 4 MiB, it took
 * 2.9 s.
 */
export const bytesCopiedByServer = 16_777_216;
/** Bytes of a request to copy: several are in flight, and one of them completes soon. */
export const serverCopyPieceBytes = bytesCopiedByServer / 4;

export interface Piece {
  position: number;
  length: number;
}

/**
 * The size in which contents are sent or requested: what the server accepts, and at most half of what its credits
 * allow, so that no piece has to wait for all others.
 */
export function pieceBytes(
  { connection, negotiated }: Session,
  direction: 'read' | 'write',
  most = maxPayloadBytes,
): number {
  if (!connection.largeMtu) return 65_536;
  const limit = direction === 'read' ? negotiated.maxReadBytes : negotiated.maxWriteBytes;
  const credits = Math.max(1, Math.floor(connection.credits.largestCharge / 2));
  return Math.min(most, limit, credits * 65_536);
}

/** Cuts `start` to `end` into pieces of `bytes`. */
export function* pieces(start: number, end: number, bytes: number): Generator<Piece> {
  for (let position = start; position < end; position += bytes) {
    yield { position, length: Math.min(bytes, end - position) };
  }
}

/**
 * Runs `perform` for each item with `window` in flight and yields the results in order. When the consumer
 * stops or one fails, it waits for the others and drops their failures.
 */
export async function* ahead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  perform: (item: T) => Promise<R>,
  window = windowSize,
): AsyncGenerator<R> {
  const requested: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const result = perform(item);
      result.catch(() => {});
      requested.push(result);
      if (requested.length >= window) yield await requested.shift()!;
    }
    while (requested.length > 0) yield await requested.shift()!;
  } finally {
    await Promise.allSettled(requested);
  }
}
