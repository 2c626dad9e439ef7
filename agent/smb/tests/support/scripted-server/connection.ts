import { createSecretKey } from 'node:crypto';
import { framed } from '../wire/frame-server.ts';
import { KerberosLogon } from './kerberos-logon.ts';
import {
  command,
  errorBody,
  ioctlBody,
  message,
  negotiateBody,
  type NegotiateValues,
  sessionSetupBody,
  status,
  validatedNegotiate,
} from './responses.ts';
import { type Phase, phaseOf, type Script } from './script.ts';
import { checkLogon, type Logon, nextPreauthHash, SessionSecurity, userOf } from './security.ts';
import { NtError } from './status.ts';
import { authenticateOf, challengeToken, finalToken, ntlmOf } from './tokens.ts';

/** What a request of a compound inherits from the ones before it (MS-SMB2 3.3.5.2.7.2). */
export interface Related {
  treeId: number;
  /** The last handle, or `noHandle`. */
  fileId: Buffer;
  /** NTSTATUS of the last CREATE, or of any request if the server fails all that follows. */
  failure: number;
}

export const noHandle = Buffer.alloc(16, 0xff);

export interface Performed {
  readonly status?: number;
  /** Without it, the error body. */
  readonly body?: Buffer;
}

/** What a server does with the requests of a logged-on connection: everything but NEGOTIATE, SESSION_SETUP, and CANCEL. */
export interface Operations {
  /** @throws NtError, or an error of the system, with which the request fails */
  perform(request: Buffer, related: Related): Performed;
  /** Closes everything that is open, when the connection or its session ends. */
  end(): void;
}

/** Who a server is, apart from its script. */
export interface Identity {
  readonly account: { readonly user: string; readonly ntHash: Buffer };
  readonly negotiate: NegotiateValues;
  challenge(): Buffer;
  newSessionId(): bigint;
  operations(): Operations;
  /** Credits that the response to a request grants. @throws Error if the request may not be sent */
  credits(request: Buffer): number;
  /** Connections by their sessions. */
  readonly sessions: Map<bigint, Connection>;
}

/** StructureSize of requests (MS-SMB2 2.2), and with it the least length of each. */
const structureSizes: Record<number, number> = {
  [command.negotiate]: 36,
  [command.sessionSetup]: 25,
  [command.logoff]: 4,
  [command.treeConnect]: 9,
  [command.treeDisconnect]: 4,
  [command.create]: 57,
  [command.close]: 24,
  [command.flush]: 24,
  [command.read]: 49,
  [command.write]: 49,
  [command.ioctl]: 57,
  [command.cancel]: 4,
  [command.echo]: 4,
  [command.queryDirectory]: 33,
  [command.queryInfo]: 41,
  [command.setInfo]: 33,
};
/** FSCTL_VALIDATE_NEGOTIATE_INFO. */
export const validateNegotiate = 0x0014_0204;
const isRelated = (request: Buffer) => (request.readUInt32LE(16) & 4) !== 0;
const transformId = 0xfd53_4d42;

/** One connection of a server: its logon, and the security, compounds, and script of its messages. */
export class Connection {
  readonly #identity: Identity;
  readonly #script: Script;
  readonly #kerberos: KerberosLogon | undefined;
  #operations: Operations;
  #preauthHash: Buffer = Buffer.alloc(64);
  #sessionId = 0n;
  #security: SessionSecurity | undefined;
  #negotiateToken: Buffer = Buffer.alloc(0);
  #challenge: Buffer = Buffer.alloc(0);
  /** How long the last frame occupies the disk. */
  diskMs = 0;
  /** The client's mistakes that a response reports. */
  readonly faults: string[];
  readonly #commands: number[];

  constructor(identity: Identity, script: Script, seen: { faults: string[]; commands: number[] }) {
    this.#identity = identity;
    this.#script = script;
    this.#kerberos = script.kerberos && new KerberosLogon(script.kerberos);
    this.#operations = identity.operations();
    this.faults = seen.faults;
    this.#commands = seen.commands;
  }

  end(): void {
    this.#identity.sessions.delete(this.#sessionId);
    this.#operations.end();
  }

