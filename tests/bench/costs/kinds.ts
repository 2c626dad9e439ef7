import { prices } from './prices.ts';

// What the service does for a request of each kind. The tests of the queue and of the documents assert the storage
// operations; durations are assumptions for a table service in the same region.

/** Share of its requests that the gateway sends to Application Insights (api.bicep). */
export const gatewaySampling = 0.01;

/** Size of a log row in bytes, including the columns that Azure adds (an assumption too), and the number of such rows. */
const logRows: readonly { bytes: number; rows: (kind: Kind) => number }[] = [
  // AppTraces: the line for the request and the service's other events.
  {
    bytes: 900,
    rows: ({ requests = 1, isUnlogged = false, events = 0 }) => (isUnlogged ? 0 : requests) + events,
  },
  // AppRequests and AppDependencies of the gateway. The function app's own are only for failures, as are the host's traces
  // (host.json).
  { bytes: 1300, rows: ({ requests = 1 }) => requests * 2 * gatewaySampling },
  // StorageTableLogs, for writes only.
  { bytes: 1100, rows: ({ tableWrites }) => tableWrites },
];

export interface Kind {
  readonly name: string;
  /** Requests to the storage; a transaction counts as one. */
  readonly tableOperations: number;
  /** The writes among them. */
  readonly tableWrites: number;
  readonly milliseconds: number;
  /** Default 1. */
  readonly requests?: number;
  /** The request has no log line; default false. */
  readonly isUnlogged?: boolean;
  /** Events logged in addition to the line of the request; default none. */
  readonly events?: number;
  readonly extra?: string;
}

export const kinds = {
  emptyClaim: {
    name: 'claim, nothing to do',
    tableOperations: 1,
    tableWrites: 0,
    milliseconds: 15,
    isUnlogged: true,
  },
  claim: { name: 'claim, with work', tableOperations: 2, tableWrites: 1, milliseconds: 30, events: 1 },
  creation: { name: 'request of a folder', tableOperations: 1, tableWrites: 1, milliseconds: 20, events: 1 },
  report: { name: 'report or heartbeat', tableOperations: 2, tableWrites: 1, milliseconds: 30, events: 1 },
  list: { name: 'list of documents', tableOperations: 1, tableWrites: 0, milliseconds: 20 },
  download: { name: 'download of 1 MiB', tableOperations: 1, tableWrites: 0, milliseconds: 400 },
  upload: { name: 'upload of 1 MiB', tableOperations: 3, tableWrites: 2, milliseconds: 1500 },
  activity: {
    name: 'activity (the text provider bills apart)',
    tableOperations: 2,
    tableWrites: 0,
    milliseconds: 8000,
    extra: ' + tokens',
  },
  /** An agent's row every minute, and its event and the count of its claims every five minutes. */
  presence: {
    name: "an agent's row",
    tableOperations: 1,
    tableWrites: 1,
    milliseconds: 0,
    requests: 0,
    events: 0.4,
  },
} as const satisfies Readonly<Record<string, Kind>>;
export type KindName = keyof typeof kinds;

/** Everything but compute and the gateway, for one of a kind. */
export function costsOf(kind: Kind): {
  readonly tables: number;
  readonly executions: number;
  readonly logs: number;
} {
  const { tableOperations, requests = 1 } = kind;
  const logBytes = logRows.reduce((total, { bytes, rows }) => total + bytes * rows(kind), 0);
  return {
    tables: (tableOperations * prices.tableOperationsPer10k) / 1e4,
    executions: (requests * prices.executionsPerMillion) / 1e6,
    logs: (logBytes * prices.logsPerGigabyte) / 1e9,
  };
}
