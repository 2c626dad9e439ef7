const megabyte = 1_048_576;

/** Small enough for the first requests to complete in time on a disk of 1 MB/s. */
const startBytes = 16 * megabyte;
/** A smaller request is not worth its round trip. */
const leastBytes = megabyte;
/** More than fills any storage for a round trip of 100 ms. */
const mostBytes = 128 * megabyte;
/** Pieces per window: several are in flight, and one of them completes soon. */
const piecesPerWindow = 4;

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Permission to have the server copy a number of bytes. It ends once. */
export interface CopyLease {
  /** The copy completed; its duration determines how much may be in flight. */
  copied(): void;
  /** The copy failed; `isLate` when the server did not respond in time. */
  failed(isLate: boolean): void;
}

/**
 * Bounds how many bytes a server copies at the same time, over all files. Servers accept any amount and process it at
 * the speed of their storage, while each request needs a response in time: 128 MiB outstanding at 2.5 MB/s take 51 s,
 * against a timeout of 30 s. The window therefore follows the duration of requests: it grows by what completed
 * quickly (TCP's slow start) and shrinks in proportion when a request was late.
 */
export class CopyWindow {
  readonly #targetMs: number;
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  #bytes = startBytes;
  #outstanding = 0;
  /** Requests sent before the last reduction carry no information about the reduced window. */
  #reducedAt = -Infinity;

  /** `targetMs`: how long a request should take at most; a fraction of its timeout. */
  constructor(targetMs: number, now: () => number = () => performance.now()) {
    this.#targetMs = targetMs;
    this.#now = now;
  }

  /** How much to request at a time for a large file. */
  pieceBytes(limit: number): number {
    return Math.min(limit, Math.max(leastBytes, Math.floor(this.#bytes / piecesPerWindow)));
  }

  /**
   * Waits, in the order of the calls, until that many more bytes may be in flight. One request of any size is always
   * allowed.
   */
  async acquire(bytes: number): Promise<CopyLease> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      await new Promise<void>((enter) => this.#waiting.push({ bytes, enter }));
    } else this.#outstanding += bytes;
    const sentAt = this.#now();
    // A window that is not used up does not need to grow.
    const isLimited = () => this.#waiting.length > 0 || this.#outstanding > this.#bytes / 2;
    const end = () => {
      this.#outstanding -= bytes;
      this.#admit();
    };
    return {
      copied: () => {
        const tookMs = this.#now() - sentAt;
        if (tookMs > this.#targetMs) this.#reduce(sentAt, this.#targetMs / tookMs);
        else if (tookMs < this.#targetMs / 2 && isLimited())
          this.#bytes = Math.min(mostBytes, this.#bytes + bytes);
        end();
      },
      failed: (isLate) => {
        if (isLate) this.#reduce(sentAt, 1 / 8);
        end();
      },
    };
  }

  #fits(bytes: number): boolean {
    return this.#outstanding === 0 || this.#outstanding + bytes <= this.#bytes;
  }

  #reduce(sentAt: number, factor: number): void {
    if (sentAt < this.#reducedAt) return;
    this.#reducedAt = this.#now();
    this.#bytes = Math.max(leastBytes, this.#bytes * factor);
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#outstanding += next.bytes;
      next.enter();
    }
  }
}
