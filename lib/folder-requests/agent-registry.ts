import type { TableClient } from '@azure/data-tables';
import type { EventLog } from '../base/event-log.ts';
import { agentIdentityOf, isTooOld, type AgentIdentity } from '../contract/agent-identity.ts';
import { ServiceError } from '../base/service-error.ts';
import type { ListedAgent } from '../contract/agents.ts';
import type { ClaimRouting } from '../contract/folder-requests.ts';
import type { Clock } from '../contract/clock.ts';
import { orNullIfMissing, rejectedWith } from '../storage/rejections.ts';
import type { ClaimingAgent } from './claim-batches.ts';
import { isoTime } from './folder-request.ts';
import { agentKeyOf } from './outcomes.ts';
import { Remembered } from './remembered.ts';
import { serves, type IsServed } from './routing.ts';
import type { AgentStatistics } from './statistics.ts';

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

/** Without an etag, the row must be read before it is written. */
type Row = Record<string, unknown> & { rowKey?: string; etag?: string };

/** The agents' rows by key. */
interface Rows {
  readonly rows: Map<string, Row>;
  readonly readAtMs: number;
}

const recordEveryMs = 60_000;
const eventEveryMs = 300_000;
const silentAfterMs = 180_000;
// A server is served if an agent that serves it has called within this time.
const servedForMs = 86_400_000;
// An agent that has not called for so long is considered removed.
const shownForMs = 30 * 86_400_000;
// Of refreshes every 15 s, every fourth reads; see statistics.ts.
const rowsForMs = 55_000;
// Calls must not accumulate while the storage does not respond.
const callTimeoutMs = 5_000;
const partitionKey = 'agent';

/**
 * The known agents: one row each, written at most once a minute. All instances share that minute: each write is conditional
 * on the row as the instance last read it, and an instance that loses the race skips the minute.
 */
export class AgentRegistry {
  readonly #table: TableClient;
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #rows: Remembered<Rows>;
  /** By the agent's id: its row as this instance last read or wrote it. */
  readonly #known = new Map<string, Row>();
  readonly #writing = new Map<string, Promise<void>>();
  /** The rows as last read. */
  #lastRead: Rows | undefined;

  /** @param log must outlive the calls of agents, since rows are written in the background */
  constructor(table: TableClient, clock: Clock, log: EventLog) {
    this.#table = table;
    this.#clock = clock;
    this.#log = log;
    this.#rows = new Remembered(() => this.#readRows(), rowsForMs, clock);
  }

