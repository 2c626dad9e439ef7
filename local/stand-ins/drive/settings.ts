import { z } from 'zod';

const access = z.enum(['none', 'read', 'write']);

/** Standing modes of the emulator, changed over the admin URL. Rules cited are those of docs/drive-rules.md. */
export const driveSettings = z.strictObject({
  /** A3: whether names that differ only in Unicode normalisation are one item. Not known of SharePoint. */
  unicode: z.enum(['nfc', 'exact']).default('nfc'),
  /** A2: files and folders by path make missing parents; `true` answers 404 instead, as older docs had it. */
  requireParents: z.boolean().default(false),
  /** A6: what a session does without an annotation. The documentation contradicts itself; rclone needs replace. */
  defaultSessionConflict: z.enum(['replace', 'fail', 'rename']).default('replace'),
  /** A6: a second session for a file that has an open one is 409 unless `true`. */
  concurrentSessions: z.boolean().default(false),
  /** A7: `late` takes a fragment of a wrong size and fails the last one with 500, as the real service often does. */
  misalignedFragments: z.enum(['refuse', 'late']).default('refuse'),
  /** A7: until 2024 the upload and download host put up with an Authorization header; clients of then need it. */
  authorizationOnContentHost: z.enum(['refuse', 'ignore']).default('refuse'),
  /** A7: whether pages of other origins may read what the content host refuses; else they see a failed request. */
  errorsToPages: z.enum(['hidden', 'readable']).default('hidden'),
  /** A6: sessions live about 15 minutes, and each fragment moves the end forward. */
  sessionLifetimeSeconds: z.number().positive().default(900),
  /** A6: the token inside the upload URL lives 24 hours and cannot be extended. */
  uploadTokenLifetimeSeconds: z.number().positive().default(86_400),
  /** A9: minutes to an hour. */
  downloadUrlLifetimeSeconds: z.number().int().positive().default(900),
  /** Line speed of each upload and download; null is whatever the machine can do. */
  contentBytesPerSecond: z.number().positive().nullable().default(null),
  /** A8: more than this in one PUT is 413. */
  maxSimpleUploadBytes: z
    .number()
    .positive()
    .default(250 * 1024 * 1024),
  quotaBytes: z
    .number()
    .positive()
    .default(1024 ** 4),
  /** A10: resource units a minute and user; null is no limit. SharePoint starts at 1,200. */
  unitsPerMinute: z.number().positive().nullable().default(null),
  /** A3: characters of the library's own path that count toward the 400 (which prefix counts is not settled). */
  libraryPath: z.string().default('sites/projekte/Freigegebene Dokumente'),
  /** Rights in the site's library by `oid`; whoever is not listed may write. */
  access: z.record(z.string(), access).default({}),
  /** Graph's answers are held back so long: requests that do not wait for each other are then seen to begin together. */
  answerDelayMs: z.number().int().nonnegative().default(0),
  /** A10: users (`oid`) without a OneDrive licence: /me/drive is 404. */
  unlicensed: z.array(z.string()).default([]),
  /** A2: text for `localizedMessage` in error bodies. */
  localizedMessage: z.string().nullable().default(null),
  /** A10: leave `innerError` out of error bodies. */
  omitInnerError: z.boolean().default(false),
});

export type DriveSettings = z.infer<typeof driveSettings>;
