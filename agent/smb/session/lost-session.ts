/**
 * How many logons name the lost session. A server waits for the end of that session before it responds, and a Samba
 * whose process hangs would never respond. After this the logon omits it.
 */
const mostOffers = 2;

/**
 * The session of a connection that ended without a logoff. If packets were lost, the server has not noticed
 * the end and keeps the session's files open, for minutes to hours, which blocks every other client. The next logon
 * names it (PreviousSessionId, MS-SMB2 2.2.5), and the server closes its files before it admits the new session.
 */
export class LostSession {
  #id: Buffer | undefined;
  #offers = 0;

  remember(sessionId: Buffer): void {
    this.#id = sessionId;
    this.#offers = 0;
  }

  /** Returns the session to name in the next logon, if any. */
  next(): Buffer | undefined {
    if (this.#offers === mostOffers) this.forget();
    this.#offers += 1;
    return this.#id;
  }

  /** Called after a successful logon that named it. */
  forget(): void {
    this.#id = undefined;
  }
}
