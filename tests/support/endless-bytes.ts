import { Readable } from 'node:stream';

/** A stream that never ends, and how many bytes have been read from it so far. */
export function endlessBytes(pieceBytes: number): { stream: Readable; read: () => number } {
  let read = 0;
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      read += pieceBytes;
      this.push(Buffer.alloc(pieceBytes));
    },
  });
  return { stream, read: () => read };
}
