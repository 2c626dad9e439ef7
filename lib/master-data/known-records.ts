/**
 * What all records of a table were when they were read: a fingerprint of each, and the ids by external id. 50,000 contacts
 * take some 10 MB for the minutes of a synchronization.
 */
export class KnownRecords {
  readonly #fingerprints = new Map<string, string>();
  readonly #idsByExternalId = new Map<string, string>();
  readonly #uncertain = new Set<string>();
  readonly #uncertainExternalIds = new Set<string>();

  add(
    { id, externalId }: { readonly id: string; readonly externalId: string | null },
    fingerprint: string,
  ): void {
    if (!this.#uncertain.has(id)) this.#fingerprints.set(id, fingerprint);
    if (externalId !== null && !this.#idsByExternalId.has(externalId)) {
      this.#idsByExternalId.set(externalId, id);
    }
  }

  /**
   * Nothing is certain of this record any more.
   *
   * @param externalId that it has got
   */
  forget(id: string, externalId: string | null = null): void {
    this.#uncertain.add(id);
    this.#fingerprints.delete(id);
    if (externalId !== null) this.#uncertainExternalIds.add(externalId);
  }

  /** The id of the record with this external id; `id` is null if there was none. */
  idOf(externalId: string): { readonly isCertain: boolean; readonly id: string | null } {
    const id = this.#idsByExternalId.get(externalId) ?? null;
    const isWritten = id !== null && this.#uncertain.has(id);
    return { isCertain: !isWritten && !this.#uncertainExternalIds.has(externalId), id };
  }

  /** Undefined if there was no such record, or if it has been written since. */
  fingerprintOf(id: string): string | undefined {
    return this.#fingerprints.get(id);
  }

  /** Whether there was no such record, and nothing is known of a write since. */
  hasNone(id: string): boolean {
    return !this.#fingerprints.has(id) && !this.#uncertain.has(id);
  }
}
