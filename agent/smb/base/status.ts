import { SmbError, type SmbErrorCode } from './smb-error.ts';

/** NTSTATUS values that the client acts on; names as in MS-ERREF without `STATUS_`. */
export const Status = {
  success: 0x00000000,
  pending: 0x00000103,
  bufferOverflow: 0x80000005,
  noMoreFiles: 0x80000006,
  invalidHandle: 0xc0000008,
  invalidParameter: 0xc000000d,
  noSuchFile: 0xc000000f,
  invalidDeviceRequest: 0xc0000010,
  endOfFile: 0xc0000011,
  moreProcessingRequired: 0xc0000016,
  accessDenied: 0xc0000022,
  objectNameNotFound: 0xc0000034,
  objectNameCollision: 0xc0000035,
  objectPathNotFound: 0xc000003a,
  logonFailure: 0xc000006d,
  accountRestriction: 0xc000006e,
  fileIsADirectory: 0xc00000ba,
  notSupported: 0xc00000bb,
  networkNameDeleted: 0xc00000c9,
  notADirectory: 0xc0000103,
  cannotDelete: 0xc0000121,
  fileClosed: 0xc0000128,
  logonTypeNotGranted: 0xc000015b,
  userSessionDeleted: 0xc0000203,
  pathNotCovered: 0xc0000257,
  networkSessionExpired: 0xc000035c,
  authenticationFirewallFailed: 0xc0000413,
} as const;

type Meaning = readonly [name: string, code: SmbErrorCode, retryable?: 'retryable'];

