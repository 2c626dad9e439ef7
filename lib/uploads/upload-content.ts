/** The bytes of a complete file on its way to the library. Any part of it can be read any number of times. */
export interface UploadContent {
  readonly size: number;
  /** The bytes from `start` up to `end`. Each piece is valid until the next one is requested. */
  read(start: number, end: number): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export const inMemory = (bytes: Uint8Array): UploadContent => ({
  size: bytes.byteLength,
  read: (start, end) => [bytes.subarray(start, end)],
});
