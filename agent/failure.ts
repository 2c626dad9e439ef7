import { CopyError } from './copy-error.ts';
import { ServiceFailure } from './service-failure.ts';
import { SmbError, type SmbErrorCode } from './smb/index.ts';

/**
 * What a failure means for the agent. This file is the one place that decides it; everything else asks.
 *
 * - `again`: nothing is known to be wrong; try again with back-off. What the file server still answers to the same call
 *   after five minutes is reported FAILED.
 * - `key-refused`: the service does not know this agent. Stay alive and say so loudly: an operator is about to add the
 *   key, and an agent that ended would have to be started again at every site.
 * - `claim-lost`: the request is somebody else's now, or done. End the work on it and report nothing.
 * - `dropped`: the service will never take this call; repeating it is useless.
 * - `logon-refused`: the file server refuses this account, or this client refuses the file server. Accounts lock after a
 *   few refused logons, so claiming stops and the logon is repeated at a long interval only.
 * - `outage`: connections to the file server break, or it is overloaded. Try again for a while, then leave the request to
 *   its lease. An expired lease counts, and that is intended: it may be this request that breaks the connection, and after
 *   `FOLDER_REQUEST_MAX_ATTEMPTS` of them the service ends it.
 * - `unreachable`: nobody gets in at the file server. That says nothing about the request: try again for a while, then
 *   release it, which does not count. Nothing is claimed until the file server lets the agent in again.
 * - `report`: an operator has to change something on the share; report FAILED with the reason.
 */
export type ServiceVerdict = 'again' | 'key-refused' | 'claim-lost' | 'dropped';
export type ShareVerdict = 'again' | 'logon-refused' | 'outage' | 'unreachable' | 'report';

/** First row that fits. */
const serviceVerdicts: readonly {
  readonly fits: (failure: ServiceFailure) => boolean;
  readonly verdict: ServiceVerdict;
}[] = [
  { fits: ({ kind }) => kind === 'unreachable', verdict: 'again' },
  // Also where a proxy answers in the service's place: its page says nothing about the key.
  {
    fits: ({ status, kind }) => kind === 'refused' && (status === 401 || status === 403),
    verdict: 'key-refused',
  },
  // Whatever the status: a body that is not the service's came from something in between, which may be gone next time.
  { fits: ({ kind }) => kind === 'undecodable', verdict: 'again' },
  {
    fits: ({ status = 0 }) => status === 408 || status === 425 || status === 429 || status >= 500,
    verdict: 'again',
  },
  { fits: ({ code }) => code === 'claim_lost' || code === 'not_processing', verdict: 'claim-lost' },
  { fits: ({ code }) => code === 'folder_request_not_found', verdict: 'claim-lost' },
  // A 404 without the service's code is a wrong base URL or a deployment under way, not a statement about the request.
  { fits: ({ status, code }) => status === 404 && code === undefined, verdict: 'again' },
  { fits: () => true, verdict: 'dropped' },
];

export function serviceVerdict(failure: ServiceFailure): ServiceVerdict {
  return serviceVerdicts.find(({ fits }) => fits(failure))?.verdict ?? 'again';
}

const shareVerdicts: Readonly<Record<SmbErrorCode, ShareVerdict>> = {
  CONNECT_FAILED: 'unreachable',
  CONNECTION_LOST: 'outage',
  TIMEOUT: 'outage',
  CREDIT_STARVATION: 'outage',
  SERVER_BUSY: 'outage',
  PROTOCOL: 'again',
  // Somebody changed a packet, or a cable did. Once is no reason to give up, and each try is as safe as the first.
  INTEGRITY: 'again',

  DOWNGRADE: 'logon-refused',
  DIALECT_REJECTED: 'logon-refused',
  ENCRYPTION_UNAVAILABLE: 'logon-refused',
  GUEST_SESSION: 'logon-refused',
  LOGON_REJECTED: 'logon-refused',
  NTLM_UNAVAILABLE: 'logon-refused',
  KERBEROS_UNAVAILABLE: 'logon-refused',

  // The copy has already waited for it.
  BUSY: 'report',
  SHARE_NOT_FOUND: 'report',
  ACCESS_DENIED: 'report',
  NOT_FOUND: 'report',
  PARENT_NOT_FOUND: 'report',
  EXISTS: 'report',
  NOT_A_DIRECTORY: 'report',
  IS_A_DIRECTORY: 'report',
  DIRECTORY_NOT_EMPTY: 'report',
  DISK_FULL: 'report',
  READ_ONLY: 'report',
  NAME_INVALID: 'report',
  DFS_LINK: 'report',
  DFS_SERVER_REJECTED: 'report',
  NOT_SUPPORTED: 'report',
  SERVER_ERROR: 'report',
  INVALID_ARGUMENT: 'report',
  // Ours only; the loop never asks about them.
  ABORTED: 'again',
  CLOSED: 'again',
};

