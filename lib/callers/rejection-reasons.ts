/** Why a call is 401, for operators (docs/log-events.md, "Rejected calls"); its caller sees only the code. */
export const rejectionReasons = [
  'no_token',
  'no_bearer_token',
  'malformed_token',
  'wrong_algorithm',
  'unknown_signing_key',
  'wrong_signature',
  'expired',
  'not_yet_valid',
  'wrong_tenant',
  'wrong_audience',
  'missing_claim',
  'wrong_kind',
  'wrong_scope',
  'unlisted_client',
  'missing_permission',
  'no_key',
  'unknown_key',
] as const;

export type RejectionReason = (typeof rejectionReasons)[number];
