import type { TableClient } from '@azure/data-tables';
import * as z from 'zod';
import type { EventLog } from '../base/event-log.ts';
import { agentIdentityOf, isTooOld } from '../contract/agent-identity.ts';
import { valueOfJson } from '../contract/json.ts';
import { ServiceError } from '../base/service-error.ts';
import type { ListedAgent } from '../contract/agents.ts';
import { claimRouting, type ClaimRouting } from '../contract/folder-requests.ts';
import type { Clock } from '../contract/clock.ts';
import { conditionalWrite } from '../storage/conditional-write.ts';
import { orNullIfMissing, rejectionStatus } from '../storage/rejections.ts';
import { matchingRows, odata } from '../storage/table-rows.ts';
import type { ClaimingAgent } from './claims/claim-batches.ts';
import { isoTime } from './requests/folder-request.ts';
import { agentKeyOf } from './table/outcomes.ts';
import { Remembered } from '../base/remembered.ts';
import { serves, type IsServed } from './requests/routing.ts';
import type { AgentStatistics } from './lists/statistics.ts';

interface SeenAgent {
  /** Its key in the rows of the queue. */
  readonly key: string;
  /** The form of its id for users, because the id may be its key. */
  readonly name: string;
  readonly lastSeenAtMs: number;
  readonly version: string | null;
  readonly host: string | null;
  readonly isPaused: boolean;
  /** What its last claim could serve; null if it has sent none. */
  readonly serves: ClaimRouting | 'all' | null;
}

type Row = Record<string, unknown> & { readonly rowKey: string; readonly etag: string };

/** `forMs`: until the state is read again. */
type Pause = { readonly isPaused: false } | { readonly isPaused: true; readonly forMs: number };

const recordEveryMs = 60_000;
const eventEveryMs = 300_000;
const silentAfterMs = 180_000;
// A server is served if an agent that serves it has called within this time.
const servedForMs = 86_400_000;
// An agent that has not called for so long is considered removed.
const shownForMs = 30 * 86_400_000;
// Of refreshes every 15 s, every fourth reads; see statistics.ts.
const rowsForMs = 55_000;
// How long after a pause an agent may still get a claim, at every instance.
const maxPauseDelayMs = 60_000;
// Calls must not accumulate while the storage does not respond.
const defaultCallTimeoutMs = 5_000;
const partitionKey = 'agent';

/**
 * The known agents: one row each, written at most once a minute. All instances share that minute: each write is conditional
 * on the row as the instance last read it, and an instance that loses the race reads what the winner wrote.
 */
export class AgentRegistry {
  readonly #table: TableClient;
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #callTimeoutMs: number;
  /** By key. */
  readonly #rows: Remembered<Map<string, Row>>;
  /** By the agent's id: when its row is due, and when any instance last logged `agent_seen`, as far as this one knows. */
  readonly #turns = new Map<string, { dueAtMs: number; eventAtMs: number }>();

  /** @param log must outlive the calls of agents, since rows are written in the background */
  constructor(table: TableClient, clock: Clock, log: EventLog, callTimeoutMs = defaultCallTimeoutMs) {
    this.#table = table;
    this.#clock = clock;
    this.#log = log;
    this.#callTimeoutMs = callTimeoutMs;
    this.#rows = new Remembered(() => this.#readRows(), clock);
  }

