import { free } from '../base/free.ts';
import { wrongLength, type AnnouncedLength } from './announced-length.ts';

// Less than what the host takes (FUNCTIONS_REQUEST_BODY_SIZE_LIMIT): above that it answers a bare 500 in our place.
const maxReadBytes = 256 * 1024 * 1024;
const maxDiscardMs = 30_000;
// A caller that has stopped sending waits for the answer.
const maxIdleMs = 1_000;

/** The client went away before its body was complete. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * The body of a request: an operation reads it as far as it likes, and {@link discardRest} the rest. Whoever stops
 * reading does not close it, and several readers take turns.
 */
export class IncomingBody implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #isComplete: () => boolean;
  #readBytes = 0;
  #announced: AnnouncedLength | undefined;

  /**
   * @param source must stay usable when nobody reads on
   * @param isComplete whether everything has come off the wire, read or not
   */
  constructor(source: AsyncIterable<Uint8Array>, isComplete: () => boolean) {
    this.#source = source[Symbol.asyncIterator]();
    this.#isComplete = isComplete;
  }

  /** Reading throws ServiceError `invalid_request` from the byte on that shows another length, or at a shorter end. */
  holdTo(announced: AnnouncedLength | undefined): void {
    this.#announced = announced;
  }

  /** Reading throws RequestAborted when the client has gone. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    // Without `return`, so that leaving a loop leaves the source as it is.
    return { next: () => this.#next() };
  }

  /**
   * Takes what is still to come off the wire, so that the caller can read the answer: the Functions host repeats a
   * request whose connection the worker closes early, and callers see a broken connection instead of the answer.
   *
   * Resolves at the end of the body, or when that takes too long; then reading goes on beside the answer.
   */
  async discardRest(): Promise<void> {
    if (this.#isComplete()) return;
    const enough = Promise.withResolvers<void>();
    const deadline = setTimeout(enough.resolve, maxDiscardMs);
    const idle = setTimeout(enough.resolve, maxIdleMs);
    const read = this.#readOn(() => {
      idle.refresh();
      if (this.#readBytes > maxReadBytes) enough.resolve();
    });
    await Promise.race([read, enough.promise]);
    clearTimeout(deadline);
    clearTimeout(idle);
  }

  async #readOn(onChunk: () => void): Promise<void> {
    try {
      for (let next = await this.#take(); !next.done; next = await this.#take()) {
        free(next.value);
        onChunk();
      }
    } catch {
      // The client has gone; there is nothing left to take.
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    const next = await this.#take();
    const { bytes, header } = this.#announced ?? {};
    if (bytes === undefined || header === undefined) return next;
    if (this.#readBytes > bytes) throw wrongLength(header, `says ${bytes} bytes, and the body has more`);
    if (next.done && this.#readBytes < bytes) {
      throw wrongLength(header, `says ${bytes} bytes, and the body has ${this.#readBytes}`);
    }
    return next;
  }

  async #take(): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await this.#source.next();
      if (!next.done) this.#readBytes += next.value.byteLength;
      return next;
    } catch (cause) {
      throw new RequestAborted('The client went away before its body was complete.', { cause });
    }
  }
}
