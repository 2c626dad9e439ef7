import type { ClaimRouting } from '../../contract/folder-requests.ts';
import { rejectedWith } from '../../storage/rejections.ts';
import type { EventLog } from '../../base/event-log.ts';
import {
  batchesFor,
  drop,
  isRouted,
  type Batch,
  type ClaimCall,
  type ClaimingAgent,
  type Transition,
  type Window,
} from './claim-batches.ts';
import { ClaimWindows } from './claim-windows.ts';
import type { EndedLeases } from './ended-leases.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { commitNamed, type QueueParts } from '../table/queue-parts.ts';
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

  /** @param idle receives the milliseconds in which no lease ends, if all that is claimable was read and nothing fits */
  claim(
    agent: ClaimingAgent,
    log: EventLog,
    routing?: ClaimRouting,
    idle?: (forMs: number) => void,
  ): Promise<StoredFolderRequest | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ agent, log, routing, idle, resolve, reject });
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
    const unserved = [...calls];
    const all = await this.#parts.shards.all();
    let quietMs = 0;
    for (let round = 0; round < maxRounds; round += 1) {
      const [first] = unserved;
      if (!first) return;
      // A remembered head does not say which agents its requests are for.
      const isHinted = round < maxHintedRounds && !unserved.some(isRouted);
      const shards = (isHinted && this.#heads.shardsFor(unserved.length, this.#parts.clock.now())) || all;
      const [windows, { isAnyReturned, isCurrent }] = await Promise.all([
        this.#windows.read(shards, unserved),
        this.#leases.return(all, first.log),
      ]);
      // A returned request may be older than what was read.
      if (isAnyReturned) continue;
      await this.#serve(unserved, windows);
      const isAll = shards.length === all.length;
      if (!unserved.some(isRouted))
        this.#heads.remember(windows, isAll ? this.#parts.clock.now() : undefined);
      if (isAll && windows.every(({ mayHaveMore }) => !mayHaveMore)) {
        // The windows of the next round are read after the leases.
        if (!isCurrent && unserved.some(({ idle }) => idle)) continue;
        quietMs = this.#leases.quietMs(all);
        break;
      }
    }
    for (const call of unserved) {
      if (quietMs > 0) call.idle?.(quietMs);
      call.resolve(null);
    }
  }

  /** Removes served calls from `unserved` and claimed requests from the windows, until either is empty. */
  async #serve(unserved: ClaimCall[], windows: readonly Window[]): Promise<void> {
    while (unserved.length > 0) {
      const { rules, clock, randomBytes } = this.#parts;
      const limits = { leaseMs: rules.leaseMs, nowMs: clock.now() };
      const batches = batchesFor(unserved, windows, limits, () => randomToken(randomBytes));
      if (batches.length === 0) return;
      await Promise.all(batches.map((batch) => this.#commit(batch, unserved)));
    }
  }

  async #commit(batch: Batch, unserved: ClaimCall[]): Promise<void> {
    const { transitions } = batch;
    const dismiss = (call: ClaimCall): void => void unserved.splice(unserved.indexOf(call), 1);
    try {
      const isWritten = await commitNamed(this.#parts, transitions[0]?.to.id ?? '', (lastOp) =>
        transitions.flatMap(({ from, to }) => transitionFromIndex(from, to, lastOp)),
      );
      if (!isWritten) {
        this.#heads.contended(this.#parts.clock.now());
        drop(batch);
        batch.window.mayHaveMore = true;
        return;
      }
      drop(batch);
      for (const transition of transitions) {
        announce(transition);
        dismiss(transition.call);
        transition.call.resolve(transition.to);
      }
    } catch (error) {
      drop(batch);
      // Paths that were changed by hand can be longer than the service accepts.
      if (rejectedWith(error) === 413 && transitions.length > 1) {
        for (const one of transitions)
          await this.#commit({ window: batch.window, transitions: [one] }, unserved);
        return;
      }
      for (const { call } of transitions) {
        dismiss(call);
        call.reject(error);
      }
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
