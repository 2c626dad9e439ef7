/**
 * The billed time of one instance: it is billed while it executes anything, at least 1,000 ms for each period, and past that
 * rounded up to 100 ms. Calls that run at the same time share a period, and a call that starts within the rounded second
 * belongs to it.
 *
 * Source: "The minimum billable execution period for both execution modes is 1,000 ms. Past that, the billable activity
 * period is rounded up to the nearest 100 ms." learn.microsoft.com/azure/azure-functions/flex-consumption-plan, Billing.
 */
export class BilledTime {
  #finishedMs = 0;
  #startMs = -Infinity;
  #endMs = -Infinity;

  /** In the order of their starts. */
  add(startMs: number, durationMs: number): void {
    if (startMs >= this.#startMs + this.#periodMs()) {
      this.#finishedMs = this.totalMs;
      this.#startMs = startMs;
      this.#endMs = startMs;
    }
    this.#endMs = Math.max(this.#endMs, startMs + durationMs);
  }

  get totalMs(): number {
    return this.#finishedMs + this.#periodMs();
  }

  #periodMs(): number {
    if (this.#startMs === -Infinity) return 0;
    return Math.max(1000, Math.ceil((this.#endMs - this.#startMs) / 100) * 100);
  }
}