  /**
   * The bytes of the response to a frame.
   *
   * @throws Error on which the connection has to end, as with a wrong signature (MS-SMB2 3.3.5.2)
   */
  respond(frame: Buffer): readonly Buffer[] {
    const sealed = frame.length >= 4 && frame.readUInt32BE() === transformId;
    const received = split(sealed ? this.#unsealed(frame) : frame);
    if (this.#security !== undefined && !sealed)
      for (const request of received)
        if (!this.#security.verify(request)) throw new Error('the client sent a wrong signature');
    const phase = this.#phaseOf(received.at(-1)!);
    const requests = received.map((request) => this.#script.request?.(request, phase) ?? request);
    this.diskMs = requests.reduce((sum, request) => sum + (this.#script.diskMs?.(request) ?? 0), 0);
    this.#commands.push(...requests.map((request) => request.readUInt16LE(12)));
    // Nothing here takes long enough to be canceled.
    if (requests.at(-1)!.readUInt16LE(12) === command.cancel) return [];
    const related: Related = { treeId: 0, fileId: noHandle, failure: status.success };
    const responses = requests.flatMap((request) => {
      const response = this.#responseTo(request, related, phase);
      return this.#script.respond?.(response, request, phase) ?? [response];
    });
    if (responses.length === 0) return [];
    const isHashed = phase === 'negotiate' || phase === 'challenge' || phase === 'kerberos';
    if (isHashed && this.#security === undefined) this.#hash(...responses);
    const finished = this.#finish(responses, sealed);
    return this.#script.wire?.(finished, phase) ?? [framed(finished)];
  }

  get #dialect(): number {
    return this.#script.dialect ?? 0x311;
  }

  #phaseOf(request: Buffer): Phase {
    if (this.#security !== undefined) return phaseOf(request, 'done');
    return phaseOf(request, this.#kerberos === undefined ? 'NTLM' : 'Kerberos');
  }

  #unsealed(frame: Buffer): Buffer {
    if (this.#security === undefined) throw new Error('the client sealed before the logon');
    return this.#security.unseal(frame);
  }

  #finish(responses: readonly Buffer[], sealed: boolean): Buffer {
    const padded = responses.map((response, index) => {
      if (index === responses.length - 1) return response;
      const whole = Buffer.alloc(Math.ceil(response.length / 8) * 8);
      response.copy(whole);
      if (whole.length >= 24 && whole.readUInt32LE(20) === 0) whole.writeUInt32LE(whole.length, 20);
      return whole;
    });
    const security = this.#security;
    if (security === undefined) return joined(padded);
    if (sealed && !this.#script.onlySigns) return security.seal(joined(padded), this.#sessionId);
    const isInterim = (response: Buffer) => response.readUInt32LE(8) === status.pending;
    return joined(
      padded.map((response) =>
        response.length < 64 || isInterim(response) ? response : security.sign(response),
      ),
    );
  }

  #responseTo(request: Buffer, related: Related, phase: Phase): Buffer {
    const code = request.readUInt16LE(12);
    if (!isRelated(request)) {
      related.treeId = request.readUInt32LE(36);
      related.fileId = noHandle;
      related.failure = status.success;
    }
    const credits = this.#identity.credits(request);
    const finish = ({ status: result = status.success, body = errorBody() }: Performed) => {
      const isFailure = result >>> 31 === 1 && result !== status.bufferOverflow;
      if (isFailure && (code === command.create || this.#script.failsRelated)) related.failure = result;
      return message(
        {
          command: code,
          messageId: request.readBigUInt64LE(24),
          treeId: related.treeId,
          sessionId: this.#sessionId,
          credits,
          status: result,
        },
        body,
      );
    };
    try {
      const rejection = this.#script.reject?.(request, phase);
      if (rejection !== undefined) return finish({ status: rejection });
      const isBehindFailure = isRelated(request) && related.failure !== status.success;
      if (isBehindFailure && (this.#script.failsRelated || related.fileId.equals(noHandle)))
        return finish({ status: related.failure });
      return finish(this.#perform(code, request, related));
    } catch (error) {
      if (!(error instanceof NtError)) throw error;
      return finish({ status: error.status });
    }
  }

  /** @throws NtError */
  #perform(code: number, request: Buffer, related: Related): Performed {
    const size = structureSizes[code];
    if (size === undefined) throw new NtError(status.notSupported);
    if (request.length < 64 + (size & ~1) || request.readUInt16LE(64) !== size)
      throw new NtError(status.invalidParameter);
    if (code === command.negotiate) return this.#negotiate(request);
    if (code === command.sessionSetup) return this.#sessionSetup(request);
    const isOfSession = isRelated(request) || request.readBigUInt64LE(40) === this.#sessionId;
    if (this.#security === undefined || !isOfSession) throw new NtError(status.sessionDeleted);
    if (code === command.logoff) this.end();
    if (code === command.ioctl && request.readUInt32LE(68) === validateNegotiate) {
      const output = validatedNegotiate(this.#identity.negotiate, this.#dialect);
      return { body: ioctlBody(validateNegotiate, noHandle, output) };
    }
    return this.#operations.perform(request, related);
  }

  #negotiate(request: Buffer): Performed {
    // MS-SMB2 3.3.5.4: a second NEGOTIATE ends the connection.
    if (this.#preauthHash.some((byte) => byte !== 0)) throw new Error('the client negotiated twice');
    const { dialects, ciphers, signings } = readOffer(request);
    const dialect = this.#dialect;
    if (!dialects.includes(dialect)) throw new NtError(status.notSupported);
    if (dialect !== 0x311) return { body: negotiateBody(0, this.#identity.negotiate, dialect) };
    if (signings?.includes(2) === false) throw new NtError(status.notSupported);
    this.#hash(request);
    const cipher = this.#script.cipher ?? (ciphers?.includes(2) === true ? 2 : 0);
    return { body: negotiateBody(cipher, this.#identity.negotiate) };
  }

  #sessionSetup(request: Buffer): Performed {
    // This server has no reauthentication.
    if (this.#security !== undefined) throw new NtError(status.notSupported);
    this.#hash(request);
    if (this.#kerberos !== undefined) return this.#kerberosLogon(this.#kerberos, request);
    const token = ntlmOf(request);
    if (token.readUInt32LE(8) === 1) {
      this.#negotiateToken = token;
      this.#challenge = this.#identity.challenge();
      this.#sessionId = this.#identity.newSessionId();
      return { status: status.moreProcessing, body: sessionSetupBody(challengeToken(this.#challenge)) };
    }
    const logon = this.#ntlmLogon(token);
    this.#begin(request, logon.sessionKey);
    return { body: sessionSetupBody(finalToken(logon.mechListMic), this.#script.sessionFlags) };
  }

  #ntlmLogon(token: Buffer): Logon {
    const { user, ntHash } = this.#identity.account;
    const authenticate = authenticateOf(token);
    try {
      if (userOf(authenticate).toUpperCase() !== user.toUpperCase())
        throw new Error('the client named another account');
      return checkLogon(this.#negotiateToken, this.#challenge, authenticate, ntHash);
    } catch (error) {
      this.faults.push(String(error));
      throw new NtError(status.logonFailure);
    }
  }

  #kerberosLogon(logon: KerberosLogon, request: Buffer): Performed {
    const at = request.readUInt16LE(76);
    const { status: result, token } = logon.take(request.subarray(at, at + request.readUInt16LE(78)));
    this.#sessionId ||= this.#identity.newSessionId();
    if (result === status.success) this.#begin(request, logon.sessionKey().subarray(0, 16));
    return { status: result, body: sessionSetupBody(token, this.#script.sessionFlags) };
  }

  #begin(request: Buffer, sessionKey: Buffer): void {
    const key = createSecretKey(sessionKey);
    this.#security = new SessionSecurity(key, this.#dialect === 0x311 ? this.#preauthHash : undefined);
    // What the client's lost connection has open (MS-SMB2 3.3.5.5.3).
    this.#identity.sessions.get(request.readBigUInt64LE(80))?.end();
    this.#identity.sessions.set(this.#sessionId, this);
  }

  #hash(...messages: readonly Buffer[]): void {
    for (const each of messages) this.#preauthHash = nextPreauthHash(this.#preauthHash, each);
  }
}

const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 ? parts[0]! : Buffer.concat(parts));

const mostRequests = 64;

/** @throws Error if it is not a message, or a compound that does not add up (MS-SMB2 3.3.5.2.7) */
function split(plain: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let rest = plain; ;) {
    if (rest.length < 66 || rest.readUInt32BE() !== 0xfe53_4d42)
      throw new Error('the client sent what is not SMB 2');
    const next = rest.readUInt32LE(20);
    if (next === 0) return [...parts, rest];
    if (next % 8 !== 0 || next < 66 || next > rest.length || parts.length === mostRequests)
      throw new Error('the client sent a compound that does not add up');
    parts.push(rest.subarray(0, next));
    rest = rest.subarray(next);
  }
}

/** Dialects and negotiate contexts (MS-SMB2 2.2.3). */
function readOffer(request: Buffer) {
  const numbers = (at: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      if (at + index * 2 + 2 > request.length) throw new NtError(status.invalidParameter);
      return request.readUInt16LE(at + index * 2);
    });
  const dialects = numbers(100, request.readUInt16LE(66));
  const contexts = new Map<number, number[]>();
  let at = request.readUInt32LE(92);
  for (let left = dialects.includes(0x311) ? request.readUInt16LE(96) : 0; left > 0; left -= 1) {
    const [type, length] = numbers(at, 2) as [number, number];
    // Ciphers and signing algorithms are a count and numbers.
    if (type === 2 || type === 8) contexts.set(type, numbers(at + 10, numbers(at + 8, 1)[0]!));
    at = (at + 8 + length + 7) & ~7;
  }
  return { dialects, ciphers: contexts.get(2), signings: contexts.get(8) };
}
