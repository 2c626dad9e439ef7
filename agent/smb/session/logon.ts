import { kerberosMechanism } from '../kerberos/index.ts';
import type { Authentication } from '../account/authentication.ts';
import type { Connection } from '../connection/connection.ts';
import { deriveKeys, extendPreauthHash, type SessionKeys } from '../connection/key-derivation.ts';
import type { LostSession } from './lost-session.ts';
import type { NegotiateResponse } from '../wire/negotiate.ts';
import { readSessionSetup, SessionFlag, sessionSetupRequest } from '../wire/session.ts';
import type { Settings } from '../account/settings.ts';
import { type Signer, signerFor } from '../connection/signing.ts';
import { protocolError, SmbError } from '../base/smb-error.ts';
import {
  hintAllows,
  mechanismList,
  negTokenInit,
  negTokenResponse,
  readNegTokenResponse,
} from '../account/spnego.ts';
import { Status, statusError } from '../base/status.ts';
import type { Reply } from '../connection/in-flight.ts';

const logOnOperation = 'log on';
/**
 * NTLM needs two, Kerberos one; a corrected clock and the checksums over the list of mechanisms take one more each.
 */
const mostLegs = 5;

export interface LogonOutcome {
  readonly keys: SessionKeys;
  readonly signer: Signer;
  /** Whether the server requires encryption of the whole session. */
  readonly requiresEncryption: boolean;
}

/**
 * Exchanges SESSION_SETUP messages until both sides are authenticated.
 * @throws {SmbError} every logon and security code
 */
export function logOn(
  connection: Connection,
  settings: Settings,
  authentication: Authentication,
  negotiated: NegotiateResponse,
  negotiateHash: Buffer,
  lost: LostSession,
): Promise<LogonOutcome> {
  return new Logon(connection, settings, authentication, negotiated, negotiateHash, lost.next()).run();
}

class Logon {
  readonly #connection: Connection;
  readonly #settings: Settings;
  readonly #authentication: Authentication;
  readonly #negotiated: NegotiateResponse;
  readonly #mechanismList: Buffer;
  readonly #previousSession: Buffer | undefined;
  #hash: Buffer;
  /** The server's checksum over the list of mechanisms, from whichever leg carried it. */
  #checksum: Buffer | undefined;
  #isChecksumDue = false;
  /** Our own checksum is the last message. */
  #isLastLeg = false;

  constructor(
    connection: Connection,
    settings: Settings,
    authentication: Authentication,
    negotiated: NegotiateResponse,
    negotiateHash: Buffer,
    previousSession: Buffer | undefined,
  ) {
    this.#connection = connection;
    this.#settings = settings;
    this.#authentication = authentication;
    this.#negotiated = negotiated;
    this.#mechanismList = mechanismList(authentication.mechanisms);
    this.#hash = negotiateHash;
    this.#previousSession = previousSession;
  }

  async run(): Promise<LogonOutcome> {
    const authentication = this.#authentication;
    const settings = this.#settings;
    const negotiated = this.#negotiated;
    const { mechanisms } = authentication;
    const { securityToken } = negotiated;
    if (!hintAllows(securityToken, mechanisms)) throw unavailable(settings.host, authentication.name);
    let reply = await this.#leg(negTokenInit(mechanisms, await authentication.start()));
    for (let legs = 1; reply.status === Status.moreProcessingRequired; legs += 1) {
      if (legs === mostLegs || this.#isLastLeg) throw protocolError('a logon without an end');
      this.#hash = extendPreauthHash(this.#hash, reply.message);
      reply = await this.#leg(await this.#nextToken(reply));
    }
    if (reply.status !== Status.success) throw await this.#rejection(reply);
    return this.#finish(reply);
  }

  async #leg(token: Buffer): Promise<Reply> {
    const connection = this.#connection;
    const settings = this.#settings;
    const request = sessionSetupRequest(token, this.#previousSession);
    const { timeouts, signal } = settings;
    const [reply] = await connection.exchange([request], { timeoutMs: timeouts.logonMs, signal });
    // Some servers assign the id late or change it: the last nonzero one counts.
    if (reply!.sessionId.some((byte) => byte !== 0)) connection.sessionId = Buffer.from(reply!.sessionId);
    this.#hash = extendPreauthHash(this.#hash, request.message);
    return reply!;
  }

  async #nextToken({ message }: Reply): Promise<Buffer> {
    const authentication = this.#authentication;
    const response = this.#readToken(message);
    const next = response.token === undefined ? undefined : await authentication.respond(response.token);
    if (next === undefined && !authentication.isComplete) throw protocolError('a logon without a challenge');
    // Not before the mechanism is complete, and then always, since servers that request another leg wait for it.
    this.#isLastLeg = authentication.isComplete;
    const checksum = this.#isLastLeg ? authentication.signMechanisms(this.#mechanismList) : undefined;
    return negTokenResponse(next, checksum);
  }

  #readToken(message: Buffer) {
    const response = readNegTokenResponse(readSessionSetup(message).token, this.#authentication.mechanisms);
    this.#checksum = response.checksum ?? this.#checksum;
    this.#isChecksumDue ||= response.state === 'request-mic';
    return response;
  }