  /**
   * Records a call of this agent in the background.
   *
   * @param serves for claims: what the agent can serve
   */
  seen(agent: ClaimingAgent, userAgent: string | null, serves?: ClaimRouting | 'all'): void {
    const { id } = agent;
    const nowMs = this.#clock.now();
    const known = this.#known.get(id);
    if (this.#writing.has(id) || isRecent(known, nowMs)) return;
    const writing = this.#record(agent, agentIdentityOf(userAgent), nowMs, serves);
    this.#writing.set(id, writing);
    void writing.finally(() => this.#writing.delete(id));
  }

  /** Resolves when all pending writes have finished or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** The agents seen within the last 30 days, sorted by name; includes this instance's own writes immediately. */
  async all(): Promise<readonly SeenAgent[]> {
    const { rows } = await this.#rows.get();
    const nowMs = this.#clock.now();
    return [...rows.values()]
      .map(seenAgent)
      .filter(({ lastSeenAtMs }) => nowMs - lastSeenAtMs <= shownForMs)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Whether an administrator has paused the agent, as read at most a minute ago. Waits only for the first reading of an
   * instance; while the storage fails, the last known state holds.
   *
   * @param idle receives the milliseconds until a paused agent's state is read again, not positive if that is due
   */
  async isPaused({ id }: ClaimingAgent, idle?: (forMs: number) => void): Promise<boolean> {
    const reading = this.#rows.get().catch(() => this.#lastRead);
    const known = this.#lastRead ?? (await reading);
    if (known?.rows.get(agentKeyOf(id))?.['isPaused'] !== true) return false;
    idle?.(known.readAtMs + rowsForMs - this.#clock.now());
    return true;
  }

  /**
   * @param name as users see it
   * @throws ServiceError `not_found`
   */
  async setPaused(name: string, isPaused: boolean): Promise<SeenAgent> {
    const { rows } = await this.#readRows();
    const row = [...rows.values()].find((row) => row['name'] === name);
    if (!row) throw new ServiceError('not_found', { detail: `There is no agent ${name}.` });
    const { rowKey = '' } = row;
    // A merge: a call of the agent may write at the same time. Instances that do not know this version read it.
    await this.#table.updateEntity({ partitionKey, rowKey, isPaused }, 'Merge');
    this.#rows.forget();
    await this.#rows.get();
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

  async #readRows(): Promise<Rows> {
    const readAtMs = this.#clock.now();
    const rows = new Map<string, Row>();
    const filter = `PartitionKey eq '${partitionKey}'`;
    for await (const row of this.#table.listEntities<Row>({ queryOptions: { filter } })) {
      rows.set(row.rowKey ?? '', row);
    }
    return (this.#lastRead = { rows, readAtMs });
  }

  /** How many of the agents seen within the last three minutes should be upgraded. */
  async tooOld(): Promise<number> {
    const agents = await this.all();
    const sinceMs = this.#clock.now() - silentAfterMs;
    return agents.filter(({ lastSeenAtMs, version }) => lastSeenAtMs >= sinceMs && isTooOld(version)).length;
  }

  async #record(
    { id, logName }: ClaimingAgent,
    identity: AgentIdentity | undefined,
    nowMs: number,
    serves: ClaimRouting | 'all' | undefined,
  ): Promise<void> {
    const remembered = this.#known.get(id);
    let eventAtMs = timeIn(remembered, 'eventAt');
    const announce = (): void => {
      if (nowMs - eventAtMs < eventEveryMs) return;
      eventAtMs = nowMs;
      const { version = null, host = null } = identity ?? {};
      this.#log.info('agent_seen', { agent: logName, version, host, tooOld: isTooOld(version) });
    };
    const options = { abortSignal: AbortSignal.timeout(callTimeoutMs) };
    const rowKey = agentKeyOf(id);
    try {
      const known =
        remembered?.etag === undefined
          ? await orNullIfMissing<Row>(this.#table.getEntity(partitionKey, rowKey, options))
          : remembered;
      eventAtMs = Math.max(eventAtMs, timeIn(known, 'eventAt'));
      if (known && isRecent(known, nowMs)) {
        this.#known.set(id, { ...known, eventAt: new Date(eventAtMs) });
        return;
      }
      const isEventDue = nowMs - eventAtMs >= eventEveryMs;
      const kept = serves ? JSON.stringify(serves) : known?.['serves'];
      const isPaused = known?.['isPaused'];
      const row = {
        partitionKey,
        rowKey,
        name: logName,
        seenAt: new Date(nowMs),
        eventAt: new Date(isEventDue ? nowMs : eventAtMs),
        ...(kept !== undefined && { serves: kept }),
        ...(isPaused !== undefined && { isPaused }),
        ...(identity && { version: identity.version }),
        ...(identity?.host && { host: identity.host }),
      };
      const { etag = '' } =
        known?.etag === undefined
          ? await this.#table.createEntity(row, options)
          : await this.#table.updateEntity(row, 'Replace', { ...options, etag: known.etag });
      this.#rows.update(({ rows }) => rows.set(rowKey, row) === rows);
      announce();
      this.#known.set(id, { ...row, etag });
    } catch (error) {
      const status = rejectedWith(error);
      if (status === 409 || status === 412) {
        // Another instance won the race; the next call reads its row.
        this.#known.delete(id);
        return;
      }
      this.#log.warn('agent_not_recorded', { agent: logName, status: status ?? null });
      // The agent is alive nevertheless. The write is retried in a minute.
      announce();
      this.#known.set(id, { seenAt: new Date(nowMs), eventAt: new Date(eventAtMs) });
    }
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
  const { rowKey: key = '', name, version, host } = row;
  return {
    key,
    name: String(name),
    lastSeenAtMs: timeIn(row, 'seenAt'),
    version: typeof version === 'string' ? version : null,
    host: typeof host === 'string' ? host : null,
    isPaused: row['isPaused'] === true,
    serves: routingIn(row['serves']),
  };
}

function routingIn(text: unknown): ClaimRouting | 'all' | null {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as ClaimRouting | 'all') : null;
  } catch {
    return null;
  }
}

// An invalid value, edited by hand, counts as long ago, so the next call of the agent corrects it.
const timeIn = (row: Row | null | undefined, column: string): number =>
  row?.[column] instanceof Date ? row[column].getTime() : 0;

const isRecent = (row: Row | undefined, nowMs: number): boolean =>
  row !== undefined && nowMs - timeIn(row, 'seenAt') < recordEveryMs;
