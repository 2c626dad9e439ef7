const maxEntries = 5000;

/** One completed request, or part of a $batch. Contains no tokens, because queries are omitted. */
export interface LoggedRequest {
  host: 'graph' | 'content';
  method: string;
  path: string;
  status: number | null;
  userId: string | null;
  inBatch: boolean;
  requestId: string;
  /** Its position, from 1, in the longest chain of requests that each began after the completion of an earlier one. */
  depth: number;
}

/** The requests of clients, for tests that count round trips. `status` is null for a dropped connection. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  #deepestCompleted = 0;

  /** Depth of a request that starts now. */
  begun(): number {
    return this.#deepestCompleted + 1;
  }

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    this.#deepestCompleted = Math.max(this.#deepestCompleted, entry.depth);
    if (this.#entries.length > maxEntries) this.#entries.shift();
  }

  list(): readonly LoggedRequest[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
    this.#deepestCompleted = 0;
  }
}
