// Cost of a million requests of each kind, computed from what a request does (counts are tested, see the queue's and
// the documents' tests) and from list prices. The prices are assumptions typed in by hand: look at the price list of
// your region and contract before you rely on them.

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

// Instances of 2 GiB serve 32 requests at once; half of that is a cautious guess of what a busy instance reaches.
const instanceGibibytes = 2;
const requestsAtOnce = 16;
const logBytesPerRequest = 1200;

interface Kind {
  readonly name: string;
  readonly tableOperations: number;
  readonly milliseconds: number;
  /** Default 1. */
  readonly requests?: number;
  readonly extra?: string;
}

const kinds: readonly Kind[] = [
  { name: 'claim, nothing to do', tableOperations: 1, milliseconds: 15 },
  { name: 'claim, with work', tableOperations: 2, milliseconds: 30 },
  { name: 'report or heartbeat', tableOperations: 2, milliseconds: 30 },
  {
    name: 'folder request, whole life (create, claim, 1 heartbeat, report)',
    tableOperations: 7,
    milliseconds: 105,
    requests: 4,
  },
  { name: 'list of documents', tableOperations: 1, milliseconds: 20 },
  { name: 'download of 1 MiB', tableOperations: 1, milliseconds: 400 },
  { name: 'upload of 1 MiB', tableOperations: 3, milliseconds: 1500 },
  {
    name: 'activity (the text provider bills apart)',
    tableOperations: 2,
    milliseconds: 8000,
    extra: ' + tokens',
  },
];

/** The table of bicep/README.md, "Costs per million requests". */
export function costTable(): string {
  const rows = kinds.map(({ name, tableOperations, milliseconds, requests = 1, extra = '' }) => {
    const parts = [
      tableOperations * 100 * prices.tableOperationsPer10k,
      requests * prices.executionsPerMillion,
      ((milliseconds / 1000) * 1e6 * instanceGibibytes * prices.gibibyteSecond) / requestsAtOnce,
      ((requests * logBytesPerRequest * 1e6) / 1e9) * prices.logsPerGigabyte,
      requests * prices.gatewayPerMillion,
    ];
    const sum = parts.reduce((total, part) => total + part, 0);
    return `| ${name} | ${[...parts, sum].map((part) => part.toFixed(2)).join(' | ')}${extra} |`;
  });
  return [
    '| a million of | tables | executions | compute | logs | gateway | sum € |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

export function run(): Promise<void> {
  console.log(costTable());
  const idle = idleAgentsPerMonth(10);
  console.log(`\n10 agents that poll every 3 s and find nothing: ${idle.toFixed(2)} million claims a month.`);
  return Promise.resolve();
}

const idleAgentsPerMonth = (agents: number): number => (agents * 30 * 86_400) / 3 / 1e6;
