/** The library accepts only fragments of a multiple of this, except for the last one (drive rule A7). */
const fragmentMultiple = 320 * 1024;

/**
 * The next byte that the library expects, from `nextExpectedRanges`: `26-` or `26-99`, several of them, in any order. Null
 * when it expects none because it has all bytes. Throws for anything else.
 */
export function nextExpectedByte(ranges: readonly string[]): number | null {
  const starts = ranges.map((range) => /^(\d+)-\d*$/.exec(range)?.[1]);
  if (starts.includes(undefined)) throw new Error(`Not a list of byte ranges: ${JSON.stringify(ranges)}`);
  return starts.length === 0 ? null : Math.min(...starts.map(Number));
}

/** The end (exclusive) of the fragment that begins at `start`: the alignment is of lengths, not of offsets. */
export function fragmentEnd(start: number, size: number, fragmentBytes: number): number {
  if (fragmentBytes <= 0 || fragmentBytes % fragmentMultiple !== 0)
    throw new RangeError(`A fragment of ${fragmentBytes} bytes is not a multiple of ${fragmentMultiple}`);
  return Math.min(start + fragmentBytes, size);
}
