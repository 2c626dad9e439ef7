import { isFailureCode, type FailureCode } from '../../lib/contract/failure-codes.ts';
import type { FolderRequestReport } from '../../lib/contract/folder-requests.ts';
import { CopyError } from './copy-error.ts';
import { KerberosError } from '../smb/kerberos/index.ts';
import { ServiceFailure } from './service-failure.ts';
import { SmbError, type SmbErrorCode, type SmbPhase } from '../smb/index.ts';

/**
 * What a failure means for the agent. Only this file decides it.
 *
 * - `again`: retry with back-off. If the file server still returns the error after five minutes, report FAILED.
 * - `key-rejected`: the service rejects the key of this agent. Keep running and log it as fatal: an operator is about to add
 *   the key, and an agent that exited would have to be restarted at every site.
 * - `claim-lost`: another agent has the request, or it is done. Stop the work on it and report nothing.
 * - `dropped`: the service will never accept this call; a retry is useless.
 * - `logon-rejected`: the file server rejects this account. Accounts lock after a few failed logons, so the agent claims
 *   nothing and retries the logon only at a long interval.
 * - `not-ready`: the connection, the negotiation, the logon or the share failed otherwise, which says nothing about the
 *   request, whatever the status is. Retry for a while, then release the request, which does not count as an expired lease.
 *   Claim nothing until it succeeds.
 * - `outage`: connections to the file server break, or it is overloaded. Retry for a while, then leave the request to its
 *   lease. An expired lease counts, and should: this request may be what breaks the connection, and after
 *   `FOLDER_REQUEST_MAX_ATTEMPTS` of them the service ends it.
 * - `report`: an operator must change something on the share; report FAILED with the reason.
 */
export type ServiceVerdict = 'again' | 'key-rejected' | 'claim-lost' | 'dropped';
export type ShareVerdict = 'again' | 'logon-rejected' | 'outage' | 'not-ready' | 'report';

export function serviceVerdict({ kind, status = 0, code }: ServiceFailure): ServiceVerdict {
  // Without a code of the service the response is from an intermediary, such as a gateway that lets this address not in: whatever its
  // status is, it says nothing about the key (MicrosoftDocs/azure-docs#15130, #54790), the claim, or the call.
  if (kind !== 'rejected' || code === undefined) return 'again';
  if (status === 401 || status === 403) return 'key-rejected';
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'again';
  if (code === 'claim_lost' || code === 'not_processing' || code === 'folder_request_not_found')
    return 'claim-lost';
  return 'dropped';
}

export const keyAdvice =
  'The key must be only the secret of a pair of FOLDER_AGENT_API_KEYS of the service: k7Yw… of site-a:k7Yw…. The agent continues by itself once the service has it; after a change of FOLDER_AGENT_API_KEY or of the file of FOLDER_AGENT_API_KEY_FILE (systemd: /etc/folder-agent/api-key), restart the agent';

const unreachable =
  'Check FOLDER_AGENT_SMB_SERVER and FOLDER_AGENT_SMB_PORT, and whether a firewall blocks the port.';
const overloaded = 'Wait until the file server has recovered, and check its load and its limits.';
const changedOnTheWay =
  'Look for a device between this machine and the file server that changes or breaks connections, and update the file server.';
const forMaintainers =
  'Run the agent with FOLDER_AGENT_DEBUG=true, and send its log and the log of the file server to the maintainers.';
const stopping = 'Start the agent again.';

/**
 * The verdict on a call about a path, or the code of a FAILED report, which is the verdict `report`; what an operator must
 * do; and what to do instead if it happened in the template. `{account}` is the agent's account.
 */
const shareFailures: Readonly<
  Record<SmbErrorCode, readonly ['again' | 'outage' | FailureCode, string, string?]>
