import { z } from 'zod';

const access = z.enum(['none', 'read', 'write']);

/** Permanent settings of the emulator, changed over the admin URL. The cited rules are in docs/drive-rules.md. */
export const driveSettings = z.strictObject({
  /** A3: whether names that differ only in Unicode normalization are the same item. Unknown for SharePoint. */
  unicode: z.enum(['nfc', 'exact']).default('nfc'),
  /** A5: whether `folder.childCount` is the stored number of children, or that of those visible to the caller. */
  childCount: z.enum(['stored', 'visible']).default('stored'),
  /** A2: creating files and folders by path creates missing parents; with `true`, the response is 404, as in older docs. */
  requireParents: z.boolean().default(false),
  /** A6: conflict behavior of a session without an annotation. The documentation contradicts itself; rclone needs replace. */
  defaultSessionConflict: z.enum(['replace', 'fail', 'rename']).default('replace'),
  /** A6: a second session for a file that has an open one is 409 unless `true`. */
  concurrentSessions: z.boolean().default(false),
  /** A7: `late` accepts a fragment of a wrong size and fails the last one with 500, as the real service often does. */
  misalignedFragments: z.enum(['reject', 'late']).default('reject'),
  /** A7: until 2024, the upload and download host ignored an Authorization header; clients from that time rely on it. */
  authorizationOnContentHost: z.enum(['reject', 'ignore']).default('reject'),
  /** A7: whether pages of other origins can read errors of the content host; otherwise they only see a failed request. */
  errorsToPages: z.enum(['hidden', 'readable']).default('hidden'),
  /** A6: sessions live about 15 minutes, and each fragment extends them. */
  sessionLifetimeSeconds: z.number().positive().default(900),
  /** A6: the token in the upload URL lives 24 hours and cannot be extended. */
  uploadTokenLifetimeSeconds: z.number().positive().default(86_400),
  /** A9: minutes to an hour. */
  downloadUrlLifetimeSeconds: z.number().int().positive().default(900),
  /** Bandwidth of each upload and download; null for no limit. */
  contentBytesPerSecond: z.number().positive().nullable().default(null),
  /** A8: a larger content PUT is 413. */
  maxSimpleUploadBytes: z
    .number()
    .positive()
    .default(250 * 1024 * 1024),
  quotaBytes: z
    .number()
    .positive()
    .default(1024 ** 4),
  /** A10: resource units per minute and user; null for no limit. SharePoint's limit starts at 1,200. */
  unitsPerMinute: z.number().positive().nullable().default(null),
  /** A3: the library's own path, which counts toward the 400 characters (which prefix counts is unknown). */
  libraryPath: z.string().default('sites/projekte/Freigegebene Dokumente'),
  /** Permissions in the site's library by `oid`; users who are not listed can write. */
  access: z.record(z.string(), access).default({}),
  /** A15: an administrator, an archive, or a policy has locked the site for everything, or only for changes. */
  siteLock: z.enum(['none', 'noAccess', 'readOnly']).default('none'),
  /** A15: what the list validates fails at the end of each upload, with 500. */
  rejectsByValidation: z.boolean().default(false),
  /** A15: a date column with a default value rejects the creation of upload sessions. */
  hasColumnDefault: z.boolean().default(false),
  /**
   * A15: extensions of files that a site without custom scripts rejects like a missing right, with their dots
   * (MicrosoftDocs/OfficeDocs-SharePoint#1389).
   */
  blockedExtensions: z.array(z.string()).default([]),
  /** A16: `required`: a file that was uploaded stays checked out until it is checked in. */
  checkOut: z.enum(['optional', 'required']).default('optional'),
  /** A16: a required column without a value: a file that was uploaded stays checked out, and cannot be checked in. */
  hasRequiredColumn: z.boolean().default(false),
  /** A18: `none`: a file that is replaced has only its last version. */
  versioning: z.enum(['major', 'none']).default('major'),
  /** A18: a new file is a draft, which others do not see until somebody approves it. */
  contentApproval: z.boolean().default(false),
  /** Delay of responses, except of streamed files, which makes requests that do not wait for each other visibly start together. */
  responseDelayMs: z.number().int().nonnegative().default(0),
  /** A10: users (`oid`) without a OneDrive license: /me/drive is 404. */
  unlicensed: z.array(z.string()).default([]),
  /** A2: text for `localizedMessage` in error bodies. */
  localizedMessage: z.string().nullable().default(null),
  /** A10: omits `innerError` from error bodies. */
  omitInnerError: z.boolean().default(false),
});

export type DriveSettings = z.infer<typeof driveSettings>;
