import type { Clock } from '../contract/clock.ts';
import type { ClaimRouting } from '../contract/folder-requests.ts';
import type { EventLog } from '../base/event-log.ts';
import {
  afterConflict,
  batchesFor,
  drop,
  maxClaims,
  type Batch,
  type ClaimCall,
  type ClaimingAgent,
  type ClaimRules,
  type Transition,
  type Window,
} from './claim-batches.ts';
import { ClaimWindows, isExhaustedFor } from './claim-windows.ts';
import type { StoredFolderRequest } from './folder-request.ts';
import { transitionFromIndex } from './transitions.ts';
import { wroteRecord, type QueueTable } from './queue-table.ts';
import { randomToken, type RandomBytes } from './request-id.ts';
import { ShardHeads } from './shard-heads.ts';
import type { Shards } from './shards.ts';

export interface TimeAndRandomness {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

// Under contention each round loses at least one row to another instance; this many rounds are not contention.
const maxRounds = 20;
// How often the remembered heads of the shards may be wrong before all shards are read.
const maxHintedRounds = 3;

/**
 * Assigns claims. Calls that arrive during a cycle wait for the next one and share its reads and its transaction: even with
 * 100 polling agents, conflicts come only from other instances of the service.
 */
export class ClaimBatcher {
  readonly #table: QueueTable;
  readonly #shards: Shards;
  readonly #rules: ClaimRules;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #heads: ShardHeads;
  readonly #windows: ClaimWindows;
  #waiting: ClaimCall[] = [];
  #isRunning = false;

  constructor(
    table: QueueTable,
    shards: Shards,
    rules: ClaimRules,
    { clock, randomBytes }: TimeAndRandomness,
  ) {
    this.#table = table;
    this.#shards = shards;
    this.#rules = rules;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
    this.#heads = new ShardHeads(randomBytes);
    this.#windows = new ClaimWindows(table, rules.routeMemoryMs);
  }

  /** The oldest claimable request, now PROCESSING by this agent, or null. */
  claim(agent: ClaimingAgent, log: EventLog, routing?: ClaimRouting): Promise<StoredFolderRequest | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ agent, log, routing, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Call when a request has returned to an older place. */
  forgetRoutes(): void {
    this.#windows.forgetRoutes();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0, maxClaims);
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
    const all = await this.#shards.all();
    for (let round = 0; round < maxRounds && unserved.length > 0; round += 1) {
      const nowMs = this.#clock.now();
      // A remembered head does not say which agents its requests are for.
      const isRouted = unserved.some(({ routing }) => routing !== undefined);
      const isHinted = round < maxHintedRounds && !isRouted;
      const known = isHinted ? this.#heads.shardsFor(unserved.length, nowMs) : undefined;
      const shards = await this.#windows.read(known ?? all, unserved, nowMs);
      const windows = shards
        .flatMap(({ head, further }) => [head, further])
        .filter((window) => window !== undefined);
      await this.#serve(unserved, windows);
      const heads = shards.map(({ head }) => head).filter((head) => head !== undefined);
      const isAll = shards.length === all.length;
      this.#heads.remember(heads, heads.length === all.length ? this.#clock.now() : undefined);
      if (isAll && unserved.every((call) => isExhaustedFor(call, shards))) break;
    }
    for (const call of unserved) call.resolve(null);
  }

  /** Removes served calls from `unserved` and claimed requests from the windows, until either is empty. */
  async #serve(unserved: ClaimCall[], windows: readonly Window[]): Promise<void> {
    while (unserved.length > 0) {
      const batches = batchesFor(unserved, windows, this.#rules, this.#clock.now(), () =>
        randomToken(this.#randomBytes),
      );
      if (batches.length === 0) return;
      await Promise.all(batches.map((batch) => this.#commit(batch, unserved)));
    }
  }

  async #commit(batch: Batch, unserved: ClaimCall[]): Promise<void> {
    const { transitions } = batch;
    const lastOp = randomToken(this.#randomBytes);
    const actions = transitions.flatMap(({ from, to }) => transitionFromIndex(from, to, lastOp));
    const dismiss = (call: ClaimCall): void => void unserved.splice(unserved.indexOf(call), 1);
    // A log belongs to a call that is still waiting; a transition without its own call uses the log of another.
    const anyLog = unserved[0]?.log;
    try {
      const outcome = await this.#table.commit(
        actions,
        wroteRecord(this.#table, transitions[0]?.from.id ?? '', lastOp),
      );
      if (outcome !== 'written') {
        this.#heads.contended(this.#clock.now());
        afterConflict(batch, outcome.at, (requests) => this.#heads.rotated(requests));
        return;
      }
      drop(batch);
      for (const transition of transitions) {
        announce(transition, transition.call?.log ?? anyLog);
        if (!transition.call) continue;
        dismiss(transition.call);
        transition.call.resolve(transition.to);
      }
    } catch (error) {
      drop(batch);
      for (const { call } of transitions) {
        if (!call) continue;
        dismiss(call);
        call.reject(error);
      }
    }
  }
}

function announce({ from, to, call }: Transition, log: EventLog | undefined): void {
  const { id, attempts } = to;
  if (from.status === 'PROCESSING') log?.warn('folder_request_lease_expired', { id, attempts });
  if (!call) {
    log?.warn('folder_request_failed', { id, attempts, reason: 'lease_expired' });
    return;
  }
  const waitedMs = to.updatedAtMs - to.createdAtMs;
  log?.info('folder_request_claimed', { id, agent: call.agent.logName, attempts, waitedMs });
}
