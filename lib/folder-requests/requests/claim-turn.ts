/**
 * The turn of a claim as the record has it. It names the token and the end of the lease that its claim has got, so it is about
 * that claim only: an instance of an earlier version changes these with its claims and heartbeats, and keeps the column.
 */
import * as z from 'zod';
import type { ClaimTurn } from '../../contract/folder-requests.ts';
import { valueOfJson } from '../../contract/json.ts';

const stored = z.object({
  process: z.string(),
  poll: z.number(),
  token: z.string(),
  leaseEndsAtMs: z.number(),
});

interface Held {
  readonly claimToken: string | null;
  /** JSON of the turn of the last claim that had one. */
  readonly claimTurn: string | null;
  readonly leaseExpiresAtMs: number | null;
}

export const claimTurnOf = (turn: ClaimTurn, token: string, leaseEndsAtMs: number): string =>
  JSON.stringify({ process: turn.process, poll: turn.poll, token, leaseEndsAtMs });

/** How a request that is held relates to a claim of its holder with this turn. */
export type TurnRelation =
  /** This claim has got it. */
  | 'same'
  /** Another process has got it and has not sent a heartbeat, with which an agent begins to work. */
  | 'not_begun'
  | 'other';

export function relationTo(
  { claimToken, claimTurn, leaseExpiresAtMs }: Held,
  { process, poll }: ClaimTurn,
): TurnRelation {
  const { data: last } = stored.safeParse(valueOfJson(claimTurn));
  if (last === undefined || last.token !== claimToken) return 'other';
  if (last.process === process) return last.poll === poll ? 'same' : 'other';
  return last.leaseEndsAtMs === leaseExpiresAtMs ? 'not_begun' : 'other';
}
