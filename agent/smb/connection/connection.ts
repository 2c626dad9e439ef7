import { Abortables, abortError } from '../base/aborting.ts';
import { chargeFor, Credits, creditTarget } from './credits.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { Command, commandName, HeaderFlag, readHeader, writeHeader, type Request } from '../wire/header.ts';
import { plainRequest } from '../wire/session.ts';
import { Liveness } from './liveness.ts';
import type { Timeouts, TraceEvent } from '../account/options.ts';
import { Outbox } from './outbox.ts';
import { Protection } from './protection.ts';
import type { Sealer } from './sealing.ts';
import type { Signer } from './signing.ts';
import { protocolError, SmbError } from '../base/smb-error.ts';
import { statusName } from '../base/status.ts';
import type { Transport } from './transport.ts';
import { RequestsInFlight, type Pending, type Reply } from './in-flight.ts';

/**
 * A message that waits in the outbox holds a MessageId, and the server grants nothing beyond its window above the
 * lowest MessageId it has not received: with few credits, none would be left.
 */
const creditsToShare = 128;

const noSession = Buffer.alloc(8);
const anySession = Buffer.alloc(8, 0xff);

/**
 * Requests and responses on one TCP connection: credits, compounds, signing or encryption, timeouts. Any violation of
 * the protocol ends the connection, and its end fails every request in flight or queued.
 */
export class Connection {
  sessionId: Buffer = noSession;
  /** False until the server announces multi-credit requests. */
  largeMtu = false;
  /** Called when nothing has been in flight for `idleCloseMs`. */
  onIdle: () => void = () => {};
  onEnd: () => void = () => {};
  /** The server has failed a CLOSE because of the failed request before it in its compound. */
  closesApart = false;
  readonly compoundsCompleted = { related: 0, shared: 0 };
  readonly credits = new Credits();
  readonly #protection = new Protection();
  readonly #inFlight: RequestsInFlight;
  readonly #outbox: Outbox<{ message: Buffer; pending: Pending }>;
  /** What callers wait for: a response or credits. */
  readonly #exchanges = new Set<Exchange>();
  readonly #abortables = new Abortables<Exchange>((exchange) => this.#abort(exchange));
  readonly #transport: Transport;
  readonly #timeouts: Timeouts;
  readonly #trace: ((event: TraceEvent) => void) | undefined;
  readonly #liveness: Liveness;
  #endedBy: SmbError | undefined;

