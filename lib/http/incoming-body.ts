import { free } from '../base/free.ts';

// Less than the host's limit (FUNCTIONS_REQUEST_BODY_SIZE_LIMIT), above which it responds with a bare 500 itself.
const maxReadBytes = 256 * 1024 * 1024;
const maxDiscardMs = 30_000;
// A caller that has stopped sending waits for the response.
const maxIdleMs = 1_000;

/** The client disconnected before its body was complete. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * The body of a request: an operation reads as much as it needs, and {@link discardRest} reads the rest. A reader that
 * stops does not close it, so several readers can follow each other.
 */
export class IncomingBody implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #isComplete: () => boolean;
  #readBytes = 0;

  /**
   * @param source must remain usable after a reader has stopped
   * @param isComplete whether everything has been received, read or not
   */
  constructor(source: AsyncIterable<Uint8Array>, isComplete: () => boolean) {
    this.#source = source[Symbol.asyncIterator]();
    this.#isComplete = isComplete;
  }

  /** Reading throws RequestAborted when the client has disconnected. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    // Without `return`, because leaving a loop must not close the source.
    return { next: () => this.#take() };
  }

  /**
   * Reads the rest of the body, because otherwise the caller might not get the response: the Functions host repeats a
   * request whose connection the worker closes early, and callers see a broken connection instead of the response.
   *
   * Resolves at the end of the body, or when that takes too long; reading then continues in parallel to the response.
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
      // The client has disconnected; there is nothing left to read.
    }
  }

  async #take(): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await this.#source.next();
      if (!next.done) this.#readBytes += next.value.byteLength;
      return next;
    } catch (cause) {
      throw new RequestAborted('The client disconnected before its body was complete.', { cause });
    }
  }
}
