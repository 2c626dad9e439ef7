/** mulberry32: the same seed gives the same run on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 (included) to 1 (excluded). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

/** Values that length and offset checks tend to get wrong. */
const edges = [
  0, 1, 2, 7, 8, 63, 64, 65, 72, 73, 80, 112, 120, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x10000,
  0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff,
];

type Mutation = (data: Buffer, random: Random) => Buffer;

const field =
  (size: 1 | 2 | 4 | 8): Mutation =>
  (data, random) => {
    if (data.length < size) return data;
    const at = random.below(data.length - size + 1);
    const value = random.pick(edges);
    if (size === 8) data.writeBigUInt64LE(BigInt(value) * (random.next() < 0.5 ? 1n : 0x1_0000_0001n), at);
    else data.writeUIntLE(value % 256 ** size, at, size);
    return data;
  };

const mutations: readonly Mutation[] = [
  (data, random) => {
    for (let count = random.below(8); count >= 0 && data.length > 0; count -= 1) {
      data[random.below(data.length)]! ^= 1 << random.below(8);
    }
    return data;
  },
  field(1),
  field(2),
  field(2),
  field(4),
  field(4),
  field(8),
  (data, random) => data.subarray(0, random.below(data.length + 1)),
  (data, random) => Buffer.concat([data, random.bytes(1 + random.below(200))]),
  (data, random) => {
    const [from, to] = [random.below(data.length + 1), random.below(data.length + 1)];
    const length = random.below(64);
    return Buffer.concat([data.subarray(0, to), data.subarray(from, from + length), data.subarray(to)]);
  },
  (data, random) => {
    const at = random.below(data.length + 1);
    return Buffer.concat([data.subarray(0, at), data.subarray(at + random.below(32))]);
  },
  (data, random) => random.bytes(data.length),
];

/** A copy with one to three mutations; the last one in the list, which is all random bytes, is drawn least often. */
export function mutated(data: Buffer, random: Random): Buffer {
  let result = Buffer.from(data);
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const last = random.next() < 0.02 ? mutations.length : mutations.length - 1;
    result = Buffer.from(mutations[random.below(last)]!(result, random));
  }
  return result;
}
