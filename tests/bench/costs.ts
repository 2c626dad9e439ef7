// The cost of a million requests of each kind, computed from the operations of a request (the tests of the queue and of
// the documents assert their counts) and from list prices. The prices are assumptions entered by hand: check the price
// list of your region and contract before you rely on them.

import { idleDelayMs } from '../../agent/backoff.ts';
import { agentSettingsTable } from '../../agent/settings-table.ts';

interface Prices {
  /** Euro. */
  readonly tableOperationsPer10k: number;
  readonly executionsPerMillion: number;
  readonly gibibyteSecond: number;
  readonly logsPerGigabyte: number;
  readonly gatewayPerMillion: number;
}

const prices: Prices = {
  tableOperationsPer10k: 0.00034,
  executionsPerMillion: 0.37,
  gibibyteSecond: 0.000024,
  logsPerGigabyte: 2.6,
  gatewayPerMillion: 2.3,
};

// Instances of 2 GiB serve 9 concurrent requests (bicep/modules/function-app.bicep, with the default limit on uploads);
// half of that is a conservative estimate for a busy instance.
const instanceGibibytes = 2;
export const requestsAtOnce = 4;

/** Share of its requests that the gateway sends to Application Insights (api.bicep). */
export const gatewaySampling = 0.01;
/**
 * Size of a log row in bytes, including the columns that Azure adds (an assumption too), and the number of such rows.
 */
const logRows: readonly { bytes: number; rows: (kind: Kind) => number }[] = [
  // AppTraces: the line for the request and the service's other events.
  {
    bytes: 900,
    rows: ({ requests = 1, isUnlogged = false, events = 0 }) => (isUnlogged ? 0 : requests) + events,
  },
  // AppTraces: the host's "Executing" and "Executed"; host.json switches them off for claims.
  { bytes: 900, rows: ({ requests = 1, claims = 0 }) => (requests - claims) * 2 },
  // AppRequests and AppDependencies of the gateway. The function app has AppRequests only for failures (host.json).
  { bytes: 1300, rows: ({ requests = 1 }) => requests * 2 * gatewaySampling },
  // StorageTableLogs, for writes only.
  { bytes: 1100, rows: ({ tableWrites }) => tableWrites },
];

interface Kind {
  readonly name: string;
  /** Requests to the storage; a transaction counts as one. */
  readonly tableOperations: number;
  /** The writes among them. */
  readonly tableWrites: number;
  readonly milliseconds: number;
  /** Default 1. */
  readonly requests?: number;
  /** Claims among them; default none. */
  readonly claims?: number;
  /** The request has no log line; default false. */
  readonly isUnlogged?: boolean;
  /** Events logged in addition to the line of the request; default none. */
  readonly events?: number;
  readonly extra?: string;
}

const idleClaim: Kind = {
  name: 'claim, nothing to do',
  tableOperations: 1,
  tableWrites: 0,
  milliseconds: 15,
  claims: 1,
  isUnlogged: true,
};

/**
 * What an agent costs in addition to its calls: its row every minute, and its event and the count of its claims every
 * five minutes.
 */
const presence: Kind = {
  name: "an agent's row",
  tableOperations: 1,
  tableWrites: 1,
  milliseconds: 0,
  requests: 0,
  events: 0.4,
};

const kinds: readonly Kind[] = [
  idleClaim,
  { name: 'claim, with work', tableOperations: 2, tableWrites: 1, milliseconds: 30, claims: 1, events: 1 },
  { name: 'report or heartbeat', tableOperations: 2, tableWrites: 1, milliseconds: 30, events: 1 },
  {
    name: 'folder request, whole life (create, claim, 1 heartbeat, report)',
    tableOperations: 7,
    tableWrites: 4,
    milliseconds: 105,
    requests: 4,
    claims: 1,
    events: 3,
  },
  { name: 'list of documents', tableOperations: 1, tableWrites: 0, milliseconds: 20 },
  { name: 'download of 1 MiB', tableOperations: 1, tableWrites: 0, milliseconds: 400 },
  { name: 'upload of 1 MiB', tableOperations: 3, tableWrites: 2, milliseconds: 1500 },
  {
    name: 'activity (the text provider bills apart)',
    tableOperations: 2,
    tableWrites: 0,
    milliseconds: 8000,
    extra: ' + tokens',
  },
];

