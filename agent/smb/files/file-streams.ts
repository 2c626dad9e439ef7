import { Readable, Writable } from 'node:stream';
import type { SmbFile } from '../calls/file.ts';
import { windowSize } from '../session/pipeline.ts';

/** A file that a stream uses. */
interface StreamFile extends Pick<SmbFile, 'entry' | 'close'> {
  writeAt(position: number, data: Uint8Array): Promise<void>;
  contents(start: number, end: number): AsyncGenerator<Buffer>;
}

export interface ReadStreamOptions {
  start?: number | undefined;
  /** Inclusive, as in `fs`. */
  end?: number | undefined;
}

/** Opens the file with the first read, and closes it at the end, also at an early one. */
export function readStream(
  open: () => Promise<StreamFile>,
  { start = 0, end = Infinity }: ReadStreamOptions,
  signal?: AbortSignal,
): Readable {
  async function* contents() {
    const file = await open();
    try {
      yield* file.contents(start, Math.min(end + 1, file.entry.size));
    } finally {
      await file.close();
    }
  }
  return Readable.from(contents(), { objectMode: false, highWaterMark: 1, ...(signal && { signal }) });
}

/** Several writes are in flight; `finish` is emitted when all are acknowledged and the file is closed. */
export function writeStream(
  open: () => Promise<{ readonly file: StreamFile; readonly start: number }>,
  signal?: AbortSignal,
): Writable {
  let opened: StreamFile | undefined;
  let position = 0;
  const underWay = new Set<Promise<void>>();
  const stream = new Writable({
    highWaterMark: 1,
    ...(signal && { signal }),
    construct: (done) =>
      void report(
        open().then(({ file, start }) => {
          opened = file;
          position = start;
        }),
        // Node would combine it with the reason of the destruction to an AggregateError, which nobody expects.
        (error) => done(stream.destroyed ? undefined : error),
      ),
    write: (chunk: Buffer, _encoding, done) => {
      const written = opened!.writeAt(position, chunk);
      position += chunk.length;
      underWay.add(written);
      // A failed write remains in the set and is reported to the next to wait: a later write or the end.
      written.then(
        () => underWay.delete(written),
        () => {},
      );
      if (underWay.size < windowSize) done();
      else void report(Promise.race(underWay), done);
    },
    final: (done) =>
      void report(
        Promise.all(underWay).then(() => opened!.close()),
        done,
      ),
    destroy: (error, done) =>
      void report(Promise.resolve(opened?.close()), (failure) => done(error ?? failure)),
  });
  return stream;
}

async function report(outcome: Promise<unknown>, done: (error?: Error) => void): Promise<void> {
  try {
    await outcome;
  } catch (error) {
    return done(error as Error);
  }
  done();
}
