import type { ProxyCounters } from '../../../agent/smb/tests/support/delay-proxy.ts';
import type { ContenderResult } from './job.ts';
import { median } from './measure.ts';
import type { Template } from './template.ts';

export interface Row extends ContenderResult {
  readonly name: string;
  readonly serverProcessorSeconds?: number | undefined;
  readonly wire?: ProxyCounters | undefined;
}

/** A ratio of two rows that has a goal. */
export interface Ratio {
  readonly of: string;
  readonly to: string;
  readonly goal?: string | undefined;
}

const startingWith = (rows: readonly Row[], start: string) => rows.find(({ name }) => name.startsWith(start));

/** The ratio is taken within each round, since the machine changes from round to round. */
export function reportRatio(rounds: readonly Row[][], { of, to, goal }: Ratio): void {
  const ratioOf = (value: (row: Row) => number | undefined) =>
    rounds.flatMap((rows) => {
      const [one, other] = [startingWith(rows, of), startingWith(rows, to)];
      const ratio = one && other ? (value(one) ?? Number.NaN) / (value(other) ?? Number.NaN) : Number.NaN;
      return Number.isFinite(ratio) ? [ratio] : [];
    });
  const time = ratioOf(({ seconds }) => seconds);
  const byRound = time.map((ratio) => ratio.toFixed(3)).join(', ');
  const server = median(ratioOf((row) => row.serverProcessorSeconds)).toFixed(2);
  const both = median(
    ratioOf((row) => (row.processorSeconds ?? Number.NaN) + (row.serverProcessorSeconds ?? Number.NaN)),
  ).toFixed(2);
  const least = (start: string) =>
    Math.min(...rounds.map((rows) => startingWith(rows, start)?.seconds ?? Infinity));
  const fastest = (least(of) / least(to)).toFixed(3);
  const goalText = goal === undefined ? '' : ` (goal: ${goal})`;
  console.log(
    `${of} ÷ ${to}: ${median(time).toFixed(3)}${goalText}; by round: ${byRound}; of the fastest rounds: ${fastest}; processor time of smbd: ${server}, of client and smbd: ${both}\n`,
  );
}

/** For each name, the run with the median time. */
export function medianRows(rounds: readonly Row[][]): Row[] {
  const byName = Map.groupBy(rounds.flat(), ({ name }) => name);
  return [...byName.values()].map((same) => {
    const middle = median(same.map(({ seconds }) => seconds));
    return same.find(({ seconds }) => seconds === middle)!;
  });
}

const columns = [
  '',
  's',
  '÷ smbclient',
  'client processor s',
  'smbd processor s',
  'round trips',
  'frames sent',
  'MB through the client',
  '% of template',
  'peak MiB',
];

export function reportRows(title: string, template: Template, rows: readonly Row[]): void {
  const reference = startingWith(rows, 'smbclient');
  console.log(`${title}\n\n| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
  for (const row of rows) {
    const { wire } = row;
    const isLocal = row.name.startsWith('cp');
    const wireBytes = wire === undefined ? undefined : wire.bytesToServer + wire.bytesToClient;
    const bytes = isLocal ? undefined : (row.bytes ?? wireBytes);
    const cells = [
      cell(row.seconds, 2),
      cell(reference && row.seconds / reference.seconds, 3),
      cell(row.processorSeconds, 2),
      cell(isLocal ? undefined : row.serverProcessorSeconds, 2),
      cell(isLocal ? undefined : wire?.roundTrips),
      cell(row.frames ?? (isLocal ? undefined : wire?.requestFrames)),
      cell(bytes && bytes / 1e6, 2),
      cell(bytes && (100 * bytes) / template.bytes, 2),
      cell(row.peakMemoryBytes / 1024 / 1024),
    ];
    const name = row.retries ? `${row.name} (${row.retries} operations repeated)` : row.name;
    const shown =
      row.failure === undefined
        ? cells
        : [`fails: ${row.failure.split('\n')[0]}`, ...cells.slice(1).map(() => '')];
    console.log(`| ${name} | ${shown.join(' | ')} |`);
  }
  console.log(`\nThe template has ${template.levels} levels of directories, including its root.\n`);
}

const cell = (value: number | undefined, digits = 0) =>
  value === undefined ? '' : value.toLocaleString('en', { maximumFractionDigits: digits });
