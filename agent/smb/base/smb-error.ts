/**
 * Codes that a caller can switch on. `retryable` of the error states whether the same call can succeed later without
 * intervention.
 */
export type SmbErrorCode =
  // Reaching the server and staying connected
  | 'CONNECT_FAILED'
  | 'CONNECTION_LOST'
  | 'TIMEOUT'
  | 'CREDIT_STARVATION'
  | 'SERVER_BUSY'
  // Rejected by this client for security
  | 'PROTOCOL'
  | 'INTEGRITY'
  | 'DOWNGRADE'
  | 'DIALECT_REJECTED'
  | 'ENCRYPTION_UNAVAILABLE'
  | 'GUEST_SESSION'
  // Logon
  | 'LOGON_REJECTED'
  | 'NTLM_UNAVAILABLE'
  | 'KERBEROS_UNAVAILABLE'
  // Shares, directories, files: the codes of `fs` where it has one
  | 'SHARE_NOT_FOUND'
  | 'EACCES'
  | 'ENOENT'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'ENOTEMPTY'
  | 'EBUSY'
  | 'ENOSPC'
  | 'EROFS'
  | 'NAME_INVALID'
  | 'TEMPORARY_NAME_FORBIDDEN'
  | 'DFS_LINK'
  | 'DFS_SERVER_REJECTED'
  | 'NOT_SUPPORTED'
  | 'SERVER_ERROR'
  // The caller
  | 'INVALID_ARGUMENT'
  | 'ABORTED'
  | 'CLOSED';

/**
 * How far a call had come when it failed. Before `call`, nothing was requested at a path yet: the failure is about the
 * server, the account or the share, whatever its code is. A server may return any NTSTATUS in any phase.
 *
 * - `connect`: the TCP connection
 * - `negotiate`: dialect and ciphers
 * - `logon`: Kerberos tickets and SESSION_SETUP
 * - `share`: TREE_CONNECT, and the validation of the negotiation that follows it
 * - `call`: everything behind
 */
export type SmbPhase = 'connect' | 'negotiate' | 'logon' | 'share' | 'call';

export interface SmbErrorFacts {
  operation: string;
  /** By default `call`. */
  phase?: SmbPhase | undefined;
  /** Share-relative path, or `\\server\share`. */
  path?: string | undefined;
  /** The NTSTATUS of the server's response, if there was one. */
  status?: number | undefined;
  statusName?: string | undefined;
  retryable?: boolean | undefined;
  cause?: unknown;
}

/**
 * The only error this client throws. It never contains a password, key or token. Its `name` is `AbortError` when the
 * caller ended the call, as with every function of Node that takes a signal.
 */
export class SmbError extends Error {
  override readonly name: 'SmbError' | 'AbortError';
  readonly code: SmbErrorCode;
  readonly operation: string;
  readonly phase: SmbPhase;
  readonly path: string | undefined;
  readonly status: number | undefined;
  readonly statusName: string | undefined;
  readonly retryable: boolean;

  constructor(code: SmbErrorCode, message: string, facts: SmbErrorFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = code === 'ABORTED' ? 'AbortError' : 'SmbError';
    this.code = code;
    this.operation = facts.operation;
    this.phase = facts.phase ?? 'call';
    this.path = facts.path;
    this.status = facts.status;
    this.statusName = facts.statusName;
    this.retryable = facts.retryable ?? false;
  }
}

/**
 * Names the phase in the errors of `body`. The inner of two phases counts. An error is copied, because the end of a
 * connection is one object for all calls on it, and those may be in other phases.
 */
export async function inPhase<T>(phase: SmbPhase, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof SmbError) || error.phase !== 'call') throw error;
    const { code, message, operation, path, status, statusName, retryable, cause } = error;
    const facts = { operation, phase, path, status, statusName, retryable, cause };
    throw Object.assign(new SmbError(code, message, facts), { stack: error.stack });
  }
}

/** The peer sent something the protocol does not allow. */
export function protocolError(message: string): SmbError {
  return new SmbError('PROTOCOL', `The server sent ${message}`, { operation: 'receive' });
}

/**
 * The same failure with the operation and the path of the call that met it. The end of a connection fails many calls
 * at the same time, each with its own error.
 */
export function inContext(error: unknown, operation: string, path: string): SmbError {
  if (error instanceof SmbError) {
    if (error.path !== undefined || error.operation === operation) return error;
    const { code, phase, status, statusName, retryable } = error;
    const message = `${operation} ${path === '' ? '\\' : path}: ${error.message}`;
    // The cause of an AbortError is the caller's reason.
    const cause = code === 'ABORTED' ? error.cause : error;
    return new SmbError(code, message, { operation, phase, path, status, statusName, retryable, cause });
  }
  const message = `${operation} ${path}: ${error instanceof Error ? error.message : String(error)}`;
  return new SmbError('SERVER_ERROR', message, { operation, path, cause: error });
}
