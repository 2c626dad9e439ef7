const maxEntries = 5000;

/** One answered request, or part of a $batch. Never holds tokens: queries are left out. */
export interface LoggedRequest {
  host: 'graph' | 'content';
  method: string;
  path: string;
  status: number | null;
  userId: string | null;
  inBatch: boolean;
  requestId: string;
  /** Its place in the longest chain of requests each of which began after an earlier one was answered; from 1. */
  depth: number;
}

/** What clients asked, for tests that count round trips. `status` null: the connection was dropped. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #deepestAnswered = 0;

  /** Depth of a request that begins now. */
  begun(): number {
    return this.#deepestAnswered + 1;
  }

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    this.#deepestAnswered = Math.max(this.#deepestAnswered, entry.depth);
    if (this.#entries.length > maxEntries) this.#entries.shift();
  }

  list(): readonly LoggedRequest[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
    this.#deepestAnswered = 0;
  }
}