function costsOf(kind: Kind): number[] {
  const { tableOperations, milliseconds, requests = 1 } = kind;
  const logBytes = logRows.reduce((total, { bytes, rows }) => total + bytes * rows(kind), 0);
  return [
    tableOperations * 100 * prices.tableOperationsPer10k,
    requests * prices.executionsPerMillion,
    ((milliseconds / 1000) * 1e6 * instanceGibibytes * prices.gibibyteSecond) / requestsAtOnce,
    ((logBytes * 1e6) / 1e9) * prices.logsPerGigabyte,
    requests * prices.gatewayPerMillion,
  ];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The text of bicep/README.md, "Costs per million requests". */
export function costText(): string {
  const rows = kinds.map((kind) => {
    const parts = costsOf(kind);
    const cells = [...parts, sum(parts)].map((part) => part.toFixed(2)).join(' | ');
    return `| ${kind.name} | ${cells}${kind.extra ?? ''} |`;
  });
  const millions = idleClaimsPerMonth(10) / 1e6;
  return [
    '| a million of | tables | executions | compute | logs | gateway | sum € |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Ten idle agents make ${millions.toFixed(1)} million claims a month, € ${idleEurosPerMonth(10).toFixed(0)}: ` +
      `one every ${(idleIntervalMs / 1000).toFixed(1)} s each, the mean of a random wait. ` +
      `Their parts: ${idleParts()}.`,
    '',
    `The timers of an idle service make ${timerOperationsPerMonth.toLocaleString('en')} storage requests in 30 days, ` +
      `${idleMinute} a minute and a few more every ten minutes: € ${timerEurosPerMonth.toFixed(2)}.`,
  ].join('\n');
}

/** Storage requests of the queue's timer with one shard: FAILED, outcomes, live requests, and the row of the shards. */
export const idleMinute = 4;
/** Every ten minutes: keys of uploads, projects and contacts of earlier releases. */
const idleTenMinutes = 3;
const timerOperationsPerMonth = 30 * 24 * (60 * idleMinute + 6 * idleTenMinutes);
const timerEurosPerMonth = (timerOperationsPerMonth / 1e4) * prices.tableOperationsPer10k;

// The wait is uniformly distributed, so its mean is the value at 0.5.
const idleIntervalMs = idleDelayMs(Number(agentSettingsTable.FOLDER_AGENT_POLL_INTERVAL_MS.default), 0.5);

/** Claims of idle agents with the default poll interval, in 30 days. */
export const idleClaimsPerMonth = (agents: number): number => (agents * 30 * 86_400_000) / idleIntervalMs;

/** Cost of idle agents, including their rows and events, in 30 days. */
export const idleEurosPerMonth = (agents: number): number =>
  (idleClaimsPerMonth(agents) * sum(costsOf(idleClaim)) + rowsPerMonth(agents) * sum(costsOf(presence))) /
  1e6;

const rowsPerMonth = (agents: number): number => agents * 30 * 24 * 60;

function idleParts(): string {
  const rows = costsOf(presence).map((part) => (part * rowsPerMonth(10)) / 1e6);
  const parts = costsOf(idleClaim).map((part, at) => (part * idleClaimsPerMonth(10)) / 1e6 + (rows[at] ?? 0));
  const names = ['tables', 'executions', 'compute', 'logs', 'the gateway'];
  return names.map((name, at) => `${name} € ${(parts[at] ?? 0).toFixed(1)}`).join(', ');
}

export function run(): Promise<void> {
  console.log(costText());
  return Promise.resolve();
}
