import { randomBytes } from 'node:crypto';

/** Returns that many random bytes. Injected everywhere, so that recorded exchanges can be repeated byte for byte. */
export type Random = (bytes: number) => Buffer;

export const systemRandom: Random = (bytes) => randomBytes(bytes);

/** Uniform from 0 to 2^30 - 1: positive as a signed 32-bit number too, which is what some peers read. */
export const random30 = (random: Random) => random(4).readUInt32BE(0) >>> 2;
