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

/** The meaning of a rejection, for code that can handle it. */
export type LibraryErrorReason =
  | 'notFound'
  | 'nameExists'
  | 'locked'
  | 'siteLocked'
  | 'fileOrSiteLocked'
  | 'changed'
  | 'conflict'
  | 'denied'
  | 'policy'
  | 'retained'
  | 'moved'
  | 'tooManyItems'
  | 'unlicensed'
  | 'full'
  | 'busy'
  | 'rule'
  | 'badName'
  | 'pathTooLong'
  | 'tooLarge'
  | 'badRange'
  | 'malware'
  | 'unauthenticated'
  | 'other';

/** A rejection that the library is known to send. Every property that a row has must match. */
interface Rejection {
  readonly reason: LibraryErrorReason;
  readonly statuses?: readonly number[];
  /** One of these is the code or an inner code. The upload host often omits the inner ones. */
  readonly codes?: readonly string[];
  readonly methods?: readonly string[];
  /** Only where no code tells the causes apart. */
  readonly message?: RegExp;
}

const whileReading = ['GET', 'HEAD'];
const retained = /\bretention\b|\bon hold\b|\bas a record\b/i;
// An item of another drive, and a drive that there is not.
const foreignId =
  /\bitem id\b.{0,40}\bnot valid\b|\bObjectHandle is invalid\b|\bdrive id\b.{0,40}\bmalformed\b/i;
// Not "is not checked out", which a library says that requires a check-out.
const fileLocked =
  /\block token\b|\b(?:is|currently) checked out\b|\blocked for (?:editing|shared use|exclusive use)\b/i;

/**
 * What a rejection means, by its codes, status, method, and text: the first row that matches (docs/drive-rules.md, A15, in
 * this order). A rejection that none describes has no cause that this service could tell.
 */
const rejections: readonly Rejection[] = [
  // First: the text of an expired token says "validation failed", as a list does.
  { reason: 'unauthenticated', statuses: [401] },
  // 423 means a file or its whole site.
  { reason: 'locked', codes: ['resourceLocked', 'lockMismatch', 'lockOwnerMismatch'] },
  { reason: 'locked', message: fileLocked },
  // An open editor forbids no reading.
  { reason: 'siteLocked', statuses: [423], methods: whileReading },
  { reason: 'siteLocked', statuses: [423], message: /\bsite\b/i },
  { reason: 'siteLocked', statuses: [403], message: /\bsite\b.{0,20}\bblocked\b/i },
  { reason: 'fileOrSiteLocked', statuses: [423] },

  { reason: 'retained', statuses: [403], message: retained },
  { reason: 'retained', statuses: [409], methods: ['DELETE'], message: retained },
  { reason: 'malware', codes: ['malwareDetected', 'virusSuspicious'] },
  { reason: 'full', codes: ['quotaLimitReached'] },
  { reason: 'full', statuses: [507] },
  { reason: 'tooLarge', codes: ['maxFileSizeExceeded'] },
  { reason: 'tooLarge', statuses: [413] },
  { reason: 'changed', codes: ['resourceModified'] },
  { reason: 'changed', statuses: [412] },
  { reason: 'conflict', statuses: [409], methods: ['DELETE'] },
  { reason: 'nameExists', codes: ['nameAlreadyExists'] },
  {
    reason: 'badRange',
    statuses: [400, 416],
    codes: ['invalidRange', 'fragmentOverlap', 'fragmentOutOfOrder', 'fragmentLengthMismatch'],
  },
  { reason: 'badRange', statuses: [416] },

  // 400: only these codes are about the name.
  { reason: 'pathTooLong', codes: ['pathIsTooLong', 'pathTooDeep', 'parameterIsTooLong'] },
  { reason: 'badName', codes: ['invalidPath'] },
  { reason: 'badName', statuses: [400], message: /\bname is reserved\b/i },
  { reason: 'unlicensed', statuses: [400], message: /\bSPO license\b/i },
  { reason: 'notFound', statuses: [400], message: foreignId },
  // Of the whole site: no file is missing because of it.
  { reason: 'moved', statuses: [308] },
  { reason: 'moved', statuses: [400], message: /\binvalid hostname for this tenancy\b/i },
  // At any status, and in the language of the site, but for the name of the exception.
  { reason: 'tooManyItems', message: /\blist view threshold\b|\bSPQueryThrottledException\b/i },
  { reason: 'tooManyItems', codes: ['-2147024860, Microsoft.SharePoint.SPQueryThrottledException'] },
  // The rules of a list, its columns and their defaults.
  { reason: 'rule', message: /\bvalidation failed\b|\brequired (?:properties|propert|columns?|fields?)\b/i },
  {
    reason: 'rule',
    statuses: [400],
    methods: ['POST', 'PUT'],
    message: /provided arguments is not acceptable/i,
  },

  // `accessDenied` is about the caller's rights; of any other rejection they are no known cause.
  { reason: 'policy', statuses: [403], codes: ['notAllowed'] },
  {
    reason: 'policy',
    statuses: [403],
    message: /\bpolic(?:y|ies)\b|\byour organi[sz]ation\b|\binformation barrier/i,
  },
  { reason: 'denied', statuses: [403] },
  { reason: 'notFound', statuses: [404, 410] },
  { reason: 'busy', statuses: [302, 408, 429, 500, 502, 503, 504, 509] },
];

/** `other` for a rejection that the table does not have. */
export function reasonOf({ method, status, codes, message }: Omit<WireError, 'at'>): LibraryErrorReason {
  const matching = rejections.find(
    (row) =>
      (row.statuses?.includes(status) ?? true) &&
      (row.codes?.some((code) => codes.includes(code)) ?? true) &&
      (row.methods === undefined || (method !== undefined && row.methods.includes(method))) &&
      (row.message?.test(message) ?? true),
  );
  return matching?.reason ?? 'other';
}
