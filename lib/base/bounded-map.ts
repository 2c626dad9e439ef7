/** A map that callers cannot fill: beyond `maxEntries`, the entry that was set longest ago goes. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  /** The newest entry is the last, also if its key has been set before. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#maxEntries) break;
      this.delete(oldest);
    }
    return this;
  }
}
