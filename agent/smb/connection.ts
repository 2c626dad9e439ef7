import { chargeFor, Credits, creditTarget } from './credits.ts';
import {
  Command,
  commandName,
  HeaderFlag,
  joinCompound,
  readHeader,
  splitCompound,
  unsolicited,
  writeHeader,
  type Request,
  type ResponseHeader,
} from './messages/header.ts';
import { plainRequest } from './messages/session.ts';
import type { Timeouts, TraceEvent } from './options.ts';
import { isSealed, type Sealer } from './sealing.ts';
import type { Signer } from './signing.ts';
import { protocolError, SmbError } from './smb-error.ts';
import { Status, statusName } from './status.ts';
import type { Transport } from './transport.ts';

export interface Reply {
  status: number;
  message: Buffer;
  treeId: number;
  sessionId: Buffer;
}

/** How messages are protected. Both undefined only during negotiate and logon; a sealer leaves the signer unused. */
interface Protection {
  signer: Signer | undefined;
  sealer: Sealer | undefined;
}

interface Pending {
  command: number;
  messageId: number;
  charge: number;
  sentAt: number;
  deadline: number;
  latest: number;
  interims: number;
  asyncId: Buffer | undefined;
  resolve: (reply: Reply) => void;
}

const noSession = Buffer.alloc(8);
const anySession = Buffer.alloc(8, 0xff);
/** An interim answer may be forged where it is not encrypted; it buys time at most this often. */
const maxInterims = 8;

/**
 * Requests and their answers on one TCP connection: credits, compounds, signing or encryption, time-outs. Whatever
 * breaks the rules ends the connection, and its end fails every request that was under way or waiting.
 */
export class Connection {
  sessionId: Buffer = noSession;
  /** False until the server says it knows requests of several credits. */
  largeMtu = false;
  /** Nothing under way for `idleCloseMs`. */
  onIdle: () => void = () => {};
  onEnd: () => void = () => {};
  compoundsAnswered = 0;
  readonly credits = new Credits();
  private protection: Protection = { signer: undefined, sealer: undefined };
  private readonly pending = new Map<number, Pending>();
  private readonly unsent = new Set<(error: SmbError) => void>();
  private readonly inFlight = new Set<(error: SmbError) => void>();
  private readonly transport: Transport;
  private readonly timeouts: Timeouts;
  private readonly trace: (event: TraceEvent) => void;
  private readonly timer: NodeJS.Timeout;
  private lastTickAt = Date.now();
  private lastUsedAt = Date.now();
  private endedBy: SmbError | undefined;

  constructor(transport: Transport, timeouts: Timeouts, trace: (event: TraceEvent) => void) {
    this.transport = transport;
    this.timeouts = timeouts;
    this.trace = trace;
    transport.onFrame = (frame) => this.receive(frame);
    transport.onEnd = (error) => this.ended(error);
    const { connectMs: _connectMs, ...watched } = timeouts;
    this.tickMs = Math.min(1000, Math.max(20, Math.min(...Object.values(watched)) / 4));
    this.timer = setInterval(() => this.tick(), this.tickMs);
    this.timer.unref();
  }
  private readonly tickMs: number;

  get isOpen(): boolean {
    return this.endedBy === undefined;
  }

  /** From here on every message both ways is encrypted, or where there is no sealer, signed. */
  protect(protection: Protection): void {
    this.protection = protection;
    this.trace({ direction: 'state', what: protection.sealer ? 'encrypted session' : 'signed session' });
  }

  end(error: SmbError): void {
    this.transport.end(error);
  }

  /**
   * Sends one frame, a compound when there are several requests, and gives the answers in the order of the requests,
   * whatever their status.
   * @throws {SmbError} when the connection ends first; `CREDIT_STARVATION` when the server leaves too few credits, with
   * nothing sent; `ABORTED`
   */
  exchange(
    requests: readonly Request[],
    {
      treeId = 0,
      signal,
      timeoutMs = this.timeouts.requestMs,
      unrelated = false,
      onLate = () => {},
    }: ExchangeOptions = {},
  ): Promise<Reply[]> {
    if (this.endedBy !== undefined) return Promise.reject(this.endedBy);
    if (signal?.aborted) return Promise.reject(aborted());
    const { promise, resolve, reject } = Promise.withResolvers<Reply[]>();
    const charges = requests.map(({ payload }) => this.chargeOf(payload));
    const total = charges.reduce((sum, charge) => sum + charge, 0);
    let sent: Pending[] = [];
    let wasAborted = false;
    const send = () => {
      this.unsent.delete(reject);
      this.inFlight.add(reject);
      const { pendings, answers } = this.send(requests, charges, { treeId, timeoutMs, unrelated });
      sent = pendings;
      void Promise.all(answers).then((replies) => (wasAborted ? onLate(replies) : resolve(replies)));
    };
    const starve = () => {
      const message = `The server grants ${this.credits.owned} credits, ${total} are needed`;
      reject(new SmbError('CREDIT_STARVATION', message, { operation: 'send', retryable: true }));
    };
    const abort = () => {
      wasAborted = true;
      reject(aborted());
      if (this.credits.withdraw(send)) return;
      for (const pending of sent) if (this.pending.get(pending.messageId) === pending) this.cancel(pending);
    };
    this.unsent.add(reject);
    signal?.addEventListener('abort', abort, { once: true });
    this.credits.enqueue({ charge: total, send, starve });
    return promise.finally(() => {
      this.unsent.delete(reject);
      this.inFlight.delete(reject);
      signal?.removeEventListener('abort', abort);
    });
  }

