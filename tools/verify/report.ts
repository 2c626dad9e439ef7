import { writeFile } from 'node:fs/promises';
import type { Outcome, Run } from './rule.ts';

const mark = (holds: boolean | null): string => (holds === null ? 'skipped' : holds ? 'ok' : 'DIFFERS');

const losesDocuments = (outcome: Outcome): boolean =>
  outcome.holds === false && outcome.losesDocuments === true;

/** One outcome for a terminal. */
export function linesOf(outcome: Outcome): string {
  const { id, expected, seen, follows, holds, isOnlyStandIn } = outcome;
  const head = `${mark(holds).padEnd(8)} ${id.padEnd(6)} ${expected}${isOnlyStandIn ? ' [so far only the stand-in]' : ''}`;
  const shown = `${head}\n${' '.repeat(16)}seen: ${seen}`;
  if (holds !== false) return shown;
  const warning = losesDocuments(outcome) ? 'do not go live, and send the report to the maintainers. ' : '';
  return `${shown}\n${' '.repeat(16)}follows: ${warning}${follows}`;
}

export function summaryOf({ outcomes, stopped }: Run): string {
  const count = (holds: boolean | null) => outcomes.filter((outcome) => outcome.holds === holds).length;
  const counts = `${count(true)} rules hold, ${count(false)} differ, ${count(null)} were not probed`;
  const losing = outcomes.filter(losesDocuments).map(({ id }) => id);
  return [
    counts,
    ...(losing.length > 0 ? [`Do not go live: documents could be lost (${losing.join(', ')}).`] : []),
    ...(stopped ? [`Stopped at rule ${stopped.at}: ${stopped.reason}`] : []),
  ].join('\n');
}

/** The day is enough to compare two reports, and says less about the tenant than the time. */
export async function writeReport(
  path: string,
  suite: string,
  { outcomes, stopped }: Run,
  now: Date,
): Promise<void> {
  const listed = outcomes.map((outcome) => ({
    id: outcome.id,
    expected: outcome.expected,
    holds: outcome.holds,
    ...(losesDocuments(outcome) && { losesDocuments: true }),
    seen: outcome.seen,
    ...(outcome.standIn && { standIn: outcome.standIn }),
  }));
  const at = now.toISOString().slice(0, 10);
  const report = { suite, at, ...(stopped && { stopped }), outcomes: listed };
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}
