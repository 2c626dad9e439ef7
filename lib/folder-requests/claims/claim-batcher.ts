import type { ClaimRouting, ClaimTurn } from '../../contract/folder-requests.ts';
import { batchesFor, isRouted, type Batch, type ClaimCall, type ClaimResult } from './claim-batches.ts';
import { ClaimWindows } from './claim-windows.ts';
import type { EndedLeases } from './ended-leases.ts';
import { applyClaim, applyRelease, type StoredFolderRequest } from '../requests/folder-request.ts';
import { certainNow, commitNamed, withinBudget, type QueueParts } from '../table/queue-parts.ts';
import { budgetSpent } from '../table/call-budget.ts';
import { ServiceError } from '../../base/service-error.ts';
import { randomToken } from '../requests/request-id.ts';
import { ShardHeads } from './shard-heads.ts';
import { RepeatedClaims } from './repeated-claims.ts';
import type { ShardWindow } from './shard-window.ts';
import { LostRows, recordBehind, settle } from '../table/settle.ts';
import { maxTransitions, mergingTransition, transitionFromRecord } from '../table/transitions.ts';
import type { StoredRecord } from '../table/rows.ts';

// Under contention each round loses at least one row to another instance; this many rounds are not contention.
const maxRounds = 20;
// How often the remembered heads of the shards may be wrong before all shards are read.
const maxHintedRounds = 3;
// Of a cycle with the largest transaction, whose records are point reads.
const cycleLimits = { ms: 12_000, requests: 400 };
// A response takes so long to reach the agent.
const responseMs = 1_000;
const lateReason = 'The storage responded after the agent had stopped waiting for its claim.';

/** Assigns claims. Calls that arrive during a cycle wait for the next one and share its reads and its transaction. */
export class ClaimBatcher {
  readonly #parts: QueueParts;
  readonly #leases: EndedLeases;
  readonly #heads: ShardHeads;
  readonly #windows: ClaimWindows;
  readonly #lostRows: LostRows;
  readonly #repeated: RepeatedClaims;
  #waiting: ClaimCall[] = [];
  #isRunning = false;

  constructor(parts: QueueParts, leases: EndedLeases) {
    this.#parts = parts;
    this.#leases = leases;
    this.#heads = new ShardHeads(parts.randomBytes);
    this.#windows = new ClaimWindows();
    this.#lostRows = new LostRows();
    this.#repeated = new RepeatedClaims(parts);
  }