  constructor(transport: Transport, timeouts: Timeouts, trace: ((event: TraceEvent) => void) | undefined) {
    this.#transport = transport;
    this.#timeouts = timeouts;
    this.#trace = trace;
    this.#inFlight = new RequestsInFlight(this.credits, timeouts.requestMs);
    this.#outbox = new Outbox(
      (waiting) => {
        const frame = waiting.map(({ pending }) => pending);
        for (const pending of frame) {
          pending.frame = frame;
          pending.shared = frame.length > 1;
        }
        this.#sendFrame(waiting.map(({ message }) => message));
      },
      (waiting) => this.#inFlight.size === waiting,
    );
    transport.onFrame = (frame) => this.#receive(frame);
    transport.onEnd = (error) => this.#ended(error);
    transport.onSent = (part) => this.#protection.sent(part);
    this.#liveness = new Liveness({
      transport,
      timeouts,
      requests: () => this.#inFlight.values(),
      echo: () => this.#echo(),
      onIdle: () => this.onIdle(),
      onDead: (error) => this.end(error),
    });
  }

  get isOpen(): boolean {
    return this.#endedBy === undefined;
  }

  /** From here on every message in both directions is encrypted, or signed where there is no sealer. */
  protect(signer: Signer, sealer: Sealer | undefined): void {
    this.#protection.switchOn(signer, sealer);
    this.#trace?.({
      direction: 'state',
      what: sealer === undefined ? 'signed session' : 'encrypted session',
    });
  }

  end(error: SmbError): void {
    this.#transport.end(error);
  }

  /**
   * Sends one frame, a compound when there are several requests, and resolves with the responses in the order of the
   * requests, with any status. A `shared` request may wait briefly for others to share its frame.
   * @throws {SmbError} when the connection ends first; `CREDIT_STARVATION` when the server leaves too few credits,
   * with nothing sent; `ABORTED`
   */
  exchange(requests: readonly Request[], options: ExchangeOptions = {}): Promise<Reply[]> {
    const { signal } = options;
    if (this.#endedBy !== undefined) return Promise.reject(this.#endedBy);
    if (signal?.aborted) return Promise.reject(abortError(signal));
    const charges = requests.map(({ payload }) => this.#chargeOf(payload));
    const exchange = new Exchange(requests, charges, options, this.#owner);
    this.#exchanges.add(exchange);
    if (signal !== undefined) this.#abortables.add(signal, exchange);
    this.credits.enqueue(exchange);
    return exchange.promise;
  }

  readonly #owner = {
    send: (exchange: Exchange): void => {
      this.#liveness.used();
      this.#send(exchange);
    },
    starve: (exchange: Exchange): void => {
      const message = `The server grants ${this.credits.owned} credits, ${exchange.charge} are needed`;
      exchange.fail(new SmbError('CREDIT_STARVATION', message, { operation: 'send', retryable: true }));
    },
    settled: (exchange: Exchange): void => {
      const { signal } = exchange.options;
      this.#exchanges.delete(exchange);
      if (signal !== undefined) this.#abortables.delete(signal, exchange);
    },
  };

  #abort(exchange: Exchange): void {
    exchange.abort(abortError(exchange.options.signal!));
    this.credits.withdraw(exchange);
    for (const pending of exchange.sent) {
      pending.take = undefined;
      if (this.#inFlight.has(pending)) this.#cancel(pending);
    }
  }

  #chargeOf(payload: number): number {
    return this.largeMtu ? chargeFor(payload) : 1;
  }

  #send(exchange: Exchange): void {
    const { requests, charges } = exchange;
    const { treeId = 0, timeoutMs = this.#timeouts.requestMs, shared = false } = exchange.options;
    const now = Date.now();
    const pendings: Pending[] = [];
    const missingCredits = creditTarget - this.credits.owned;
    for (const [index, { command, message, data, isDfs, take }] of requests.entries()) {
      const charge = charges[index]!;
      const messageId = this.credits.spend(charge);
      const pending: Pending = {
        command,
        messageId,
        charge,
        sentAt: now,
        deadline: now + timeoutMs,
        latest: now + Math.max(timeoutMs, this.#timeouts.longestRequestMs),
        interims: 0,
        asyncId: undefined,
        shared: false,
        take,
        frame: pendings,
        exchange,
        index,
      };
      const isLast = index === requests.length - 1;
      writeHeader(message, {
        command,
        charge: command === Command.negotiate ? 0 : charge,
        creditRequest: Math.min(65_535, charge + (isLast ? Math.max(0, missingCredits) : 0)),
        flags: (index === 0 ? 0 : HeaderFlag.related) | (isDfs === true ? HeaderFlag.dfs : 0),
        messageId,
        treeId,
        sessionId: this.sessionId,
      });
      this.#inFlight.add(pending);
      pendings.push(pending);
      const bytes = message.length + (data?.length ?? 0);
      this.#trace?.({ direction: 'sent', what: commandName(command), messageId, bytes });
    }
    exchange.sent = pendings;
    if (shared && this.credits.owned >= creditsToShare)
      this.#outbox.add({ message: requests[0]!.message, pending: pendings[0]! });
    else if (requests.length === 1) this.#sendFrame([requests[0]!.message], requests[0]!.data);
    else {
      this.#sendFrame(
        requests.map(({ message, data }) => (data === undefined ? message : Buffer.concat([message, data]))),
      );
    }
  }

  /** @param data follows a single message */
  #sendFrame(messages: readonly Buffer[], data?: Uint8Array): void {
    this.#transport.send(this.#protection.protect(messages, data));
  }

  /** Requests that the server cancel a request. The response still arrives and still counts. */
  #cancel(pending: Pending): void {
    // A CANCEL that precedes its request has no effect.
    this.#outbox.flush();
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
    this.#trace?.({ direction: 'sent', what: 'CANCEL', messageId: pending.messageId });
    this.#sendFrame([message]);
  }

  #receive(frame: Buffer): void {
    const { messages, isGenuine, isBorrowed } = this.#protection.open(frame);
    for (const message of messages) this.#accept(message, isGenuine, isBorrowed);
    this.credits.pump();
    this.#outbox.reconsider();
  }

  #accept(message: Buffer, isGenuine: boolean, isBorrowed: boolean): void {
    const header = readHeader(message);
    this.#trace?.({
      direction: 'received',
      what: commandName(header.command),
      messageId: header.messageId,
      status: statusName(header.status),
      bytes: message.length,
    });
    const pending = this.#inFlight.match(header);
    if (pending === undefined) return;
    if (!isGenuine) this.#protection.verify(message, header);
    if (this.sessionId !== noSession && !isSession(header.sessionId, this.sessionId)) {
      throw protocolError('a message of another session');
    }
    this.#inFlight.settle(pending, header, message, isBorrowed);
  }

  #ended(error: SmbError): void {
    this.#endedBy = error;
    this.#liveness.stop();
    this.#outbox.clear();
    this.credits.drain();
    this.#inFlight.clear();
    this.#trace?.({ direction: 'state', what: `closed: ${error.code}` });
    for (const exchange of this.#exchanges) exchange.fail(error);
    this.onEnd();
  }

  /** Bypasses the queue, on the reserved credit. Not during the logon, where only its own messages may be sent. */
  #echo(): Promise<Reply[]> | undefined {
    if (!this.#protection.isOn || !this.credits.canSpend(1)) return undefined;
    const exchange = new Exchange([plainRequest(Command.echo)], [1], {}, this.#owner);
    this.#send(exchange);
    return exchange.promise;
  }
}

/** Followers in a compound may carry the wildcard. */
function isSession(received: Buffer, own: Buffer): boolean {
  return received.equals(own) || received.equals(anySession);
}