// Retryable: the same call may succeed later without intervention (a scanner closes the file, the server has
// memory again, a new connection replaces the lost one). Errors about names, rights, space and logons are not.
const meanings: Record<number, Meaning> = {
  0x00000000: ['SUCCESS', 'SERVER_ERROR'],
  0x00000103: ['PENDING', 'SERVER_ERROR'],
  0x80000005: ['BUFFER_OVERFLOW', 'SERVER_ERROR'],
  0x80000006: ['NO_MORE_FILES', 'SERVER_ERROR'],
  0x8000002d: ['STOPPED_ON_SYMLINK', 'NOT_SUPPORTED'],
  0xc0000001: ['UNSUCCESSFUL', 'SERVER_ERROR', 'retryable'],
  0xc0000002: ['NOT_IMPLEMENTED', 'NOT_SUPPORTED'],
  0xc0000004: ['INFO_LENGTH_MISMATCH', 'SERVER_ERROR'],
  0xc0000008: ['INVALID_HANDLE', 'CONNECTION_LOST', 'retryable'],
  0xc000000d: ['INVALID_PARAMETER', 'SERVER_ERROR'],
  0xc000000f: ['NO_SUCH_FILE', 'ENOENT'],
  0xc0000010: ['INVALID_DEVICE_REQUEST', 'NOT_SUPPORTED'],
  0xc0000011: ['END_OF_FILE', 'SERVER_ERROR'],
  0xc0000016: ['MORE_PROCESSING_REQUIRED', 'PROTOCOL'],
  // Sent by a busy Samba in response to TREE_CONNECT.
  0xc0000017: ['NO_MEMORY', 'SERVER_BUSY', 'retryable'],
  0xc0000022: ['ACCESS_DENIED', 'EACCES'],
  0xc0000023: ['BUFFER_TOO_SMALL', 'SERVER_ERROR'],
  0xc0000033: ['OBJECT_NAME_INVALID', 'NAME_INVALID'],
  0xc0000034: ['OBJECT_NAME_NOT_FOUND', 'ENOENT'],
  0xc0000035: ['OBJECT_NAME_COLLISION', 'EEXIST'],
  0xc000003a: ['OBJECT_PATH_NOT_FOUND', 'ENOENT'],
  0xc000003b: ['OBJECT_PATH_SYNTAX_BAD', 'NAME_INVALID'],
  0xc0000043: ['SHARING_VIOLATION', 'EBUSY', 'retryable'],
  0xc0000044: ['QUOTA_EXCEEDED', 'ENOSPC'],
  0xc0000054: ['FILE_LOCK_CONFLICT', 'EBUSY', 'retryable'],
  0xc0000055: ['LOCK_NOT_GRANTED', 'EBUSY', 'retryable'],
  0xc0000056: ['DELETE_PENDING', 'EBUSY', 'retryable'],
  0xc000005e: ['NO_LOGON_SERVERS', 'SERVER_BUSY', 'retryable'],
  0xc0000064: ['NO_SUCH_USER', 'LOGON_REJECTED'],
  0xc000006a: ['WRONG_PASSWORD', 'LOGON_REJECTED'],
  0xc000006d: ['LOGON_FAILURE', 'LOGON_REJECTED'],
  0xc000006e: ['ACCOUNT_RESTRICTION', 'LOGON_REJECTED'],
  0xc000006f: ['INVALID_LOGON_HOURS', 'LOGON_REJECTED'],
  0xc0000070: ['INVALID_WORKSTATION', 'LOGON_REJECTED'],
  0xc0000071: ['PASSWORD_EXPIRED', 'LOGON_REJECTED'],
  0xc0000072: ['ACCOUNT_DISABLED', 'LOGON_REJECTED'],
  0xc000007f: ['DISK_FULL', 'ENOSPC'],
  0xc000009a: ['INSUFFICIENT_RESOURCES', 'SERVER_BUSY', 'retryable'],
  0xc00000a2: ['MEDIA_WRITE_PROTECTED', 'EROFS'],
  0xc00000b5: ['IO_TIMEOUT', 'SERVER_BUSY', 'retryable'],
  0xc00000ba: ['FILE_IS_A_DIRECTORY', 'EISDIR'],
  0xc00000bb: ['NOT_SUPPORTED', 'NOT_SUPPORTED'],
  0xc00000c9: ['NETWORK_NAME_DELETED', 'CONNECTION_LOST', 'retryable'],
  0xc00000ca: ['NETWORK_ACCESS_DENIED', 'EACCES'],
  0xc00000cb: ['BAD_DEVICE_TYPE', 'NOT_SUPPORTED'],
  0xc00000cc: ['BAD_NETWORK_NAME', 'SHARE_NOT_FOUND'],
  0xc00000d0: ['REQUEST_NOT_ACCEPTED', 'SERVER_BUSY', 'retryable'],
  0xc00000d4: ['NOT_SAME_DEVICE', 'NOT_SUPPORTED'],
  0xc00000e5: ['INTERNAL_ERROR', 'SERVER_ERROR'],
  0xc0000101: ['DIRECTORY_NOT_EMPTY', 'ENOTEMPTY'],
  0xc0000103: ['NOT_A_DIRECTORY', 'ENOTDIR'],
  0xc0000106: ['NAME_TOO_LONG', 'NAME_INVALID'],
  0xc000011f: ['TOO_MANY_OPENED_FILES', 'SERVER_BUSY', 'retryable'],
  0xc0000120: ['CANCELLED', 'ABORTED'],
  0xc0000121: ['CANNOT_DELETE', 'EACCES'],
  0xc0000128: ['FILE_CLOSED', 'CONNECTION_LOST', 'retryable'],
  0xc0000133: ['TIME_DIFFERENCE_AT_DC', 'LOGON_REJECTED'],
  0xc000015b: ['LOGON_TYPE_NOT_GRANTED', 'LOGON_REJECTED'],
  0xc0000161: ['ILLEGAL_CHARACTER', 'NAME_INVALID'],
  0xc0000162: ['UNMAPPABLE_CHARACTER', 'NAME_INVALID'],
  0xc0000193: ['ACCOUNT_EXPIRED', 'LOGON_REJECTED'],
  0xc000019c: ['FS_DRIVER_REQUIRED', 'NOT_SUPPORTED'],
  0xc0000203: ['USER_SESSION_DELETED', 'CONNECTION_LOST', 'retryable'],
  0xc0000205: ['INSUFF_SERVER_RESOURCES', 'SERVER_BUSY', 'retryable'],
  0xc000020c: ['CONNECTION_DISCONNECTED', 'CONNECTION_LOST', 'retryable'],
  0xc000020d: ['CONNECTION_RESET', 'CONNECTION_LOST', 'retryable'],
  0xc0000224: ['PASSWORD_MUST_CHANGE', 'LOGON_REJECTED'],
  0xc0000225: ['NOT_FOUND', 'ENOENT'],
  0xc0000234: ['ACCOUNT_LOCKED_OUT', 'LOGON_REJECTED'],
  0xc0000257: ['PATH_NOT_COVERED', 'DFS_LINK'],
  0xc000035c: ['NETWORK_SESSION_EXPIRED', 'CONNECTION_LOST', 'retryable'],
  0xc0000388: ['DOWNGRADE_DETECTED', 'DOWNGRADE'],
  0xc0000413: ['AUTHENTICATION_FIREWALL_FAILED', 'LOGON_REJECTED'],
  0xc0000418: ['NTLM_BLOCKED', 'NTLM_UNAVAILABLE'],
  0xc0000466: ['SERVER_UNAVAILABLE', 'SERVER_BUSY', 'retryable'],
  0xc0000467: ['FILE_NOT_AVAILABLE', 'SERVER_BUSY', 'retryable'],
  0xc0000906: ['VIRUS_INFECTED', 'EACCES'],
};

export function statusName(status: number): string {
  return meanings[status]?.[0] ?? hex(status);
}

/**
 * The error for a status in the server's response: `<operation> <path>: <NAME> (0x…)`, or only the number for a
 * status without a name here.
 */
export function statusError(status: number, operation: string, path?: string): SmbError {
  const [name, code, retryable] = meanings[status] ?? [hex(status), 'SERVER_ERROR'];
  const where = path === undefined ? operation : `${operation} ${path === '' ? '\\' : path}`;
  const said = name === hex(status) ? `the server returned ${name}` : `${name} (${hex(status)})`;
  return new SmbError(code, `${where}: ${said}`, {
    operation,
    path,
    status,
    statusName: name,
    retryable: retryable !== undefined,
  });
}

function hex(status: number): string {
  return `0x${status.toString(16).toUpperCase().padStart(8, '0')}`;
}