  async claim(
    { agent, log, routing, turn, mayBeRepeated = false }: ClaimFacts,
    waitMs: number,
  ): Promise<ClaimResult<StoredFolderRequest>> {
    const untilMs = this.#parts.clock.steady.now() + waitMs - responseMs;
    const next = (): Promise<ClaimResult<StoredFolderRequest>> =>
      new Promise((resolve, reject) => {
        this.#waiting.push({ agent, log, routing, turn, untilMs, resolve, reject });
        if (!this.#isRunning) void this.#run();
      });
    if (!turn) return next();
    const call = { agent, log, routing, turn, untilMs, mayBeRepeated };
    return this.#repeated.claim(call, next, (held) => announce(held, call));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const calls = this.#inTime(this.#waiting.splice(0, maxTransitions));
      if (calls.length === 0) continue;
      const leftMs =
        calls.reduce((latestMs, { untilMs }) => Math.max(latestMs, untilMs), 0) -
        this.#parts.clock.steady.now();
      const limits = { ...cycleLimits, ms: Math.min(cycleLimits.ms, leftMs) };
      try {
        await this.#cycle(withinBudget(this.#parts, limits), calls);
      } catch (error) {
        for (const call of calls) call.reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** The calls whose agents still wait; the others end. */
  #inTime(calls: readonly ClaimCall[]): readonly ClaimCall[] {
    const nowMs = this.#parts.clock.steady.now();
    for (const call of calls) if (call.untilMs <= nowMs) call.reject(budgetSpent());
    return calls.filter(({ untilMs }) => untilMs > nowMs);
  }

  async #cycle(parts: QueueParts, calls: readonly ClaimCall[]): Promise<void> {
    let unserved = calls;
    let laneReads = 0;
    let idleMs = 0;
    const all = await parts.shards.all();
    for (let round = 0; round < maxRounds; round += 1) {
      unserved = this.#inTime(unserved);
      const [first] = unserved;
      if (!first) return;
      // A remembered head does not say which agents its requests are for.
      const isRoutedRound = unserved.some(isRouted);
      const isHinted = round < maxHintedRounds && !isRoutedRound;
      const shards = (isHinted && this.#heads.shardsFor(unserved.length, parts.clock.now())) || all;
      // Before the windows: a returned request may be older than all that waits, and more may have to be returned.
      if (await this.#leases.return(parts, all, first.log)) continue;
      const { windows, isPartial, ...read } = await this.#windows.read(parts, shards, unserved, laneReads);
      laneReads += read.laneReads;
      const settled = await this.#serve(parts, unserved, windows);
      unserved = unserved.filter((call) => !settled.has(call));
      const isAll = shards.length === all.length;
      if (!isRoutedRound) this.#heads.remember(windows, isAll ? parts.clock.now() : undefined);
      if (isPartial) break;
      if (isAll && windows.every(({ mayHaveMore }) => !mayHaveMore)) {
        if (parts.shards.areComplete) idleMs = Math.max(0, this.#leases.quietMs(all));
        break;
      }
    }
    for (const call of unserved) call.resolve({ idleMs });
  }

  /**
   * Claims for the calls what is in the windows, until either is used up, and removes it from the windows.
   *
   * @returns the calls that have their result
   */
  async #serve(
    parts: QueueParts,
    calls: readonly ClaimCall[],
    windows: readonly ShardWindow[],
  ): Promise<ReadonlySet<ClaimCall>> {
    const settled = new Set<ClaimCall>();
    for (;;) {
      const unserved = calls.filter((call) => !settled.has(call));
      const batches = batchesFor(unserved, windows);
      if (batches.length === 0) return settled;
      for (const some of await Promise.all(batches.map((batch) => this.#commit(parts, batch)))) {
        for (const call of some) settled.add(call);
      }
    }
  }

  /** @returns the calls that have their result: none if another instance was faster, or a row is not what its record says */
  async #commit(parts: QueueParts, batch: Batch): Promise<readonly ClaimCall[]> {
    const { window, assignments } = batch;
    const calls = assignments.map(({ call }) => call);
    const tried = assignments.map(({ from }) => from);
    try {
      const read =
        (await parts.shards.ask(parts, window.shard, (within) => this.#claimsIn(within, batch))) ?? [];
      window.drop(tried);
      const inTime = this.#inTime(read.map(({ call }) => call));
      const claims = read.filter(({ call }) => inTime.includes(call));
      const lost: string[] = [];
      const isWritten =
        claims.length > 0 &&
        (await commitNamed(
          parts,
          claims[0]?.to.id ?? '',
          (lastOp) => claims.flatMap(({ from, to }) => mergingTransition(from, to, lastOp)),
          (rowKey) => lost.push(rowKey),
        ));
      if (claims.length < calls.length || !isWritten) window.noteUnclaimed();
      const late = read.filter((claim) => !claims.includes(claim)).map(({ call }) => call);
      if (!isWritten) {
        if (lost.length > 0) this.#heads.noteContention(parts.clock.now());
        await this.#lostRows.note(parts, lost, calls[0]!.log);
        return late;
      }
      const nowMs = parts.clock.steady.now();
      for (const claim of claims) {
        const { to, call } = claim;
        announce(to, call);
        if (call.untilMs > nowMs) call.resolve({ claimed: to });
        else void this.#releaseLate(claim);
      }
      return [...late, ...claims.map(({ call }) => call)];
    } catch (error) {
      parts.shards.noteFailure(window.shard, error);
      window.drop(tried);
      for (const call of calls) call.reject(error);
      return calls;
    }
  }

  /** By the records: an index row may be outdated, or its record edited by hand. What is not settled becomes so. */
  async #claimsIn(parts: QueueParts, { assignments }: Batch): Promise<readonly Claim[]> {
    const { rules, randomBytes } = parts;
    const limits = { leaseMs: rules.leaseMs, nowMs: await certainNow(parts) };
    const claims = await Promise.all(
      assignments.map(async ({ from, call }): Promise<Claim | undefined> => {
        const record = await recordBehind(parts, from);
        if (record === 'moved') await this.#lostRows.note(parts, from.keys, call.log);
        else if (record === 'unsettled') await settle(parts, from.request.id, call.log, from.keys);
        if (typeof record === 'string') return undefined;
        const { agent, turn } = call;
        const holder = { agentId: agent.id, claimToken: randomToken(randomBytes), turn };
        return { from: record, to: applyClaim(record.request, holder, limits), call };
      }),
    );
    return claims.filter((claim) => claim !== undefined);
  }

  /** A claim that was written after its agent has stopped waiting. If this fails too, the lease ends it. */
  async #releaseLate({ to, call }: Claim): Promise<void> {
    const { id, agentId, claimToken } = to;
    const parts = withinBudget(this.#parts);
    let isReleased = false;
    try {
      const record = await parts.table.record(id);
      const holder = { agentId: agentId ?? '', claimToken: claimToken ?? '' };
      if (record) {
        const back = applyRelease(record.request, holder, lateReason, await certainNow(parts));
        isReleased =
          'next' in back &&
          (await commitNamed(parts, id, (lastOp) => transitionFromRecord(record, back.next, lastOp)));
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    } finally {
      call.log.warn('folder_request_claimed_late', { id, agent: call.agent.logName, isReleased });
      call.reject(budgetSpent());
    }
  }
}

/** A claim as its agent makes it. */
export interface ClaimFacts extends Pick<ClaimCall, 'agent' | 'log'> {
  /** Absent: the agent serves everything. */
  readonly routing?: ClaimRouting | undefined;
  readonly turn?: ClaimTurn | undefined;
  /** The agent may have made it before, and not have got the response. */
  readonly mayBeRepeated?: boolean;
}

interface Claim {
  readonly from: StoredRecord;
  readonly to: StoredFolderRequest;
  readonly call: ClaimCall;
}

function announce(
  { id, attempts, updatedAtMs, createdAtMs }: StoredFolderRequest,
  { agent, log }: Pick<ClaimCall, 'agent' | 'log'>,
): void {
  log.info('folder_request_claimed', {
    id,
    agent: agent.logName,
    attempts,
    waitedMs: updatedAtMs - createdAtMs,
  });
}
