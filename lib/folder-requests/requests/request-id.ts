/**
 * Ids of folder requests: UUIDv7 (RFC 9562) whose last hex digit is the shard. The id alone determines the
 * partition, so shards can be added at any time and old ids remain valid.
 */
import { v7 } from 'uuid';

export type RandomBytes = (size: number) => Uint8Array;

export const maxShards = 16;

/** Ids of one process are strictly ascending, also within a millisecond: they make the queue FIFO. */
export class RequestIds {
  readonly #randomBytes: RandomBytes;
  #lastMs = 0;
  #sequence = 0;

  constructor(randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
  }

  next(nowMs: number, shard: number): string {
    const random = this.#randomBytes(16);
    if (nowMs > this.#lastMs) {
      this.#lastMs = nowMs;
      // 31 random bits leave 2^31 ids of the same millisecond (or of a clock set back) before the sequence is full.
      this.#sequence = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
    } else {
      this.#sequence += 1;
    }
    const id = v7({ msecs: this.#lastMs, seq: this.#sequence, random });
    return id.slice(0, -1) + shard.toString(16);
  }
}

export const createdAtMsOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** The smallest id of this time or later. */
export function firstIdOf(ms: number): string {
  const time = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

export const shardOf = (id: string): number => Number.parseInt(id.slice(-1), 16);

/** 32 hex digits that sort newest first: the complement of the id. */
export function invertedId(id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = ~bytes[at]!;
  return bytes.toString('hex');
}

/** The id of an {@link invertedId}. */
export function idAtPlace(inverted: string): string {
  const digits = invertedId(inverted);
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => digits.slice(from, to)).join('-');
}

/** Whether a text is a place in a list, as {@link invertedId} writes it. */
export const isInvertedId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** 128 random bits: a claim token, or the name of a transaction. */
export const randomToken = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(16)).toString('base64url');
