// How long a request that was put back into its old place, by another instance, may wait behind newer ones.
const defaultMemoryMs = 30_000;
// More routings than these are no agents.
const maxRoutings = 1000;

interface Start {
  readonly key: string;
  /** When the shard was searched from its head. */
  readonly searchedAtMs: number;
}

/**
 * Where in a shard the first request may lie that an agent can serve. While thousands wait for others in front of it, an
 * agent that polls would have them all searched every three seconds; with this memory that is done twice a minute.
 *
 * New requests come after every key remembered here. A release or a requeue, which return a request to an older place,
 * clear the memory of their own instance; other instances find such a request when their memory ends.
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

  /** Nothing before `key` fits. */
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