  private chargeOf(payload: number): number {
    return this.largeMtu ? chargeFor(payload) : 1;
  }

  private send(
    requests: readonly Request[],
    charges: number[],
    { treeId, timeoutMs, unrelated = false }: { treeId: number; timeoutMs: number; unrelated?: boolean },
  ) {
    const now = Date.now();
    const pendings: Pending[] = [];
    const answers: Promise<Reply>[] = [];
    const missing = creditTarget - this.credits.owned;
    for (const [index, { command, message }] of requests.entries()) {
      const charge = charges[index]!;
      const { promise, resolve } = Promise.withResolvers<Reply>();
      const messageId = this.credits.take(charge);
      const pending: Pending = {
        command,
        messageId,
        charge,
        sentAt: now,
        deadline: now + timeoutMs,
        latest: now + Math.max(timeoutMs, this.timeouts.longestRequestMs),
        interims: 0,
        asyncId: undefined,
        resolve,
      };
      const isLast = index === requests.length - 1;
      writeHeader(message, {
        command,
        charge: command === Command.negotiate ? 0 : charge,
        creditRequest: Math.min(65_535, charge + (isLast ? Math.max(0, missing) : 0)),
        flags: index === 0 || unrelated ? 0 : HeaderFlag.related,
        messageId,
        treeId,
        sessionId: this.sessionId,
      });
      this.pending.set(messageId, pending);
      pendings.push(pending);
      answers.push(promise);
      this.trace({ direction: 'sent', what: commandName(command), messageId, bytes: message.length });
    }
    this.lastUsedAt = now;
    this.transmit(requests.map(({ message }) => message));
    return { pendings, answers };
  }

  /** The single way out: nothing leaves unprotected once a session is set up. */
  private transmit(messages: readonly Buffer[]): void {
    const { frame, parts } =
      messages.length === 1 ? { frame: messages[0]!, parts: messages } : joinCompound(messages);
    const { signer, sealer } = this.protection;
    if (sealer !== undefined) return this.transport.send(sealer.seal(frame));
    if (signer !== undefined) {
      for (const part of parts) {
        part.writeUInt32LE(part.readUInt32LE(16) | HeaderFlag.signed, 16);
        signer.sign(part);
      }
    }
    this.transport.send(frame);
  }

  /** Asks the server to give up a request; its answer still comes and still counts. */
  private cancel(pending: Pending): void {
    const { message } = plainRequest(Command.cancel);
    writeHeader(message, {
      command: Command.cancel,
      charge: 0,
      creditRequest: 0,
      flags: pending.asyncId === undefined ? 0 : HeaderFlag.async,
      messageId: pending.messageId,
      treeId: 0,
      sessionId: this.sessionId,
    });
    pending.asyncId?.copy(message, 32);
    this.trace({ direction: 'sent', what: 'CANCEL', messageId: pending.messageId });
    this.transmit([message]);
  }

  private receive(frame: Buffer): void {
    const { signer, sealer } = this.protection;
    let plain = frame;
    const sealed = isSealed(frame);
    if (sealed) {
      if (sealer === undefined) throw protocolError('an encrypted frame in a session without encryption');
      plain = sealer.unseal(frame);
    } else if (sealer !== undefined) {
      throw integrityError('in clear although the session is encrypted');
    }
    for (const part of splitCompound(plain)) this.accept(part, sealed ? undefined : signer);
    this.credits.pump();
  }

  private accept(message: Buffer, signer: Signer | undefined): void {
    const header = readHeader(message);
    this.trace({
      direction: 'received',
      what: commandName(header.command),
      messageId: header.messageId,
      status: statusName(header.status),
      bytes: message.length,
    });
    // Only an oplock break comes unasked, and this client never holds an oplock: there is nothing to give back.
    if (header.messageId === unsolicited && header.command === Command.oplockBreak) return;
    const pending = this.pending.get(header.messageId);
    if (pending === undefined) throw protocolError(`an answer to nothing (${commandName(header.command)})`);
    if (pending.command !== header.command) throw protocolError('an answer to another command');
    const isInterim = header.status === Status.pending && (header.flags & HeaderFlag.async) !== 0;
    if (isInterim) return this.acceptInterim(pending, header);
    // Independent of the SIGNED flag, which an attacker could strip.
    if (signer !== undefined && !signer.verify(message)) throw unverified(header);
    if (this.sessionId !== noSession && !isSession(header.sessionId, this.sessionId)) {
      throw protocolError('a message of another session');
    }
    this.pending.delete(header.messageId);
    this.credits.answered(pending.charge);
    this.credits.granted(header.credits);
    const { status, treeId } = header;
    pending.resolve({ status, message, treeId, sessionId: Buffer.from(header.sessionId) });
  }

