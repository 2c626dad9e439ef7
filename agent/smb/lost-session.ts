/**
 * How often a logon names the lost session. A server waits for the end of that session before it answers, and a Samba whose
 * process hangs would never answer: after this the logon goes without.
 */
const mostOffers = 2;

/**
 * The session of a connection that ended without a logoff. Where packets were lost, the server does not know about the
 * end and keeps the session's files open, for minutes to hours, against everybody. The next logon names it
 * (PreviousSessionId, MS-SMB2 2.2.5), and the server closes them before it lets the new session in.
 */
export class LostSession {
  private id: Buffer | undefined;
  private offers = 0;

  remember(sessionId: Buffer): void {
    this.id = sessionId;
    this.offers = 0;
  }

  /** For one logon. */
  take(): Buffer | undefined {
    if (this.offers === mostOffers) this.forget();
    this.offers += 1;
    return this.id;
  }

  /** A logon succeeded that named it. */
  forget(): void {
    this.id = undefined;
  }
}
