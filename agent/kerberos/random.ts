import { randomBytes } from 'node:crypto';

/** So many random bytes. An argument everywhere, so that recorded exchanges can be repeated byte for byte. */
export type Random = (bytes: number) => Buffer;

export const systemRandom: Random = (bytes) => randomBytes(bytes);

/** Even from 0 to 2^30 - 1: positive as a signed number of 32 bits too, which is what some peers read. */
export const random30 = (random: Random) => random(4).readUInt32BE(0) >>> 2;