  private acceptInterim(pending: Pending, header: ResponseHeader): void {
    pending.interims += 1;
    if (pending.interims > maxInterims) throw protocolError('more interim answers than a request can have');
    pending.asyncId = Buffer.from(header.asyncId);
    pending.deadline = Math.min(Date.now() + this.timeouts.requestMs, pending.latest);
    this.credits.granted(Math.min(header.credits, creditTarget));
  }

  private ended(error: SmbError): void {
    this.endedBy = error;
    clearInterval(this.timer);
    this.credits.drain();
    this.pending.clear();
    this.trace({ direction: 'state', what: `closed: ${error.code}` });
    for (const reject of [...this.unsent, ...this.inFlight]) reject(error);
    this.onEnd();
  }

  private tick(): void {
    const now = Date.now();
    const { transport, timeouts } = this;
    const sleptMs = now - this.lastTickAt - this.tickMs;
    this.lastTickAt = now;
    // The process itself was asleep or blocked: the server may have answered long ago, so its clocks start again.
    if (sleptMs > 5 * this.tickMs + 1000) {
      transport.lastReceivedAt += sleptMs;
      if (transport.stalledSince !== undefined) transport.stalledSince += sleptMs;
      for (const pending of this.pending.values()) {
        pending.deadline += sleptMs;
        pending.latest += sleptMs;
      }
      return;
    }
    if (transport.stalledSince !== undefined && now - transport.stalledSince > timeouts.sendMs) {
      return this.end(timedOut(`the server took nothing for ${timeouts.sendMs} ms`));
    }
    for (const { command, deadline } of this.pending.values()) {
      if (now > deadline) return this.end(timedOut(`${commandName(command)} was not answered in time`));
    }
    const silentMs = now - transport.lastReceivedAt;
    const [oldest] = this.pending.values();
    if (oldest !== undefined) {
      const probedMs = this.probedAt === undefined ? 0 : now - this.probedAt;
      if (Math.min(probedMs, silentMs) > timeouts.silenceMs) {
        return this.end(timedOut(`the server is silent for ${silentMs} ms, also to ECHO`));
      }
      // The oldest request is younger than the silence when it was sent after a pause.
      if (Math.min(silentMs, now - oldest.sentAt) > timeouts.silenceMs) this.probe();
    } else if (now - this.lastUsedAt > timeouts.idleCloseMs) {
      this.lastUsedAt = now;
      this.onIdle();
    } else if (silentMs > timeouts.keepAliveMs) {
      this.probe();
    }
  }

  private probedAt: number | undefined;

  /** ECHO, one at a time, from the credit kept for it. */
  private probe(): void {
    // Not during the logon, where nothing but its own messages may be sent.
    if (this.probedAt !== undefined || this.protection.signer === undefined || !this.credits.canTake(1))
      return;
    const used = this.lastUsedAt;
    this.probedAt = Date.now();
    const { answers } = this.send([plainRequest(Command.echo)], [1], {
      treeId: 0,
      timeoutMs: this.timeouts.requestMs,
    });
    // Keeping alive is not using.
    this.lastUsedAt = used;
    void answers[0]!.then(() => (this.probedAt = undefined));
  }
}

export interface ExchangeOptions {
  treeId?: number | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** The requests of the frame have nothing to do with each other; each names its own file. */
  unrelated?: boolean | undefined;
  /** Answers that came although the caller had given up; may hold a file that has to be closed. */
  onLate?: ((replies: Reply[]) => void) | undefined;
}

/** Followers in a compound may carry the wildcard. */
function isSession(received: Buffer, own: Buffer): boolean {
  return received.equals(own) || received.equals(anySession);
}

/**
 * Some servers send these before their signing layer is reached. The claim is not trusted beyond its being the end of
 * the connection, which it is in any case.
 */
const oftenUnsigned: ReadonlySet<number> = new Set<number>([
  Status.userSessionDeleted,
  Status.networkSessionExpired,
  Status.networkNameDeleted,
  Status.fileClosed,
]);

function unverified({ status, command }: ResponseHeader): SmbError {
  if (oftenUnsigned.has(status)) {
    const message = `The server ended the session (unsigned ${statusName(status)}); the connection was closed`;
    return new SmbError('CONNECTION_LOST', message, { operation: 'receive', retryable: true });
  }
  return integrityError(`whose signature is wrong (${commandName(command)})`);
}

function integrityError(which: string): SmbError {
  return new SmbError('INTEGRITY', `The server sent a message ${which}; the connection was closed`, {
    operation: 'receive',
  });
}

function timedOut(what: string): SmbError {
  return new SmbError('TIMEOUT', `The connection was given up: ${what}`, {
    operation: 'wait',
    retryable: true,
  });
}

export function aborted(): SmbError {
  return new SmbError('ABORTED', 'Given up by the caller', { operation: 'abort' });
}