/** Before these have succeeded nothing that a request asks for was begun. */
const gettingIn: ReadonlySet<string> = new Set(['connect', 'negotiate', 'log on']);

/** For anything thrown while a request is provisioned; what is not the file server's is a fault of this program. */
export function shareVerdict(error: unknown): ShareVerdict {
  const smb = smbErrorOf(error);
  if (smb === undefined) return 'report';
  if (smb.code === 'SERVER_ERROR' && smb.retryable) return 'again';
  // No KDC answers, or the clocks differ: as with a file server that does not answer, it may pass.
  if (smb.code === 'KERBEROS_UNAVAILABLE' && smb.retryable) return 'unreachable';
  const verdict = shareVerdicts[smb.code];
  return verdict === 'outage' && gettingIn.has(smb.operation) ? 'unreachable' : verdict;
}

/** The file server's error in what was thrown while a request was provisioned. */
export function smbErrorOf(error: unknown): SmbError | undefined {
  if (error instanceof CopyError) return error.cause;
  return error instanceof SmbError ? error : undefined;
}

/** What an operator has to do, by code; the account is named where its rights are the matter. */
const remedies: Partial<
  Record<SmbErrorCode, (account: string, side: CopyError['side'] | undefined) => string>
> = {
  ACCESS_DENIED: (account, side) =>
    side === 'template'
      ? `The account ${account} may not read it. Give it Read on the share and on the template directory.`
      : `The account ${account} may not write there, or the share is read-only. Give it Change on the share and Modify on the directory.`,
  READ_ONLY: () => 'The disk or share is read-only. Make it writable.',
  DISK_FULL: (account) => `The disk is full or the quota of ${account} is used up. Make room.`,
  SHARE_NOT_FOUND: () => 'The file server has no share of that name. Check the path, or create the share.',
  NOT_FOUND: (_, side) =>
    side === 'template'
      ? 'It does not exist, or was removed while it was being copied. Check FOLDER_AGENT_TEMPLATE_PATH and the template.'
      : 'It does not exist.',
  PARENT_NOT_FOUND: (_, side) =>
    side === 'template'
      ? 'A directory on the way does not exist. Check FOLDER_AGENT_TEMPLATE_PATH.'
      : 'A directory on the way does not exist, was removed meanwhile, or the path is too long for the file server.',
  NOT_A_DIRECTORY: () => 'A file is where a directory is needed: rename it, or choose another target path.',
  IS_A_DIRECTORY: () => 'There is a directory where a file is needed.',
  BUSY: () => 'It is open in another program, which does not share it. Close it there.',
  NAME_INVALID: () => 'The file server does not allow this name, or the path is too long for it.',
  KERBEROS_UNAVAILABLE: () =>
    'Have the path or the DFS link name the server as the realm knows it (setspn -Q cifs/name), and its account use AES.',
  NTLM_UNAVAILABLE: () => 'That server takes Kerberos only: set FOLDER_AGENT_SMB_REALM.',
  DFS_LINK: () =>
    'Have the link corrected, or set FOLDER_AGENT_DFS to on if it is off; or use the path of the server that holds it.',
  DFS_SERVER_REJECTED: () =>
    'If that server is one of yours, add it to FOLDER_AGENT_DFS_SERVERS; the servers of a domain namespace, mostly its domain controllers, have to be among them too.',
};

/**
 * The text of a FAILED report: what happened where, what the file server said, and what to do. It names paths and the
 * account, nothing secret.
 */
export function failureText(error: unknown, account: string): string {
  const smb = smbErrorOf(error);
  if (smb === undefined) {
    return 'The agent ran into a fault of its own; its log has the details. Requeue the request, and tell the maintainers if it fails again.';
  }
  const copy = error instanceof CopyError ? error : undefined;
  const where = copy ? `${copy.side === 'template' ? 'Template' : 'Destination'} ${copy.path}: ` : '';
  const remedy = remedies[smb.code]?.(account, copy?.side);
  return `${where}${smb.message.replace(/\.$/, '')}. ${remedy ?? 'Look into the log of the agent.'} Then requeue the request.`;
}
