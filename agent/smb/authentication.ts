/**
 * One logon, seen from SPNEGO: the mechanism makes the tokens, the session does the rest. NTLMv2 is the only one so
 * far; Kerberos fits here (one leg, `mechanism` of its own, session key from the ticket).
 */
export interface Authentication {
  /** DER object identifier of the mechanism, tag and length included. */
  readonly mechanism: Buffer;
  /** Name for messages, for example `NTLM`. */
  readonly name: string;
  /** The first token, sent without having heard from the server. */
  start(): Buffer;
  /**
   * The answer to the server's token.
   * @throws {SmbError} `PROTOCOL` for a malformed token, `NTLM_UNAVAILABLE` for settings too weak to be used.
   */
  answer(serverToken: Buffer): Buffer;
  /** 16 bytes or more, known once `answer` returned. */
  sessionKey(): Buffer;
  /** The checksum that protects the list of offered mechanisms, as sent by the client. */
  signMechanisms(mechanisms: Buffer): Buffer;
  /** Whether the server's checksum over the same list is genuine. */
  verifyMechanisms(mechanisms: Buffer, checksum: Buffer): boolean;
}
