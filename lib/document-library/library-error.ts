import * as z from 'zod';
import { valueOfJson } from '../contract/json.ts';
import { retryAfterSecondsIn } from '../contract/retry.ts';
import { ServiceError, type ProblemCode } from '../base/service-error.ts';
import { reasonOf, type LibraryErrorReason, type WireError } from './rejections.ts';

export type { LibraryErrorReason } from './rejections.ts';

const problems = {
  notFound: ['library_error', 'The library no longer has what this needs.'],
  nameExists: ['library_error', 'The library already has a file or folder with this name.'],
  locked: ['document_locked', 'The document is locked in the library, for instance open in an editor.'],
  siteLocked: [
    'library_locked',
    'The site of the library is locked, archived or read-only. Its administrators can unlock it.',
  ],
  fileOrSiteLocked: [
    'document_locked',
    'The library reports a lock without saying of what: the document may be open in an editor, or the site may be locked, archived or read-only. For a project, GET /api/v1/documents/projects/{projectId}/access says if it is the site.',
  ],
  retained: [
    'library_access_denied',
    'The library keeps this document or its folder: a retention policy, a retention label or a hold forbids the change. Those responsible for compliance can lift it.',
  ],
  rule: [
    'library_rule',
    'The library rejects the file by a rule of its own: the validation of the list or of a column, a required column, or the default value of a column. Its settings show them; repeating the request does not help.',
  ],
  policy: [
    'library_access_denied',
    'A policy of the organization forbids it, whatever rights the caller has: for instance a sensitivity label, an information barrier, or a limit for downloads. The administrators of Microsoft 365 can say which.',
  ],
  moved: [
    'library_error',
    'The site of the library has another address than this service uses (DOCLIB_SITE_ID): the site or the tenant was renamed or moved.',
  ],
  tooManyItems: [
    'library_error',
    'The library has more items in one place than its list view threshold allows it to read; its administrators can divide them among folders, or index its columns. Repeating the request does not help.',
  ],
  unlicensed: [
    'library_access_denied',
    'The tenant, or the signed-in user, has no license for SharePoint. An administrator of Microsoft 365 can assign one.',
  ],
  changed: ['library_error', 'The document was changed in the library at the same time; try again.'],
  conflict: [
    'library_error',
    'The library does not delete the document in its present state (conflict), for instance while someone else changes it; try again later.',
  ],
  denied: [
    'library_access_denied',
    'The library denied access. Causes: missing API permissions, missing admin consent, or missing access to the site or library. For a project, GET /api/v1/documents/projects/{projectId}/access says which.',
  ],
  full: ['library_full', 'The quota of the document library is used up.'],
  busy: ['library_throttled', 'The library is busy or did not respond; try again later.'],
  badName: ['invalid_request', 'The library does not accept the name of the file or of a folder.'],
  pathTooLong: [
    'invalid_request',
    'The path of the file, library and folders included, is longer than the 400 characters the library allows.',
  ],
  tooLarge: ['file_too_large', 'The file is larger than the library accepts.'],
  badRange: ['library_error', 'The library rejected a part of the upload.'],
  malware: ['library_error', "The library's malware scan blocks this document."],
  unauthenticated: ['sign_in_again', 'The library no longer accepts the sign-in; sign in again.'],
  other: [
    'library_error',
    'The response of the library is unusable: this service does not know its cause, and the log has its words.',
  ],
} as const satisfies Record<LibraryErrorReason, readonly [code: ProblemCode, detail: string]>;

/** Problems of any route that uses the library; the OpenAPI document lists them. */
export const libraryProblems = [
  'interaction_required',
  'sign_in_again',
  'consent_missing',
  'library_access_denied',
  'document_locked',
  'library_locked',
  'library_rule',
  'library_error',
  'identity_provider_error',
  'library_throttled',
] as const satisfies readonly ProblemCode[];

/**
 * A rejection or failure of the library. Uncaught, it becomes the response that the contract specifies; `reason` is for
 * callers that give it a more specific meaning.
 */
export class LibraryError extends ServiceError {
  readonly reason: LibraryErrorReason;
  /** Absent without a response. */
  readonly wire: WireError | undefined;

  /** @param detail for the caller, if it is more specific than that of the reason */
  constructor(
    reason: LibraryErrorReason,
    { wire, cause, ...given }: { wire?: WireError; cause?: unknown; detail?: string } = {},
  ) {
    const [code, general] = problems[reason];
    super(code, {
      detail: given.detail ?? general,
      // The library's own message is for the log only.
      cause: wire ? new Error(`${wire.status} ${wire.codes.join(' > ')}: ${wire.message}`, { cause }) : cause,
      ...(wire?.retryAfterSeconds !== undefined && { retryAfterSeconds: wire.retryAfterSeconds }),
    });
    this.reason = reason;
    this.wire = wire;
  }
}

export const isLibraryError = (
  error: unknown,
  ...reasons: readonly LibraryErrorReason[]
): error is LibraryError => error instanceof LibraryError && reasons.includes(error.reason);

/** The error of a request that concerns no file: a lock is that of the site, even if the library does not say so. */
export const lockOfSite = (error: unknown): unknown =>
  isLibraryError(error, 'fileOrSiteLocked')
    ? // With the response: without one, the request could have taken effect.
      new LibraryError('siteLocked', { ...(error.wire && { wire: error.wire }), cause: error })
    : error;

/** Whether the request may have taken effect although it failed: no response, one of a gateway, or an unknown one. */
export const mayHaveTakenEffect = (error: unknown): error is LibraryError =>
  error instanceof LibraryError && (error.wire === undefined || error.wire.status >= 500);

/** The error that a response reports, with its body, which may be Graph's JSON or a proxy's page. */
export function libraryErrorOf(
  { status, headers, body }: { status: number; headers: Headers; body: string },
  request: Pick<WireError, 'method' | 'isRepeated'>,
): LibraryError {
  const retryAfterSeconds = retryAfterSecondsIn(headers);
  const wire = { ...request, ...errorOf(body), status, at: libraryTime(headers), retryAfterSeconds };
  return new LibraryError(reasonOf(wire), { wire });
}

/** This machine's time for a response without a date. */
export const libraryTime = (headers: Headers): Date =>
  new Date(Date.parse(headers.get('date') ?? '') || Date.now());

const maxCodes = 8;
const text = z.string().optional().catch(undefined);
/** Graph's error, or one within it. */
const nested = z.unknown().optional();
const errorNode = z.object({ code: text, message: text, innerError: nested, innererror: nested });
const errorBody = z.object({ error: nested });

function errorOf(body: string): { codes: readonly string[]; message: string } {
  const { data: whole } = errorBody.safeParse(valueOfJson(body));
  if (!whole) return { codes: [], message: 'not JSON' };
  const codes: string[] = [];
  let node = errorNode.safeParse(whole.error).data;
  const message = node?.message ?? '';
  while (node && codes.length < maxCodes) {
    if (node.code !== undefined) codes.push(node.code);
    node = errorNode.safeParse(node.innerError ?? node.innererror).data;
  }
  return { codes, message };
}
