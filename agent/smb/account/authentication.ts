import type { SmbError } from '../base/smb-error.ts';

/**
 * One logon as SPNEGO uses it: the mechanism makes the tokens, the session does the rest. Everything it throws is an
 * `SmbError`.
 */
export interface Authentication {
  /** For error messages. */
  readonly name: 'NTLM' | 'Kerberos';
  /** DER object identifiers of the mechanism, tag and length included; the first is preferred. */
  readonly mechanisms: readonly Buffer[];
  /** The first token, which does not depend on the server. */
  start(): Buffer | Promise<Buffer>;
  /**
   * Processes the server's token, including one that accompanies a rejection, and returns the next token to send, if
   * any.
   * @throws {SmbError} `PROTOCOL` for a malformed token, `INTEGRITY` for a server that does not prove its identity,
   * and the meaning of the mechanism's own rejections
   */
  respond(serverToken: Buffer): Buffer | undefined | Promise<Buffer | undefined>;
  /** Whether no further token from the server is expected: a success before that proves nothing. */
  readonly isComplete: boolean;
  /** 16 bytes or more, available once the logon is complete. */
  sessionKey(): Buffer;
  /** The client's checksum that protects the list of offered mechanisms. */
  signMechanisms(mechanisms: Buffer): Buffer;
  /** Whether the server's checksum over the same list is genuine. */
  verifyMechanisms(mechanisms: Buffer, checksum: Buffer): boolean;
  /** What a rejection by the server means for this mechanism. */
  explain(rejection: SmbError): SmbError;
  /** No new work should begin on the session after this; milliseconds since 1970. Undefined: no end. */
  readonly usableUntil: number | undefined;
}
