import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type DriveSettings, driveSettings } from '../stand-ins/drive/settings.ts';
import type { Outcome } from './rule.ts';

const mark = (holds: boolean | null): string => (holds === null ? 'skipped' : holds ? 'ok' : 'DIFFERS');

/** One outcome for a terminal. */
export function linesOf({ id, expected, seen, follows, holds, isOnlyStandIn }: Outcome): string {
  const head = `${mark(holds).padEnd(8)} ${id.padEnd(6)} ${expected}${isOnlyStandIn ? ' [so far only the stand-in]' : ''}`;
  const shown = `${head}\n${' '.repeat(16)}seen: ${seen}`;
  return holds === false ? `${shown}\n${' '.repeat(16)}follows: ${follows}` : shown;
}

export function summaryOf(outcomes: readonly Outcome[]): string {
  const count = (holds: boolean | null) => outcomes.filter((outcome) => outcome.holds === holds).length;
  return `${count(true)} rules hold, ${count(false)} differ, ${count(null)} were not probed`;
}

const reportFile = z.object({
  suite: z.string(),
  at: z.string(),
  outcomes: z.array(
    z.object({
      id: z.string(),
      expected: z.string(),
      holds: z.boolean().nullable(),
      seen: z.string(),
      standIn: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/** The day is enough to compare two reports, and says less about the tenant than the time. */
export async function writeReport(
  path: string,
  suite: string,
  outcomes: readonly Outcome[],
  now: Date,
): Promise<void> {
  const listed = outcomes.map(({ id, expected, holds, seen, standIn }) => ({
    id,
    expected,
    holds,
    seen,
    ...(standIn && { standIn }),
  }));
  const report = { suite, at: now.toISOString().slice(0, 10), outcomes: listed };
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}

/** The settings with which the stand-in of the library behaves like the target of a report. @throws Error if it is none */
export function standInLike(text: string): Partial<DriveSettings> {
  const { outcomes } = reportFile.parse(JSON.parse(text));
  const differing = Object.assign({}, ...outcomes.map(({ standIn }) => standIn)) as Partial<DriveSettings>;
  driveSettings.parse(differing);
  return differing;
}
