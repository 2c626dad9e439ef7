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
}

/** What clients asked, for tests that count round trips. `status` null: the connection was dropped. */
export class RequestLog {
  #entries: LoggedRequest[] = [];

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length > maxEntries) this.#entries.shift();
  }

  list(): readonly LoggedRequest[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
  }
}
