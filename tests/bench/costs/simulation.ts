import { idleDelayMs } from '../../../agent/base/backoff.ts';
import { agentSettingsTable } from '../../../agent/settings/settings-table.ts';
import { BilledTime } from './billed-time.ts';
import { kinds, type KindName } from './kinds.ts';

// Agents and users in front of one instance of the service, which suffices for the customers considered here: their calls
// overlap by less than the nine that an instance handles.

export interface Load {
  readonly agents: number;
  /** Who work in the simulated hours; 0 for a night. */
  readonly users: number;
  /** Whether the gateway responds to empty claims from its cache. */
  readonly caches: boolean;
  /** Default: the agent's own. */
  readonly pollIntervalMs?: number;
  readonly hours?: number;
}

/** For each simulated hour. */
export interface HourlyUse {
  readonly billedSeconds: number;
  readonly gatewayCalls: number;
  /** Requests that the service handled. */
  readonly requests: Readonly<Record<KindName, number>>;
  /** From the creation of a folder request to its claim, in the simulated time. */
  readonly longestWaitMs: number;
}

/** What a user does in a day of ten hours: an assumption. */
const perUserAndDay = { list: 20, download: 4, upload: 2, creation: 0.5, activity: 0.5 } as const;
const dayHours = 10;
/** An agent's work on a folder request. */
const workMs = 10_000;
/** A call through the gateway, apart from the service. */
const gatewayMs = 15;
const defaultPollMs = Number(agentSettingsTable.FOLDER_AGENT_POLL_INTERVAL_MS.default);
/** policies/claim.xml */
const entryMs = 30_000;

export function simulate({
  agents,
  users,
  caches,
  pollIntervalMs = defaultPollMs,
  hours = 3,
}: Load): HourlyUse {
  const random = seededRandom(1);
  const billed = new BilledTime();
  const endMs = hours * 3_600_000;
  const requests = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0])) as Record<
    KindName,
    number
  >;
  const idleUntilMs = new Float64Array(agents);
  const isWorking = new Uint8Array(agents);
  // The next call of each agent, and in the last place of a user.
  const next = Float64Array.from({ length: agents + 1 }, () => random() * pollIntervalMs);
  const callsPerDay = Object.values(perUserAndDay).reduce((total, calls) => total + calls, 0);
  const meanGapMs = users === 0 ? Infinity : (dayHours * 3_600_000) / (users * callsPerDay);
  const gapMs = (): number => -Math.log(1 - random()) * meanGapMs;
  next[agents] = gapMs();
  /** When the folder requests that wait were created. */
  const waiting: number[] = [];
  let gatewayCalls = 0;
  let longestWaitMs = 0;

  const serve = (kind: KindName, atMs: number): number => {
    const { milliseconds } = kinds[kind];
    requests[kind] += 1;
    billed.add(atMs, milliseconds);
    return milliseconds;
  };
  for (;;) {
    let caller = 0;
    for (let other = 1; other < next.length; other += 1)
      if ((next[other] ?? 0) < (next[caller] ?? 0)) caller = other;
    const nowMs = next[caller] ?? Infinity;
    if (nowMs >= endMs) break;
    gatewayCalls += 1;
    if (caller === agents) {
      const kind = kindOfUser(random() * callsPerDay);
      serve(kind, nowMs);
      if (kind === 'creation') {
        waiting.push(nowMs);
        // The new generation.
        idleUntilMs.fill(0);
      }
      next[caller] = nowMs + gapMs();
    } else {
      next[caller] = nowMs + gatewayMs + afterCall(caller, nowMs);
    }
  }
  requests.presence = agents * 60 * hours;
  return {
    billedSeconds: billed.totalMs / 1000 / hours,
    gatewayCalls: gatewayCalls / hours,
    requests: Object.fromEntries(
      Object.entries(requests).map(([kind, count]) => [kind, count / hours]),
    ) as Record<KindName, number>,
    longestWaitMs,
  };

  /** Milliseconds until the agent's next call. */
  function afterCall(agent: number, nowMs: number): number {
    if (isWorking[agent]) {
      isWorking[agent] = 0;
      return serve('report', nowMs);
    }
    if (nowMs < (idleUntilMs[agent] ?? 0)) return idleDelay(agent, nowMs);
    const createdMs = waiting.shift();
    if (createdMs !== undefined) {
      longestWaitMs = Math.max(longestWaitMs, nowMs - createdMs);
      isWorking[agent] = 1;
      return serve('claim', nowMs) + workMs;
    }
    const servedMs = serve('emptyClaim', nowMs);
    if (caches) idleUntilMs[agent] = nowMs - (nowMs % entryMs) + entryMs;
    return servedMs + idleDelay(agent, nowMs);
  }

  function idleDelay(agent: number, nowMs: number): number {
    const idleMs = Math.ceil(((idleUntilMs[agent] ?? 0) - nowMs) / 1000) * 1000;
    return idleDelayMs(pollIntervalMs, random(), idleMs > 0 ? idleMs : Infinity);
  }
}

function kindOfUser(draw: number): KindName {
  let left = draw;
  for (const [kind, calls] of Object.entries(perUserAndDay) as [KindName, number][]) {
    if (left < calls) return kind;
    left -= calls;
  }
  return 'list';
}

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
