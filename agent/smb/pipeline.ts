import { maxPayloadBytes, type Session } from './session.ts';

/** Pieces of one file under way at the same time. */
export const windowSize = 8;

export interface Piece {
  position: number;
  length: number;
}

/**
 * The size in which contents are sent or asked for: what the server takes, and at most half of what its credits allow,
 * so that no piece has to wait for all others.
 */
export function pieceBytes({ connection, negotiated }: Session, direction: 'read' | 'write'): number {
  if (!connection.largeMtu) return 65_536;
  const limit = direction === 'read' ? negotiated.maxReadBytes : negotiated.maxWriteBytes;
  const credits = Math.max(1, Math.floor(connection.credits.largestCharge / 2));
  return Math.min(maxPayloadBytes, limit, credits * 65_536);
}

/** `start` to `end` cut into pieces of `bytes`. */
export function* pieces(start: number, end: number, bytes: number): Generator<Piece> {
  for (let position = start; position < end; position += bytes) {
    yield { position, length: Math.min(bytes, end - position) };
  }
}

/**
 * `ask` for each item with `windowSize` under way, results in order. When the consumer stops or one fails, the others
 * are waited for and their failures are dropped.
 */
export async function* ahead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  ask: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const asked: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const result = ask(item);
      result.catch(() => {});
      asked.push(result);
      if (asked.length >= windowSize) yield await asked.shift()!;
    }
    while (asked.length > 0) yield await asked.shift()!;
  } finally {
    await Promise.allSettled(asked);
  }
}
