import { reason, type FaultCode, type FaultParams, type Reason } from '../contract/faults.ts';

/** One fault of a request; `path` is dotted, starting with body, query, params or headers. */
export interface Fault extends Reason {
  readonly path: string;
}

export const faultAt = (path: string, code: FaultCode, params?: FaultParams): Fault => ({
  path,
  ...reason(code, params),
});

// docs/http-contract.md, "Everywhere" and the tables of each part. A code is part of the contract: it is never renamed.
export const problems = {
  invalid_request: [400, 'Invalid request'],
  unknown_folder: [400, 'Unknown folder'],
  unauthenticated: [401, 'Not signed in'],
  invalid_agent_key: [401, 'Invalid agent key'],
  interaction_required: [401, 'The identity provider requires more'],
  sign_in_again: [401, 'Sign in again'],
  forbidden: [403, 'Forbidden'],
  consent_missing: [403, 'Consent is missing'],
  library_access_denied: [403, 'Library access denied'],
  not_found: [404, 'Not found'],
  project_not_found: [404, 'Project not found'],
  contact_not_found: [404, 'Contact not found'],
  document_not_found: [404, 'Document not found'],
  version_not_found: [404, 'Version not found'],
  document_gone: [404, 'Document is gone from the library'],
  upload_not_found: [404, 'Upload not found'],
  sync_not_found: [404, 'Synchronization not found'],
  folder_request_not_found: [404, 'Folder request not found'],
  sync_closed: [409, 'The end of the synchronization has begun'],
  too_many_missing: [409, 'Too many records are missing'],
  idempotency_key_reused: [409, 'Idempotency key was used with another body'],
  request_in_progress: [409, 'Request is already in progress'],
  not_processing: [409, 'Folder request is not being processed'],
  claim_lost: [409, 'Claim is lost'],
  not_failed: [409, 'Folder request has not failed'],
  not_pending: [409, 'Folder request is not pending'],
  file_exists: [409, 'File exists'],
  upload_in_progress: [409, 'Another upload of this file is in progress'],
  upload_incomplete: [409, 'Upload is not complete'],
  folder_name_taken: [409, 'A file has the name of a folder'],
  root_folder_taken: [409, 'Root folder belongs to another project'],
  file_too_large: [413, 'File is too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  range_not_satisfiable: [416, 'Range is outside the file'],
  contact_has_no_email: [422, 'Contact has no email address'],
  library_rule: [422, 'Rule of the library is not met'],
  document_locked: [423, 'Document is locked'],
  library_locked: [423, 'Library is locked'],
  // API Management sends it, too (bicep/policies/api.xml).
  rate_limited: [429, 'Too many requests'],
  too_many_uploads: [429, 'Too many open uploads'],
  internal_error: [500, 'Internal error'],
  word_template_not_found: [500, 'Word template was not found'],
  word_template_invalid: [500, 'Word template is invalid'],
  ai_provider_error: [502, 'AI provider error'],
  library_error: [502, 'Library error'],
  identity_provider_error: [502, 'Identity provider error'],
  ai_provider_unavailable: [503, 'AI provider error'],
  library_throttled: [503, 'Library is busy'],
  identity_provider_unavailable: [503, 'Identity provider is unavailable'],
  storage_unavailable: [503, 'Storage is unavailable'],
  clock_differs: [503, 'Clock differs from the storage'],
  not_configured: [503, 'Not configured'],
  library_full: [507, 'Library is full'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof problems;

/** Every code of the contract with its status and title; the OpenAPI document lists them. */
export const problemCodes = Object.keys(problems) as readonly ProblemCode[];
export const statusOf = (code: ProblemCode): number => problems[code][0];

export interface ProblemFacts {
  /** For people; names the thing and what was expected, never a value that could be secret. */
  readonly detail?: string;
  /** The facts of the code, for texts in another language. */
  readonly params?: FaultParams;
  readonly errors?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  /** Members of the response that only this problem has (release/generate/openapi/problem-schema.ts). Never logged. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Of a 401: one word for the log (docs/log-events.md, "Rejected calls"). Never in the response. */
  readonly rejectedFor?: string;
  readonly cause?: unknown;
}

/** An error with its own row in the contract. Anything else that is thrown becomes `internal_error`. */
export class ServiceError extends Error {
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;

  constructor(code: ProblemCode, facts: ProblemFacts = {}) {
    super(facts.detail ?? problems[code][1], { cause: facts.cause });
    this.name = new.target.name;
    this.code = code;
    this.facts = facts;
  }

  get status(): number {
    return statusOf(this.code);
  }
}