> = {
  CONNECT_FAILED: ['outage', unreachable],
  CONNECTION_LOST: ['outage', unreachable],
  TIMEOUT: ['outage', unreachable],
  CREDIT_STARVATION: ['outage', overloaded],
  SERVER_BUSY: ['outage', overloaded],
  PROTOCOL: ['again', changedOnTheWay],
  // A packet was changed, by an attacker or a cable. One is no reason to give up, and each retry is as safe as the first.
  INTEGRITY: ['again', changedOnTheWay],

  DOWNGRADE: ['outage', changedOnTheWay],
  DIALECT_REJECTED: [
    'outage',
    'Enable SMB 3 on the file server. If it has only 2.1, which has no encryption, set FOLDER_AGENT_SMB_MIN_DIALECT=2.1. The agent does not support SMB 2.0.2 and 1.',
  ],
  ENCRYPTION_UNAVAILABLE: [
    'outage',
    'Enable encryption on the file server, or set FOLDER_AGENT_SMB_ENCRYPTION to preferred.',
  ],
  GUEST_SESSION: [
    'outage',
    'The file server does not know {account}. Create it there, and turn off its guest access.',
  ],
  LOGON_REJECTED: ['outage', 'Check the account {account} and its password or keytab (FOLDER_AGENT_SMB_…).'],
  NTLM_UNAVAILABLE: ['outage', 'The server accepts only Kerberos. Set FOLDER_AGENT_SMB_REALM.'],
  KERBEROS_UNAVAILABLE: [
    'outage',
    'The path or the DFS link must use the server name that is registered in the realm (setspn -Q cifs/name), and the account of the server must support AES.',
  ],

  // The copy has already waited for the file.
  EBUSY: ['in_use', 'Another program has it open and does not share it. Close it there.'],
  SHARE_NOT_FOUND: [
    'share_not_found',
    'The file server has no share of this name. Check the path, or create the share.',
  ],
  EACCES: [
    'access_denied',
    'The account {account} has no write permission, or the share is read-only. Grant it Change on the share and Modify on the directory.',
    'The account {account} has no read permission. Grant it Read on the share and on the template directory.',
  ],
  ENOENT: [
    'not_found',
    'It, or a directory of its path, does not exist or was removed during the copy, or the path is too long for the file server. Create it, or correct the path.',
    'It does not exist, or was removed during the copy. Check FOLDER_AGENT_TEMPLATE_PATH and the template.',
  ],
  EEXIST: ['name_clash', 'Another program created it at the same time. Rename it.'],
  ENOTDIR: [
    'name_clash',
    'A file exists where a directory is needed. Rename it, or choose another target path.',
    'It is a file. Set FOLDER_AGENT_TEMPLATE_PATH to a directory.',
  ],
  EISDIR: ['name_clash', 'A directory exists where a file is needed. Rename it.'],
  ENOTEMPTY: ['name_clash', 'Another program added files to it. Rename or empty it.'],
  ENOSPC: ['disk_full', 'The disk is full, or {account} has used up its quota. Free some space.'],
  EROFS: ['read_only', 'The disk or share is read-only. Make it writable.'],
  NAME_INVALID: [
    'name_not_allowed',
    'The file server does not allow this name, or the path is too long for it. Rename it, or choose a shorter path.',
  ],
  TEMPORARY_NAME_FORBIDDEN: [
    'name_not_allowed',
    'Allow names of the form ~smb-*.tmp in the destination: remove the pattern from the settings of the share or from the file screen.',
  ],
  DFS_LINK: [
    'dfs_link',
    'Correct the link, set FOLDER_AGENT_DFS to on if it is off, or use the path on the server that holds the folder.',
  ],
  DFS_SERVER_REJECTED: [
    'dfs_link',
    'If the server is yours, add it to FOLDER_AGENT_DFS_SERVERS. The list must also include the servers of a domain namespace, usually the domain controllers.',
  ],
  NOT_SUPPORTED: ['server_error', forMaintainers],
  SERVER_ERROR: ['server_error', 'Look for the cause in the log of the file server.'],
  INVALID_ARGUMENT: ['server_error', forMaintainers],
  // The agent itself causes these; the loop never passes them here.
  ABORTED: ['again', stopping],
  CLOSED: ['again', stopping],
};

/** Codes with which a file server or this client rejects the account; each further try may lock it. */
const accountRejections: ReadonlySet<SmbErrorCode> = new Set<SmbErrorCode>([
  'LOGON_REJECTED',
  'GUEST_SESSION',
  'NTLM_UNAVAILABLE',
  'KERBEROS_UNAVAILABLE',
]);

/** For any error thrown while a request is fulfilled; one that is not the file server's is a bug in this program. */
export function shareVerdict(error: unknown): ShareVerdict {
  const smb = smbErrorOf(error);
  if (smb === undefined) return 'report';
  if (smb.phase !== 'call') return isAccountRejection(smb) ? 'logon-rejected' : 'not-ready';
  // Such as an unknown status.
  if (smb.code === 'SERVER_ERROR' && smb.retryable) return 'again';
  const [verdict] = shareFailures[smb.code];
  return isFailureCode(verdict) ? 'report' : verdict;
}

// Retryable: no KDC responds, or the clocks differ.
const isAccountRejection = ({ phase, code, retryable }: SmbError) =>
  phase === 'logon' && accountRejections.has(code) && !retryable;

/**
 * Whether the server clearly says that the share does not exist or is closed to the account. That is a request's outcome if
 * only the request names the share, which the caller must know: the agent's own shares are connected.
 */
export function isShareRejection(error: unknown): boolean {
  const smb = smbErrorOf(error);
  return smb?.phase === 'share' && (smb.code === 'SHARE_NOT_FOUND' || smb.code === 'EACCES');
}

