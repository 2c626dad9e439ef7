import { DirectUploadError } from './direct-upload-error.ts';
import type { Fragment } from './upload-session.ts';

/** What was read of a file, and what has been read again of it. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly digest: string;
  again?: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Reads a file in fragments, and finds out at the end whether all of them are of one state of it. Chromium and Safari do not
 * read a file that has changed since it was chosen. Firefox (153) reads what is there now, up to the size that the file had: of
 * 25 MiB that changed during their upload, 5.3 were stored in the old state and 19.7 in the new one. Only the file as a whole,
 * not a slice of it, shows there that it has become longer.
 */
export class FragmentReader {
  readonly #file: Blob;
  /** Empty if the file was read as one fragment. */
  readonly #parts: Part[] = [];

  constructor(file: Blob) {
    this.#file = file;
  }

  /** @throws DirectUploadError `file_changed`; the signal's reason when it was aborted */
  async read(start: number, end: number, signal: AbortSignal | undefined): Promise<Fragment> {
    const fileSize = this.#file.size;
    const isWhole = start === 0 && end === fileSize;
    const part = isWhole ? this.#file : this.#file.slice(start, end);
    const bytes = await unlessAborted(signal, this.#bytes(start, end, part));
    if (!isWhole) this.#parts.push({ start, end, digest: await digestOf(bytes) });
    return { start, bytes, fileSize };
  }

  /**
   * Reads the file again, if it was read in several fragments: minutes for gigabytes on a file server.
   *
   * @throws DirectUploadError `file_changed`; the signal's reason when it was aborted
   */
  async requireUnchanged(signal: AbortSignal | undefined): Promise<void> {
    if (this.#parts.length === 0) return;
    if (await this.#isComparedAsStream(signal)) return;
    for (const { start, end, digest } of this.#parts) {
      const bytes = await unlessAborted(signal, this.#bytes(start, end, this.#file.slice(start, end)));
      if ((await digestOf(bytes)) !== digest) throw changed();
    }
  }

  /** False where the file cannot be read as a stream: Safari fails at large ones (bug 272600 of WebKit). */
  async #isComparedAsStream(signal: AbortSignal | undefined): Promise<boolean> {
    const reader = this.#file.stream().getReader();
    let at = 0;
    try {
      for (;;) {
        const next = await unlessAborted(
          signal,
          reader.read().catch(() => undefined),
        );
        if (!next) return false;
        if (next.done) break;
        for (const part of this.#parts) await compare(part, at, next.value);
        at += next.value.length;
      }
    } finally {
      // Nobody needs the rest.
      void reader.cancel().catch(() => undefined);
    }
    if (at !== this.#file.size) throw changed();
    return true;
  }

  async #bytes(start: number, end: number, part: Blob): Promise<ArrayBuffer> {
    const bytes = await part.arrayBuffer().catch((error: unknown) => {
      throw changed(error);
    });
    if (bytes.byteLength !== end - start) throw changed();
    return bytes;
  }
}

/** What is read, or the end of waiting for it: a file server that is gone keeps a reader waiting for minutes. */
function unlessAborted<T>(signal: AbortSignal | undefined, reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    void reading.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort));
  });
}

/** Takes what the chunk at this place has of the part, and compares the part once it is complete. */
async function compare(part: Part, at: number, chunk: Uint8Array): Promise<void> {
  const [from, to] = [Math.max(part.start, at), Math.min(part.end, at + chunk.length)];
  if (from >= to) return;
  part.again ??= new Uint8Array(part.end - part.start);
  part.again.set(chunk.subarray(from - at, to - at), from - part.start);
  if (to < part.end) return;
  const digest = await digestOf(part.again.buffer);
  part.again = undefined;
  if (digest !== part.digest) throw changed();
}

const changed = (cause?: unknown): DirectUploadError =>
  new DirectUploadError('file_changed', 'The file has changed or no longer exists. Choose it again.', {
    cause,
  });

const digestOf = async (bytes: ArrayBuffer): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).join();
