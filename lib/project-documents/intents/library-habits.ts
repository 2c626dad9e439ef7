// The setting of a library, or its columns, change seldom: what was seen once holds for the uploads of some minutes.
const knownForMs = 10 * 60_000;

/** What the uploads of a process have seen of the library. */
export class LibraryHabits {
  #keepsCheckedIn: number | undefined;

  /** Whether an upload has just shown that files are there for all as soon as they are stored. */
  keepsCheckedIn(nowMs: number): boolean {
    return this.#keepsCheckedIn !== undefined && nowMs - this.#keepsCheckedIn < knownForMs;
  }

  sawLevel(level: string | undefined, nowMs: number): void {
    this.#keepsCheckedIn = level === 'checkout' ? undefined : nowMs;
  }
}
