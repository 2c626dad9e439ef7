const megabyte = 1_048_576;

/** Small enough that the first requests come back in time from a disk of 1 MB/s. */
const startBytes = 16 * megabyte;
/** Below this a request is not worth its round trip. */
const leastBytes = megabyte;
/** More than fills any storage for a round trip of 100 ms. */
const mostBytes = 128 * megabyte;
/** Of the window, so that several are under way and one of them is soon back. */
const piecesPerWindow = 4;

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** The right to have bytes copied by the server. Ends once. */
export interface CopyLease {
  /** Done: what it took decides how much may be under way. */
  copied(): void;
  /** Failed; `isLate` when the server did not answer in time. */
  failed(isLate: boolean): void;
}

/**
 * How many bytes a server is asked to copy at the same time, over all files. Servers take whatever is asked and work it off at
 * the speed of their storage, while each request has to be answered in time: 128 MiB outstanding at 2.5 MB/s are 51 s,
 * against a time-out of 30. So what is outstanding follows the time that requests take: as much more as came back quickly
 * (the slow start of TCP), and in proportion less when it came back late.
 */
export class CopyWindow {
  private readonly targetMs: number;
  private readonly now: () => number;
  private readonly waiting: Waiting[] = [];
  private bytes = startBytes;
  private outstanding = 0;
  /** Requests sent before the last reduction say nothing about what came after it. */
  private reducedAt = -Infinity;

  /** `targetMs`: how long a request should take at most; a fraction of its time-out. */
  constructor(targetMs: number, now: () => number = () => performance.now()) {
    this.targetMs = targetMs;
    this.now = now;
  }

  /** How much to ask for in one request of a large file. */
  pieceBytes(limit: number): number {
    return Math.min(limit, Math.max(leastBytes, Math.floor(this.bytes / piecesPerWindow)));
  }

  /** Waits, first come first served, until that much more may be under way; whatever it is, one request always may. */
  async acquire(bytes: number): Promise<CopyLease> {
    if (this.waiting.length > 0 || !this.fits(bytes)) {
      await new Promise<void>((enter) => this.waiting.push({ bytes, enter }));
    } else this.outstanding += bytes;
    const sentAt = this.now();
    // A window that is not used up is no reason to have a larger one.
    const isLimited = () => this.waiting.length > 0 || this.outstanding > this.bytes / 2;
    const end = () => {
      this.outstanding -= bytes;
      this.admit();
    };
    return {
      copied: () => {
        const tookMs = this.now() - sentAt;
        if (tookMs > this.targetMs) this.reduce(sentAt, this.targetMs / tookMs);
        else if (tookMs < this.targetMs / 2 && isLimited())
          this.bytes = Math.min(mostBytes, this.bytes + bytes);
        end();
      },
      failed: (isLate) => {
        if (isLate) this.reduce(sentAt, 1 / 8);
        end();
      },
    };
  }

  private fits(bytes: number): boolean {
    return this.outstanding === 0 || this.outstanding + bytes <= this.bytes;
  }

  private reduce(sentAt: number, factor: number): void {
    if (sentAt < this.reducedAt) return;
    this.reducedAt = this.now();
    this.bytes = Math.max(leastBytes, this.bytes * factor);
  }

  private admit(): void {
    for (let next = this.waiting[0]; next && this.fits(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.outstanding += next.bytes;
      next.enter();
    }
  }
}
