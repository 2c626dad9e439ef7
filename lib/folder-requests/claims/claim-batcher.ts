import type { ClaimRouting } from '../../contract/folder-requests.ts';
import { rejectedWith } from '../../storage/rejections.ts';
import type { EventLog } from '../../base/event-log.ts';
import {
  batchesFor,
  drop,
  isRouted,
  type Batch,
  type ClaimCall,
  type ClaimResult,
  type ClaimingAgent,
  type Transition,
  type Window,
} from './claim-batches.ts';
import { ClaimWindows } from './claim-windows.ts';
import type { EndedLeases } from './ended-leases.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { certainNow, commitNamed, type QueueParts } from '../table/queue-parts.ts';
import { randomToken } from '../requests/request-id.ts';
import { ShardHeads } from './shard-heads.ts';
import { maxTransitions, transitionFromIndex } from '../table/transitions.ts';

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
  #waiting: ClaimCall[] = [];
  #isRunning = false;

  constructor(parts: QueueParts, leases: EndedLeases) {
    this.#parts = parts;
    this.#leases = leases;
    this.#heads = new ShardHeads(parts.randomBytes);
    this.#windows = new ClaimWindows(parts);
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
    const { rules, randomBytes } = this.#parts;
    const settled = new Set<ClaimCall>();
    for (;;) {
      const unserved = calls.filter((call) => !settled.has(call));
      if (unserved.length === 0) return settled;
      const limits = { leaseMs: rules.leaseMs, nowMs: await certainNow(this.#parts) };
      const batches = batchesFor(unserved, windows, limits, () => randomToken(randomBytes));
      if (batches.length === 0) return settled;
      for (const some of await Promise.all(batches.map((batch) => this.#commit(batch)))) {
        for (const call of some) settled.add(call);
      }
    }
  }

  /** @returns the calls that have their result: none if another instance was faster */
  async #commit(batch: Batch): Promise<readonly ClaimCall[]> {
    const { transitions } = batch;
    const calls = transitions.map(({ call }) => call);
    try {
      const isWritten = await commitNamed(this.#parts, transitions[0]?.to.id ?? '', (lastOp) =>
        transitions.flatMap(({ from, to }) => transitionFromIndex(from, to, lastOp)),
      );
      drop(batch);
      if (!isWritten) {
        this.#heads.noteContention(this.#parts.clock.now());
        batch.window.mayHaveMore = true;
        return [];
      }
      for (const transition of transitions) {
        announce(transition);
        transition.call.resolve({ claimed: transition.to });
      }
      return calls;
    } catch (error) {
      drop(batch);
      // Paths that were changed by hand can be longer than the service accepts.
      if (rejectedWith(error) === 413 && transitions.length > 1) {
        const settled: ClaimCall[] = [];
        for (const one of transitions) {
          for (const call of await this.#commit({ window: batch.window, transitions: [one] })) {
            settled.push(call);
          }
        }
        return settled;
      }
      for (const call of calls) call.reject(error);
      return calls;
    }
  }
}

function announce({ to, call: { agent, log } }: Transition): void {
  const { id, attempts, updatedAtMs, createdAtMs } = to;
  log.info('folder_request_claimed', {
    id,
    agent: agent.logName,
    attempts,
    waitedMs: updatedAtMs - createdAtMs,
  });
}
