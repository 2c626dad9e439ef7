import type { ClaimRouting } from '../../contract/folder-requests.ts';
import type { EventLog } from '../../base/event-log.ts';
import {
  batchesFor,
  drop,
  isRouted,
  type Batch,
  type ClaimCall,
  type ClaimResult,
  type ClaimingAgent,
  type Window,
} from './claim-batches.ts';
import { ClaimWindows } from './claim-windows.ts';
import type { EndedLeases } from './ended-leases.ts';
import { claimed, type StoredFolderRequest } from '../requests/folder-request.ts';
import { certainNow, commitNamed, type QueueParts } from '../table/queue-parts.ts';
import { randomToken } from '../requests/request-id.ts';
import { ShardHeads } from './shard-heads.ts';
import { LostRows, recordBehind, settle } from '../table/settle.ts';
import { maxTransitions, mergingTransition } from '../table/transitions.ts';
import type { StoredRecord } from '../table/rows.ts';

// Under contention each round loses at least one row to another instance; this many rounds are not contention.
const maxRounds = 20;
// How often the remembered heads of the shards may be wrong before all shards are read.
const maxHintedRounds = 3;

/** Assigns claims. Calls that arrive during a cycle wait for the next one and share its reads and its transaction. */
export class ClaimBatcher {
  readonly #parts: QueueParts;
  readonly #leases: EndedLeases;
  readonly #heads: ShardHeads;
  readonly #windows: ClaimWindows;
  readonly #lostRows: LostRows;
  #waiting: ClaimCall[] = [];
  #isRunning = false;

  constructor(parts: QueueParts, leases: EndedLeases) {
    this.#parts = parts;
    this.#leases = leases;
    this.#heads = new ShardHeads(parts.randomBytes);
    this.#windows = new ClaimWindows(parts);
    this.#lostRows = new LostRows(parts);
  }

  claim(
    agent: ClaimingAgent,
    log: EventLog,
    routing?: ClaimRouting,
  ): Promise<ClaimResult<StoredFolderRequest>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ agent, log, routing, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0, maxTransitions);
      try {
        await this.#cycle(calls);
      } catch (error) {
        for (const call of calls) call.reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #cycle(calls: readonly ClaimCall[]): Promise<void> {
    let unserved = calls;
    let laneReads = 0;
    let idleMs = 0;
    const all = await this.#parts.shards.all();
    for (let round = 0; round < maxRounds; round += 1) {
      const [first] = unserved;
      if (!first) return;
      // A remembered head does not say which agents its requests are for.
      const isRoutedRound = unserved.some(isRouted);
      const isHinted = round < maxHintedRounds && !isRoutedRound;
      const shards = (isHinted && this.#heads.shardsFor(unserved.length, this.#parts.clock.now())) || all;
      // Before the windows: a returned request may be older than all that waits, and more may have to be returned.
      if (await this.#leases.return(all, first.log)) continue;
      const { windows, isPartial, ...read } = await this.#windows.read(shards, unserved, laneReads);
      laneReads += read.laneReads;
      const settled = await this.#serve(unserved, windows);
      unserved = unserved.filter((call) => !settled.has(call));
      const isAll = shards.length === all.length;
      if (!isRoutedRound) this.#heads.remember(windows, isAll ? this.#parts.clock.now() : undefined);
      if (isPartial) break;
      if (isAll && windows.every(({ mayHaveMore }) => !mayHaveMore)) {
        idleMs = Math.max(0, this.#leases.quietMs(all));
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
  async #serve(calls: readonly ClaimCall[], windows: readonly Window[]): Promise<ReadonlySet<ClaimCall>> {
    const settled = new Set<ClaimCall>();
    for (;;) {
      const unserved = calls.filter((call) => !settled.has(call));
      if (unserved.length === 0) return settled;
      const batches = batchesFor(unserved, windows);
      if (batches.length === 0) return settled;
      for (const some of await Promise.all(batches.map((batch) => this.#commit(batch)))) {
        for (const call of some) settled.add(call);
      }
    }
  }

  /** @returns the calls that have their result: none if another instance was faster, or a row is not what its record says */
  async #commit(batch: Batch): Promise<readonly ClaimCall[]> {
    const calls = batch.assignments.map(({ call }) => call);
    try {
      const claims = await this.#claimsIn(batch);
      drop(batch);
      const lost: string[] = [];
      const isWritten =
        claims.length > 0 &&
        (await commitNamed(
          this.#parts,
          claims[0]?.to.id ?? '',
          (lastOp) => claims.flatMap(({ from, to }) => mergingTransition(from, to, lastOp)),
          (rowKey) => lost.push(rowKey),
        ));
      if (claims.length < calls.length || !isWritten) batch.window.mayHaveMore = true;
      if (!isWritten) {
        if (lost.length > 0) this.#heads.noteContention(this.#parts.clock.now());
        await this.#lostRows.note(lost, calls[0]!.log);
        return [];
      }
      for (const { to, call } of claims) {
        announce(to, call);
        call.resolve({ claimed: to });
      }
      return claims.map(({ call }) => call);
    } catch (error) {
      drop(batch);
      for (const call of calls) call.reject(error);
      return calls;
    }
  }

  /** By the records: an index row may be outdated, or its record edited by hand. What is not settled becomes so. */
  async #claimsIn({ assignments }: Batch): Promise<readonly Claim[]> {
    const { rules, randomBytes } = this.#parts;
    const limits = { leaseMs: rules.leaseMs, nowMs: await certainNow(this.#parts) };
    const claims = await Promise.all(
      assignments.map(async ({ from, call }): Promise<Claim | undefined> => {
        const record = await recordBehind(this.#parts, from);
        if (record === 'moved') await this.#lostRows.note(from.keys, call.log);
        else if (record === 'unsettled') await settle(this.#parts, from.request.id, call.log, from.keys);
        if (typeof record === 'string') return undefined;
        const holder = { agentId: call.agent.id, claimToken: randomToken(randomBytes) };
        return { from: record, to: claimed(record.request, holder, limits), call };
      }),
    );
    return claims.filter((claim) => claim !== undefined);
  }
}

interface Claim {
  readonly from: StoredRecord;
  readonly to: StoredFolderRequest;
  readonly call: ClaimCall;
}

function announce(
  { id, attempts, updatedAtMs, createdAtMs }: StoredFolderRequest,
  { agent, log }: ClaimCall,
): void {
  log.info('folder_request_claimed', {
    id,
    agent: agent.logName,
    attempts,
    waitedMs: updatedAtMs - createdAtMs,
  });
}