/** What the agent says while it is not ready. */
export function notReadyText({ phase, code }: SmbError, account: string): string {
  if (code === 'TIMEOUT' || code === 'CONNECTION_LOST') return 'the file server cannot be reached';
  switch (phase) {
    case 'connect':
    case 'call':
      return 'the file server cannot be reached';
    case 'negotiate':
      return 'the file server and the agent agree on no protocol';
    case 'logon':
      return code === 'LOGON_REJECTED'
        ? `the file server rejects the logon of ${account}`
        : `the file server does not complete the logon of ${account}`;
    case 'share':
      return `the file server does not connect ${account} to the share`;
  }
}

/** The file server's error in an error thrown while a request is fulfilled. */
export function smbErrorOf(error: unknown): SmbError | undefined {
  if (error instanceof CopyError) return error.cause;
  return error instanceof SmbError ? error : undefined;
}

const noKdc = 'Use the DNS servers of the domain, or list its domain controllers in FOLDER_AGENT_KDC.';

type FailedReport = Extract<FolderRequestReport, { status: 'FAILED' }>;
export type Failure = Required<Pick<FailedReport, 'errorMessage' | 'errorCode' | 'errorParams'>> &
  Pick<FailedReport, 'mayPass'>;

/** What ends without anybody who knows of the request: space is freed, a share is writable again, a program closes the file. */
const passing: ReadonlySet<SmbErrorCode> = new Set<SmbErrorCode>(['ENOSPC', 'EROFS', 'EBUSY']);

/** The contents of a FAILED report. */
export function failureOf(error: unknown, account: string): Failure {
  const errorMessage = faultText(error, account, 'For operators: ');
  const smb = smbErrorOf(error);
  if (smb === undefined) return { errorMessage, errorCode: 'agent_error', errorParams: {} };
  const [verdict] = shareFailures[smb.code];
  const known = isFailureCode(verdict) ? verdict : 'server_error';
  const mayPass = passing.has(smb.code) && { mayPass: true };
  if (!(error instanceof CopyError)) return { errorMessage, errorCode: known, errorParams: {}, ...mayPass };
  const isTemplate = error.side === 'template' && isFailureCode(verdict);
  const errorCode = isTemplate ? 'template_unreadable' : known;
  return { errorMessage, errorCode, errorParams: { path: error.path }, ...mayPass };
}

/**
 * What failed and where, what the file server said, and what to do. Contains paths and the name of the account, nothing
 * secret.
 *
 * @param lead before what to do: the requester reads a FAILED report too, and can do nothing of that
 */
export function faultText(error: unknown, account: string, lead = ''): string {
  const smb = smbErrorOf(error);
  if (smb === undefined) {
    return 'The agent has an internal error; its log has the details. Contact the maintainers if it happens again.';
  }
  const copy = error instanceof CopyError ? error : undefined;
  const where = copy ? `${copy.side === 'template' ? 'Template' : 'Destination'} ${copy.path}: ` : '';
  return `${where}${smb.message.replace(/\.$/, '')}. ${lead}${advice(smb, copy?.side, account)}`;
}

/** What to do about a status that any request of its phase may get. Codes that exist only in one phase have their own. */
const phaseAdvice: Readonly<Record<Exclude<SmbPhase, 'call'>, string>> = {
  connect: unreachable,
  negotiate: 'Check which versions of SMB the file server allows, and look for the reason in its log.',
  logon:
    'It does not say that the password is wrong. Check that the file server reaches a domain controller and has its trust, and whether it requires encryption, which needs FOLDER_AGENT_SMB_MIN_DIALECT=3.0 or later.',
  share: 'Check that the share exists and is online, and that {account} may connect to it.',
};

/** Codes that say the same about any path, so in an earlier phase their advice would be wrong. */
const ofPaths: ReadonlySet<SmbErrorCode> = new Set<SmbErrorCode>([
  'EACCES',
  'ENOENT',
  'EEXIST',
  'ENOTDIR',
  'EISDIR',
  'ENOTEMPTY',
  'EBUSY',
  'ENOSPC',
  'EROFS',
  'NAME_INVALID',
  'NOT_SUPPORTED',
  'SERVER_ERROR',
]);

export function advice(smb: SmbError, side: CopyError['side'] | undefined, account: string): string {
  const { code, phase, cause } = smb;
  if (cause instanceof KerberosError && cause.code === 'KDC_UNREACHABLE') return noKdc;
  const [, remedy, onTemplate = remedy] = shareFailures[code];
  const isGeneral = phase !== 'call' && (ofPaths.has(code) || (phase === 'logon' && code === 'SERVER_BUSY'));
  const text = isGeneral ? phaseAdvice[phase] : side === 'template' ? onTemplate : remedy;
  return text.replace('{account}', () => account);
}
