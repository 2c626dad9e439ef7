import { retryAfterSecondsIn } from '../contract/retry.ts';
import { ServiceError, type ProblemCode } from '../base/service-error.ts';

/** A rejection as received. */
export interface WireError {
  /** The method of the request: a GET or DELETE cannot have a bad name. */
  readonly method?: string;
  readonly status: number;
  /** The time of the response by the library's clock. */
  readonly at: Date;
  /** `error.code` and every nested `innerError.code`, outermost first. */
  readonly codes: readonly string[];
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  /** An earlier attempt of the same request may have taken effect, and the rejection may be a result of it. */
  readonly isRepeated?: boolean;
}

const problems = {
  notFound: ['library_error', 'The library no longer has what this needs.'],
  nameExists: ['library_error', 'The library already has a file or folder with this name.'],
  locked: ['document_locked', 'The document is locked in the library, for instance open in an editor.'],
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
  badName: ['invalid_request', 'The library does not accept this name.'],
  pathTooLong: [
    'invalid_request',
    'The path of the file, library and folders included, is longer than the 400 characters the library allows.',
  ],
  tooLarge: ['file_too_large', 'The file is larger than the library accepts.'],
  badRange: ['library_error', 'The library rejected a part of the upload.'],
  malware: ['library_error', "The library's malware scan blocks this document."],
  unauthenticated: ['sign_in_again', 'The library no longer accepts the sign-in; sign in again.'],
  other: ['library_error', 'The response of the library is unusable.'],
} as const satisfies Record<string, readonly [code: ProblemCode, detail: string]>;

/** The meaning of a rejection, for code that can handle it. */
export type LibraryErrorReason = keyof typeof problems;

/** Problems of any route that uses the library; the OpenAPI document lists them. */
export const libraryProblems = [
  'interaction_required',
  'sign_in_again',
  'consent_missing',
  'library_access_denied',
  'document_locked',
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
  if (isRetained(wire)) return new LibraryError('denied', { wire, detail: retained });
  return new LibraryError(reasonOf(wire), { wire });
}

/** This machine's time for a response without a date. */
export const libraryTime = (headers: Headers): Date =>
  new Date(Date.parse(headers.get('date') ?? '') || Date.now());

const retained =
  'The library keeps this document or its folder: a retention policy, a retention label or a hold forbids the change. Those responsible for compliance can lift it.';

/** Graph has no code for it: 403 `accessDenied`, and only the message tells it from missing rights (drive rule A10). */
const isRetained = ({ method, status, message }: WireError): boolean =>
  (status === 403 || (status === 409 && method === 'DELETE')) &&
  /\bretention\b|\bon hold\b|\bas a record\b/i.test(message);

/** The code takes precedence over the status, because one status can have several meanings. */
function reasonOf({ method, status, codes, message }: WireError): LibraryErrorReason {
  const has = (...names: readonly string[]): boolean => codes.some((code) => names.includes(code));
  if (has('resourceLocked') || status === 423 || /lock token/i.test(message)) return 'locked';
  if (has('malwareDetected', 'virusSuspicious')) return 'malware';
  if (has('quotaLimitReached') || status === 507) return 'full';
  if (has('pathIsTooLong')) return 'pathTooLong';
  if (has('maxFileSizeExceeded') || status === 413) return 'tooLarge';
  if (has('resourceModified') || status === 412) return 'changed';
  if (status === 409 && method === 'DELETE') return 'conflict';
  if (status === 400 && (method === 'GET' || method === 'DELETE')) return 'other';
  return reasonsByStatus[status] ?? (status >= 500 ? 'busy' : 'other');
}

const reasonsByStatus: Readonly<Record<number, LibraryErrorReason>> = {
  302: 'busy',
  400: 'badName',
  401: 'unauthenticated',
  403: 'denied',
  404: 'notFound',
  408: 'busy',
  409: 'nameExists',
  410: 'notFound',
  416: 'badRange',
  429: 'busy',
};

function errorOf(body: string): { codes: readonly string[]; message: string } {
  let node: unknown;
  try {
    node = (JSON.parse(body) as { error?: unknown }).error;
  } catch {
    return { codes: [], message: 'not JSON' };
  }
  const codes: string[] = [];
  const message = (node as { message?: unknown } | undefined)?.message;
  while (typeof node === 'object' && node !== null && codes.length < 8) {
    const { code, innerError, innererror } = node as Record<string, unknown>;
    if (typeof code === 'string') codes.push(code);
    node = innerError ?? innererror;
  }
  return { codes, message: typeof message === 'string' ? message : '' };
}
