import { z } from 'zod';
import { type DriveSettings, driveSettings } from './base/settings.ts';

/** A report that `npm run verify -w tools -- library --report FILE` wrote. */
const reportFile = z.object({
  suite: z.string(),
  at: z.string(),
  stopped: z.object({ at: z.string(), reason: z.string() }).optional(),
  outcomes: z.array(
    z.object({
      id: z.string(),
      expected: z.string(),
      holds: z.boolean().nullable(),
      losesDocuments: z.boolean().optional(),
      isAdvice: z.boolean().optional(),
      seen: z.string(),
      standIn: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/** The settings with which the stand-in of the library behaves like the target of a report. @throws Error if it is none */
export function standInLike(text: string): Partial<DriveSettings> {
  const { outcomes } = reportFile.parse(JSON.parse(text));
  const differing = Object.assign({}, ...outcomes.map(({ standIn }) => standIn)) as Partial<DriveSettings>;
  driveSettings.parse(differing);
  return differing;
}
