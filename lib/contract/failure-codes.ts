/** Why a request is FAILED. Agents send all but the last two. */
export const failureCodes = [
  'path_not_allowed',
  'template_unreadable',
  'access_denied',
  'read_only',
  'disk_full',
  'share_not_found',
  'not_found',
  'name_clash',
  'name_not_allowed',
  'in_use',
  'dfs_link',
  'server_rejects_logon',
  'server_error',
  'agent_error',
  'lease_expired',
  'other',
] as const;
export type FailureCode = (typeof failureCodes)[number];
export const isFailureCode = (code: unknown): code is FailureCode =>
  (failureCodes as readonly unknown[]).includes(code);