  async #finish({ message }: Reply): Promise<LogonOutcome> {
    const authentication = this.#authentication;
    const negotiated = this.#negotiated;
    const settings = this.#settings;
    const { host } = settings;
    const setup = readSessionSetup(message);
    // Checked before any signature: a guest session has none that mean anything.
    if ((setup.flags & (SessionFlag.guest | SessionFlag.anonymous)) !== 0) {
      const says = `${host} has no such account and admitted it as a guest, which is rejected`;
      throw failure('GUEST_SESSION', says, host);
    }
    const { state, token } = this.#readToken(message);
    if (state !== undefined && state !== 'completed') throw protocolError('a logon that is not complete');
    // The token first: it may bring the key that everything else depends on.
    if (token !== undefined) await authentication.respond(token);
    if (!authentication.isComplete) throw protocolError('a success before it was authenticated');
    const { dialect, signing, cipher } = negotiated;
    const keys = deriveKeys(dialect, authentication.sessionKey(), this.#hash, cipher);
    const signer = signerFor(signing, keys.signing);
    // With 3.1.1 this signature also covers, through the keys, all previous messages of both sides.
    if (!signer.verify(message)) {
      const says = `The logon at ${host} was tampered with: its last response is not authentic`;
      throw failure('INTEGRITY', says, host);
    }
    this.#checkMechanisms();
    return { keys, signer, requiresEncryption: (setup.flags & SessionFlag.encrypt) !== 0 };
  }

  #checkMechanisms(): void {
    const checksum = this.#checksum;
    const authentication = this.#authentication;
    const settings = this.#settings;
    const isGenuine =
      checksum === undefined || authentication.verifyMechanisms(this.#mechanismList, checksum);
    if (isGenuine && (checksum !== undefined || !this.#isChecksumDue)) return;
    const says = `The logon at ${settings.host} was tampered with: the mechanism list is not authentic`;
    throw failure('DOWNGRADE', says, settings.host);
  }

  /** A rejection may carry the mechanism's own reason, which is more specific. */
  async #rejection({ status, message }: Reply): Promise<SmbError> {
    const authentication = this.#authentication;
    const settings = this.#settings;
    const token = this.#tokenOfRejection(message);
    if (token !== undefined) await authentication.respond(token);
    const error = statusError(status, logOnOperation, `\\\\${settings.host}`);
    if (error.code === 'NTLM_UNAVAILABLE') return unavailable(settings.host, authentication.name, error);
    if (error.code === 'ENOENT') return busyWithLostSession(error);
    return authentication.explain(this.#withAlternative(error));
  }

  /** Statuses that reject NTLM where Kerberos would succeed. */
  #withAlternative(error: SmbError): SmbError {
    const authentication = this.#authentication;
    const negotiated = this.#negotiated;
    const takesKerberos = negotiated.securityToken.includes(kerberosMechanism);
    const advice = error.status === undefined ? undefined : kerberosInstead[error.status];
    if (authentication.name !== 'NTLM' || advice === undefined || !takesKerberos) return error;
    const message = `${error.message}. ${advice}`;
    const { code, operation, path, status, statusName } = error;
    return new SmbError(code, message, { operation, path, status, statusName, cause: error });
  }

  #tokenOfRejection(message: Buffer): Buffer | undefined {
    try {
      return this.#readToken(message).token;
    } catch {
      // Most rejections have an error body and no token.
      return undefined;
    }
  }
}

const kerberosInstead: Readonly<Record<number, string>> = {
  // A Samba file server without NTLM nevertheless offers it, and reports every password as wrong.
  [Status.logonFailure]: 'The server accepts Kerberos too; it may have NTLM switched off',
  [Status.accountRestriction]:
    'The server accepts Kerberos too; it rejects NTLM for accounts in the group Protected Users, which have to use Kerberos',
};

function failure(code: SmbError['code'], message: string, host: string): SmbError {
  return new SmbError(code, message, { operation: logOnOperation, path: `\\\\${host}` });
}

/**
 * Samba says so to an account that it accepts, while it removes the session of a process that was killed. Callers must
 * not take it for a missing file.
 */
function busyWithLostSession({ message, ...facts }: SmbError): SmbError {
  const says = `${message}, about the session of the connection that was lost`;
  return new SmbError('SERVER_BUSY', says, { ...facts, retryable: true });
}

function unavailable(host: string, name: Authentication['name'], rejection?: SmbError): SmbError {
  const reason = rejection === undefined ? 'does not offer it' : `rejected it: ${rejection.statusName}`;
  const advice =
    name === 'NTLM'
      ? 'It may accept Kerberos only; use that, or allow NTLMv2 for this account or server'
      : 'It may not be a member of the domain; join it, or use NTLM';
  return new SmbError(
    name === 'NTLM' ? 'NTLM_UNAVAILABLE' : 'KERBEROS_UNAVAILABLE',
    `${host} has ${name} switched off (${reason}). ${advice}`,
    {
      operation: logOnOperation,
      path: `\\\\${host}`,
      status: rejection?.status,
      statusName: rejection?.statusName,
    },
  );
}
