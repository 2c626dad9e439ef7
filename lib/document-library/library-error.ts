import { retryAfterMs } from '../contract/retry.ts';
import { ServiceError, type ProblemCode } from '../base/service-error.ts';

/** What a refusal of the library means, for code that can do something about it. */
export type RefusalReason =
  | 'notFound'
  | 'nameExists'
  | 'locked'
  | 'changed'
  | 'denied'
  | 'full'
  | 'busy'
  | 'badName'
  | 'pathTooLong'
  | 'tooLarge'
  | 'badRange'
  | 'malware'
  | 'unauthenticated'
  | 'other';

/** A refusal as it came over the wire. */
export interface WireRefusal {
  /** Of the request: what gives no name can't have given a bad one. */
  readonly method?: string;
  readonly status: number;
  /** `error.code` and every nested `innerError.code`, outermost first. */
  readonly codes: readonly string[];
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  /** An earlier try of the same request may have taken effect: the refusal may be for what it did. */
  readonly isRepeated?: boolean;
}

const answers: Readonly<Record<RefusalReason, readonly [code: ProblemCode, detail: string]>> = {
  notFound: ['library_error', 'The library no longer has what this needs.'],
  nameExists: ['library_error', 'The library has something of that name already.'],
  locked: ['document_locked', 'The document is locked in the library, for instance open in an editor.'],
  changed: ['library_error', 'The document changed in the library meanwhile; try again.'],
  denied: [
    'library_access_denied',
    'The library refused. Causes: missing API permissions, missing admin consent, or missing access to the site or library.',
  ],
  full: ['library_full', 'The quota of the library is used up.'],
  busy: ['library_throttled', 'The library is busy or did not answer; try again later.'],
  badName: ['invalid_request', 'The library does not accept this name.'],
  pathTooLong: [
    'invalid_request',
    'The path of the file, library and folders included, is longer than the 400 characters the library allows.',
  ],
  tooLarge: ['file_too_large', 'The file is larger than the library accepts.'],
  badRange: ['library_error', 'The library refused a part of the upload.'],
  malware: ['library_error', "The library's malware scan blocks this document."],
  unauthenticated: ['sign_in_again', 'The library no longer accepts the sign-in; sign in again.'],
  other: ['library_error', 'The library answered with something unusable.'],
};

/** What any route that works on the library may answer; the OpenAPI document lists it. */
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
 * A refusal or failure of the library. Uncaught it is the contract's answer already; `reason` is for those who know
 * better what it means where they are.
 */
export class LibraryError extends ServiceError {
  readonly reason: RefusalReason;
  /** Absent when no answer came at all. */
  readonly wire: WireRefusal | undefined;

  constructor(reason: RefusalReason, { wire, cause }: { wire?: WireRefusal; cause?: unknown } = {}) {
    const [code, detail] = answers[reason];
    super(code, {
      detail,
      // The library's own words are for the log only.
      cause: wire ? new Error(`${wire.status} ${wire.codes.join(' > ')}: ${wire.message}`, { cause }) : cause,
      ...(wire?.retryAfterSeconds !== undefined && { retryAfterSeconds: wire.retryAfterSeconds }),
    });
    this.reason = reason;
    this.wire = wire;
  }
}

export const isRefusal = (error: unknown, ...reasons: readonly RefusalReason[]): error is LibraryError =>
  error instanceof LibraryError && reasons.includes(error.reason);

/** Whether what failed may have been done all the same: no answer, one of a gateway, or one nobody understands. */
export const mayHaveTakenEffect = (error: unknown): error is LibraryError =>
  error instanceof LibraryError && (error.wire === undefined || error.wire.status >= 500);

export const libraryErrorOf = (wire: WireRefusal, cause?: unknown): LibraryError =>
  new LibraryError(reasonOf(wire), { wire, cause });

/** Codes decide before the status, where the same status means different things. */
function reasonOf({ method, status, codes, message }: WireRefusal): RefusalReason {
  const has = (...names: readonly string[]): boolean => codes.some((code) => names.includes(code));
  if (has('resourceLocked') || status === 423 || /lock token/i.test(message)) return 'locked';
  if (has('malwareDetected')) return 'malware';
  if (has('quotaLimitReached') || status === 507) return 'full';
  if (has('pathIsTooLong')) return 'pathTooLong';
  if (has('maxFileSizeExceeded') || status === 413) return 'tooLarge';
  if (has('resourceModified') || status === 412) return 'changed';
  if (status === 400 && (method === 'GET' || method === 'DELETE')) return 'other';
  return reasonsByStatus[status] ?? (status >= 500 ? 'busy' : 'other');
}

const reasonsByStatus: Readonly<Record<number, RefusalReason>> = {
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

/** The refusal in a body that may be Graph's JSON, or a proxy's page. */
export function wireRefusal(status: number, headers: Headers, body: string): WireRefusal {
  const { codes, message } = errorOf(body);
  return { status, codes, message, retryAfterSeconds: retryAfterSecondsOf(headers) };
}

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

export function retryAfterSecondsOf(headers: Headers): number | undefined {
  const response = { date: headers.get('date'), receivedAtMs: Date.now() };
  const ms = retryAfterMs(headers.get('retry-after'), response);
  return ms === undefined ? undefined : ms / 1000;
}
