// How long a request that another instance has returned to its old place may wait behind newer ones.
const defaultMemoryMs = 30_000;
// Agents never use more distinct routings than this.
const maxRoutings = 1000;

interface Start {
  readonly key: string;
  /** When the shard was searched from its head. */
  readonly searchedAtMs: number;
}

/**
 * The position in a shard before which an agent can serve nothing. If thousands of requests for others wait before it, an
 * agent that polls would cause a search of all of them every three seconds; with this memory, twice a minute.
 *
 * New requests sort after every remembered key. A release or requeue returns a request to an older place and clears the
 * memory of its own instance; other instances find such a request when their memory expires.
 */
export class RouteMemory {
  readonly #memoryMs: number;
  readonly #starts = new Map<string, Start>();

  constructor(memoryMs = defaultMemoryMs) {
    this.#memoryMs = memoryMs;
  }

  /** A key before which nothing fits, or undefined: search from the head. */
  startOf(routing: string, shard: number, nowMs: number): string | undefined {
    const start = this.#starts.get(nameOf(routing, shard));
    return start && nowMs - start.searchedAtMs < this.#memoryMs ? start.key : undefined;
  }

  /** Remembers that nothing before `key` fits. */
  remember(routing: string, shard: number, key: string, nowMs: number): void {
    if (this.#memoryMs === 0) return;
    const name = nameOf(routing, shard);
    const before = this.#starts.get(name);
    const isValid = before && nowMs - before.searchedAtMs < this.#memoryMs;
    if (this.#starts.size >= maxRoutings && !before) this.#starts.clear();
    this.#starts.set(name, { key, searchedAtMs: isValid ? before.searchedAtMs : nowMs });
  }

  clear(): void {
    this.#starts.clear();
  }
}

const nameOf = (routing: string, shard: number): string => `${shard.toString(16)} ${routing}`;
