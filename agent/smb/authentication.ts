import type { SmbError } from './smb-error.ts';

/**
 * One logon, seen from SPNEGO: the mechanism makes the tokens, the session does the rest. Whatever it throws is an
 * `SmbError`.
 */
export interface Authentication {
  /** For messages. */
  readonly name: 'NTLM' | 'Kerberos';
  /** DER object identifiers that the mechanism goes by, tag and length included; the first is preferred. */
  readonly mechanisms: readonly Buffer[];
  /** The first token, sent without having heard from the server. */
  start(): Buffer | Promise<Buffer>;
  /**
   * Takes the server's token, also one that comes with a refusal, and gives the next to send, if there is one.
   * @throws {SmbError} `PROTOCOL` for a malformed token, `INTEGRITY` for a server that does not prove itself, and what the
   * mechanism's own refusals mean
   */
  answer(serverToken: Buffer): Buffer | undefined | Promise<Buffer | undefined>;
  /** Whether nothing is left to hear from the server: a success before that proves nothing. */
  readonly isComplete: boolean;
  /** 16 bytes or more, known once the logon is complete. */
  sessionKey(): Buffer;
  /** The checksum that protects the list of offered mechanisms, as sent by the client. */
  signMechanisms(mechanisms: Buffer): Buffer;
  /** Whether the server's checksum over the same list is genuine. */
  verifyMechanisms(mechanisms: Buffer, checksum: Buffer): boolean;
  /** What a refusal of the server means for this mechanism. */
  explain(refusal: SmbError): SmbError;
  /** Nothing new should begin on the session after this; milliseconds since 1970. Undefined: no end. */
  readonly usableUntil: number | undefined;
}