  /**
   * Records a call of this agent. Never rejects; no call waits for it.
   *
   * @param serves for claims: what the agent can serve
   */
  async recordCall(
    { id, logName }: ClaimingAgent,
    userAgent: string | null,
    serves?: ClaimRouting | 'all',
  ): Promise<void> {
    const nowMs = this.#clock.now();
    const turn = this.#turns.get(id) ?? { dueAtMs: 0, eventAtMs: 0 };
    if (nowMs < turn.dueAtMs) return;
    turn.dueAtMs = nowMs + recordEveryMs;
    this.#turns.set(id, turn);
    const { version = null, host = null } = agentIdentityOf(userAgent) ?? {};
    const announce = (): void => {
      if (nowMs - turn.eventAtMs < eventEveryMs) return;
      turn.eventAtMs = nowMs;
      this.#log.info('agent_seen', { agent: logName, version, host, tooOld: isTooOld(version) });
    };
    const rowKey = agentKeyOf(id);
    const options = { abortSignal: AbortSignal.timeout(this.#callTimeoutMs) };
    try {
      const known = (await this.#rows.get(recordEveryMs)).get(rowKey);
      const seenAtMs = timeIn(known, 'seenAt');
      turn.eventAtMs = Math.max(turn.eventAtMs, timeIn(known, 'eventAt'));
      if (nowMs - seenAtMs < recordEveryMs) {
        turn.dueAtMs = seenAtMs + recordEveryMs;
        return;
      }
      const isEventDue = nowMs - turn.eventAtMs >= eventEveryMs;
      const row = {
        partitionKey,
        rowKey,
        name: logName,
        seenAt: new Date(nowMs),
        eventAt: new Date(isEventDue ? nowMs : turn.eventAtMs),
        version: version ?? '',
        host: host ?? '',
        ...(serves && { serves: JSON.stringify(serves) }),
      };
      const written = await conditionalWrite(
        known
          ? this.#table.updateEntity(row, 'Merge', { ...options, etag: known.etag })
          : this.#table.createEntity(row, options),
      );
      const next = written
        ? { ...known, ...row, ...written }
        : await orNullIfMissing<Row>(this.#table.getEntity(partitionKey, rowKey, options));
      if (next) {
        this.#rows.update((rows) => {
          rows.set(rowKey, next);
          return true;
        });
      }
      if (written) announce();
    } catch (error) {
      this.#log.warn('agent_not_recorded', { agent: logName, status: rejectionStatus(error) ?? null });
      // The agent is alive nevertheless. The write is retried in a minute.
      announce();
    }
  }

  /** The agents seen within the last 30 days, sorted by name; includes this instance's own writes immediately. */
  async all(): Promise<readonly SeenAgent[]> {
    const rows = await this.#rows.get(rowsForMs);
    const nowMs = this.#clock.now();
    return [...rows.values()]
      .map(seenAgent)
      .filter(({ lastSeenAtMs }) => nowMs - lastSeenAtMs <= shownForMs)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Whether an administrator has paused the agent, as read at most a minute ago; while the storage fails, the last known state
   * holds.
   */
  async pauseOf({ id }: ClaimingAgent): Promise<Pause> {
    await this.#rows.get(rowsForMs, maxPauseDelayMs).catch(() => undefined);
    const { last } = this.#rows;
    if (last?.value.get(agentKeyOf(id))?.['isPaused'] !== true) return { isPaused: false };
    return { isPaused: true, forMs: Math.max(0, last.readAtMs + rowsForMs - this.#clock.now()) };
  }

  /**
   * @param name as users see it
   * @throws ServiceError `not_found`
   */
  async setPaused(name: string, isPaused: boolean): Promise<SeenAgent> {
    const row = [...(await this.#readRows()).values()].find((row) => row['name'] === name);
    if (!row) throw new ServiceError('not_found', { detail: `There is no agent ${name}.` });
    // A merge: a call of the agent may write at the same time. Instances that do not know this version read it.
    const options = { abortSignal: AbortSignal.timeout(this.#callTimeoutMs) };
    await this.#table.updateEntity({ partitionKey, rowKey: row.rowKey, isPaused }, 'Merge', options);
    this.#rows.forget();
    await this.#rows.get(rowsForMs);
    return seenAgent({ ...row, isPaused });
  }

  /** Whether an agent seen within the last day serves a target; as if all were served while that is not known. */
  async isServed(): Promise<IsServed> {
    try {
      const since = this.#clock.now() - servedForMs;
      const known = (await this.all()).filter(({ lastSeenAtMs }) => lastSeenAtMs >= since);
      const routings = known.flatMap(({ serves }) => serves ?? []);
      if (routings.includes('all')) return () => true;
      const servers = new Set(routings.flatMap((routing) => (routing === 'all' ? [] : routing.servers)));
      const relative = routings.some((routing) => routing !== 'all' && routing.relative === true);
      return (targetPath) => serves({ servers: [...servers], relative }, targetPath);
    } catch {
      return () => true;
    }
  }

  async #readRows(): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>();
    const filter = odata`PartitionKey eq ${partitionKey}`;
    const abortSignal = AbortSignal.timeout(this.#callTimeoutMs);
    for await (const row of matchingRows<Row>(this.#table, filter, { abortSignal })) {
      rows.set(row.rowKey, row);
    }
    return rows;
  }

  /** For how long no agent has called, those that are no longer listed too; null if none ever has. */
  async silentMs(): Promise<number | null> {
    const rows = await this.#rows.get(rowsForMs);
    const lastMs = [...rows.values()].reduce((last, row) => Math.max(last, timeIn(row, 'seenAt')), 0);
    return rows.size === 0 ? null : Math.max(0, this.#clock.now() - lastMs);
  }

  /** How many of the agents seen within the last three minutes should be upgraded. */
  async tooOld(): Promise<number> {
    const agents = await this.all();
    const sinceMs = this.#clock.now() - silentAfterMs;
    return agents.filter(({ lastSeenAtMs, version }) => lastSeenAtMs >= sinceMs && isTooOld(version)).length;
  }
}

/** The wire form: what was seen of the agents, combined with the queue's data about them. */
export function agentItems(
  agents: readonly SeenAgent[],
  { byAgent, work }: AgentStatistics,
  nowMs: number,
): ListedAgent[] {
  return agents.map(({ key, name, lastSeenAtMs, version, host, isPaused }) => {
    const { folderRequestId = null, seenAtMs = 0 } = work.get(key) ?? {};
    const { fulfilled = 0, failed = 0 } = byAgent.get(key) ?? {};
    const lastMs = Math.max(lastSeenAtMs, seenAtMs);
    const isSilent = nowMs - lastMs > silentAfterMs;
    return {
      id: name,
      state: isSilent ? 'silent' : folderRequestId === null ? 'idle' : 'working',
      lastSeenAt: isoTime(lastMs),
      version,
      host,
      isPaused,
      tooOld: isTooOld(version),
      folderRequestId,
      fulfilled24h: fulfilled,
      failed24h: failed,
    };
  });
}

function seenAgent(row: Row): SeenAgent {
  return {
    key: row.rowKey,
    name: String(row['name']),
    lastSeenAtMs: timeIn(row, 'seenAt'),
    version: textIn(row, 'version'),
    host: textIn(row, 'host'),
    isPaused: row['isPaused'] === true,
    serves: routingIn(row['serves']),
  };
}

/** Absent values are empty: a merge would keep the old one. */
const textIn = (row: Row, column: string): string | null =>
  typeof row[column] === 'string' && row[column] !== '' ? row[column] : null;

const storedRouting = z.literal('all').or(claimRouting).nullable().catch(null);

const routingIn = (text: unknown): ClaimRouting | 'all' | null => storedRouting.parse(valueOfJson(text));

// An invalid value, edited by hand, counts as long ago, so the next call of the agent corrects it.
const timeIn = (row: Row | null | undefined, column: string): number =>
  row?.[column] instanceof Date ? row[column].getTime() : 0;
