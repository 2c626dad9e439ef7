import { BoundedMap } from '../../base/bounded-map.ts';
import type { ClaimTurn } from '../../contract/folder-requests.ts';
import { odata } from '../../storage/table-rows.ts';
import { applyRepeatedClaim, turnRelation, type StoredFolderRequest } from '../requests/folder-request.ts';
import { randomToken } from '../requests/request-id.ts';
import { serves } from '../requests/routing.ts';
import { partitionOfShard, rowKeys } from '../table/keys.ts';
import { callLimits, certainNow, commitNamed, withinBudget, type QueueParts } from '../table/queue-parts.ts';
import { indexedIn, type StoredRecord } from '../table/rows.ts';
import { recordBehind } from '../table/settle.ts';
import { mergingTransition } from '../table/transitions.ts';
import type { ClaimCall, ClaimResult } from './claim-batches.ts';

type TurnCall = Pick<ClaimCall, 'agent' | 'log' | 'routing' | 'untilMs'> & {
  readonly turn: ClaimTurn;
  readonly mayBeRepeated: boolean;
};
type Result = ClaimResult<StoredFolderRequest>;

// An agent works on one request at a time; another program may work on more.
const maxHeld = 100;
const maxRemembered = 1000;

/**
 * Claims with a turn, whose response can be had again. What the agent holds is read only if that can be so: by a call that says
 * it, the first one of a process here, and one whose turn has got a request here. A read scans all leases of a shard, so the claims
 * of an agent at work cost none.
 */
export class RepeatedClaims {
  readonly #parts: QueueParts;
  /** By agent: the last turn that this instance has responded to. */
  readonly #last = new BoundedMap<string, ClaimTurn & { readonly isClaimed: boolean }>(maxRemembered);
  /** By agent and turn: a repeated call whose first one is still in progress shares its result. */
  readonly #inProgress = new Map<string, Promise<Result>>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /**
   * @param next claims the next request, if there is none to repeat
   * @param announce of a request that a new process of its agent has taken over
   */
  async claim(
    call: TurnCall,
    next: () => Promise<Result>,
    announce: (taken: StoredFolderRequest) => void,
  ): Promise<Result> {
    const { agent, turn } = call;
    const name = JSON.stringify([agent.id, turn.process, turn.poll]);
    const shared = this.#inProgress.get(name);
    if (shared) return shared;
    const result = this.#heldOr(next, call, announce);
    this.#inProgress.set(name, result);
    try {
      const isClaimed = 'claimed' in (await result);
      this.#last.set(agent.id, { ...turn, isClaimed });
      return await result;
    } finally {
      this.#inProgress.delete(name);
    }
  }

  async #heldOr(
    next: () => Promise<Result>,
    call: TurnCall,
    announce: (taken: StoredFolderRequest) => void,
  ): Promise<Result> {
    const held = await this.#held(call, announce);
    return held ? { claimed: held } : next();
  }

  async #held(
    { agent, log, routing, turn, untilMs, mayBeRepeated }: TurnCall,
    announce: (taken: StoredFolderRequest) => void,
  ): Promise<StoredFolderRequest | undefined> {
    const last = this.#last.get(agent.id);
    const isKnown = last?.process === turn.process && !(last.isClaimed && last.poll === turn.poll);
    if (isKnown && !mayBeRepeated) return undefined;
    const leftMs = Math.max(0, untilMs - this.#parts.clock.steady.now());
    const parts = withinBudget(this.#parts, { ...callLimits, ms: Math.min(callLimits.ms, leftMs) });
    const reads = await Promise.all(
      (await parts.shards.all()).map((shard) =>
        parts.shards.ask(parts, shard, ({ table }) =>
          table.rows({
            partition: partitionOfShard(shard),
            ...rowKeys.leased.all,
            limit: maxHeld,
            filter: odata`agentId eq ${agent.id}`,
          }),
        ),
      ),
    );
    const nowMs = await certainNow(parts);
    const rows = Map.groupBy(
      reads
        .flatMap((read) => read?.rows.map(indexedIn) ?? [])
        .filter(({ request }) => serves(routing, request.targetPath)),
      ({ request }) => turnRelation(request, agent.id, turn, nowMs),
    );
    for (const row of [...(rows.get('same') ?? []), ...(rows.get('not_begun') ?? [])]) {
      const record = await recordBehind(parts, row);
      if (typeof record === 'string') continue;
      const held = await this.#takenOver(parts, record, { agent, log, turn });
      if (held === undefined) continue;
      if (held !== record.request) announce(held);
      return held;
    }
    return undefined;
  }

  /** The request itself if it is this call's; undefined if its holder works. */
  async #takenOver(
    parts: QueueParts,
    record: StoredRecord,
    { agent, log, turn }: Pick<TurnCall, 'agent' | 'log' | 'turn'>,
  ): Promise<StoredFolderRequest | undefined> {
    const { leaseMs, maxExpiredLeases } = parts.rules;
    const holder = { agentId: agent.id, claimToken: randomToken(parts.randomBytes), turn };
    const limits = { nowMs: await certainNow(parts), leaseMs, maxExpiredLeases };
    const again = applyRepeatedClaim(record.request, holder, limits);
    if (!again) return undefined;
    if ('repeated' in again) return record.request;
    const { next } = again;
    const { id, attempts } = record.request;
    if (!(await commitNamed(parts, id, (lastOp) => mergingTransition(record, next, lastOp))))
      return undefined;
    log.warn('folder_request_lease_expired', { id, attempts });
    if (next.status !== 'FAILED') return next;
    log.warn('folder_request_failed', { id, attempts, reason: 'lease_expired' });
    return undefined;
  }
}
