import { writeFile } from 'node:fs/promises';
import type { Outcome, Run } from './rule.ts';

const isWarning = ({ holds, isAdvice }: Outcome): boolean => holds === false && isAdvice === true;

const differs = (outcome: Outcome): boolean => outcome.holds === false && !isWarning(outcome);

const markOf = (outcome: Outcome): string =>
  outcome.doesNotApply
    ? 'not here'
    : outcome.holds === null
      ? 'skipped'
      : outcome.holds
        ? 'ok'
        : isWarning(outcome)
          ? 'warns'
          : 'DIFFERS';

const isAbsent = ({ doesNotApply }: Outcome): boolean => doesNotApply === true;

const isMissing = (outcome: Outcome): boolean => outcome.holds === null && !isAbsent(outcome);

const losesDocuments = (outcome: Outcome): boolean =>
  outcome.holds === false && outcome.losesDocuments === true;

/** One outcome for a terminal. */
export function linesOf(outcome: Outcome): string {
  const { id, expected, seen, follows, holds, isOnlyStandIn, seconds } = outcome;
  const head = `${markOf(outcome).padEnd(8)} ${id.padEnd(6)} ${seconds.toFixed(1).padStart(5)} s  ${expected}${isOnlyStandIn ? ' [so far only the stand-in]' : ''}`;
  const shown = `${head}\n${' '.repeat(16)}seen: ${seen}`;
  if (holds !== false) return shown;
  const warning = losesDocuments(outcome) ? 'do not go live, and send the report to the maintainers. ' : '';
  return `${shown}\n${' '.repeat(16)}follows: ${warning}${follows}`;
}

/** "Accepted" only if every rule was probed that the target can have. */
export function verdictOf({ outcomes, stopped }: Run): 'Accepted: ' | 'Not accepted: ' | '' {
  if (outcomes.some(differs)) return 'Not accepted: ';
  return stopped || outcomes.some(isMissing) ? '' : 'Accepted: ';
}

export function summaryOf({ outcomes, stopped }: Run): string {
  const count = (isCounted: (outcome: Outcome) => boolean) => outcomes.filter(isCounted).length;
  const [warnings, absent] = [count(isWarning), count(isAbsent)];
  const counts = [
    `${count(({ holds }) => holds === true)} rules hold, ${count(differs)} differ`,
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warns' : 'warn'}`] : []),
    `${count(isMissing)} were not probed`,
    ...(absent > 0 ? [`${absent} ${absent === 1 ? 'does' : 'do'} not apply here`] : []),
  ].join(', ');
  const losing = outcomes.filter(losesDocuments).map(({ id }) => id);
  return [
    counts,
    ...(losing.length > 0 ? [`Do not go live: documents could be lost (${losing.join(', ')}).`] : []),
    ...(stopped ? [`Stopped at rule ${stopped.at}: ${stopped.reason}`] : []),
  ].join('\n');
}

/** For the page of a pipeline. */
export function markdownOf(run: Run, headline: string): string {
  const rows = run.outcomes.map((outcome) => {
    const { id, expected, seen, seconds } = outcome;
    return `| ${markOf(outcome)} | ${id} | ${expected} | ${seconds.toFixed(1)} | ${seen.replaceAll('|', String.raw`\|`)} |`;
  });
  const [first = '', ...others] = headline.split('\n');
  return [`## ${first}`, ...others, '', '| | rule | | s | seen |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

/** 0: what could be probed is as the product needs it. 1: a rule differs, other than in a warning. 2: the run stopped. */
export const exitCodeOf = ({ outcomes, stopped }: Run): number =>
  stopped ? 2 : outcomes.some(differs) ? 1 : 0;

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
    ...(isWarning(outcome) && { isAdvice: true }),
    seen: outcome.seen,
    ...(outcome.standIn && { standIn: outcome.standIn }),
  }));
  const at = now.toISOString().slice(0, 10);
  const report = { suite, at, ...(stopped && { stopped }), outcomes: listed };
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}
