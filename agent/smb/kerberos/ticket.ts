import type { Key } from './crypto/encryption-types.ts';
import type { KdcReply, ReplyPart } from './messages.ts';
import type { Principal } from './principal.ts';

/** A ticket with the session key that makes it usable. Times are milliseconds since 1970, on the realm's clock. */
export interface Ticket {
  readonly clientRealm: string;
  readonly client: Principal;
  /** The realm whose KDC issued it. */
  readonly realm: string;
  readonly service: Principal;
  readonly ticket: Buffer;
  readonly key: Key;
  readonly startTime: number;
  readonly endTime: number;
  readonly renewTill: number | undefined;
}

export function ticketOf({ clientRealm, client, ticket }: KdcReply, part: ReplyPart): Ticket {
  const { realm, service, key, startTime, endTime, renewTill } = part;
  return { clientRealm, client, realm, service, ticket, key, startTime, endTime, renewTill };
}

const longestMarginMs = 5 * 60_000;

/**
 * When the ticket is too old for new work: five minutes before its end, or the last quarter of a ticket that lives
 * less than twenty minutes.
 */
export function usableUntil({ startTime, endTime }: Pick<Ticket, 'startTime' | 'endTime'>): number {
  return endTime - Math.min(longestMarginMs, (endTime - startTime) / 4);
}

/** Holds one ticket; concurrent callers share one fetch. */
export class TicketSlot {
  #ticket: Ticket | undefined;
  #pending: Promise<Ticket> | undefined;

  /** The ticket if it is still usable at `now`, otherwise what `obtain` makes of the old one. */
  get(now: number, obtain: (old: Ticket | undefined) => Promise<Ticket>): Promise<Ticket> {
    if (this.#pending !== undefined) return this.#pending;
    const old = this.#ticket;
    if (old !== undefined && usableUntil(old) > now) return Promise.resolve(old);
    this.#pending = this.#obtain(() => obtain(old));
    return this.#pending;
  }

  /** The current ticket, usable or not. */
  get held(): Ticket | undefined {
    return this.#ticket;
  }

  forget(): void {
    this.#ticket = undefined;
  }

  async #obtain(obtain: () => Promise<Ticket>): Promise<Ticket> {
    try {
      this.#ticket = await obtain();
      return this.#ticket;
    } finally {
      this.#pending = undefined;
    }
  }
}
