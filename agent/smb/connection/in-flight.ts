import { creditTarget, type Credits } from './credits.ts';
import type { Clocked } from './liveness.ts';
import {
  commandName,
  Command,
  HeaderFlag,
  headerLength,
  type Request,
  type ResponseHeader,
  unsolicited,
} from '../wire/header.ts';
import { protocolError } from '../base/smb-error.ts';
import { Status } from '../base/status.ts';

export interface Reply {
  status: number;
  message: Buffer;
  treeId: number;
  /** A part of `message`. */
  sessionId: Buffer;
  /** Whether the request shared a frame with unrelated ones. */
  shared: boolean;
}

export interface Pending extends Clocked {
  messageId: number;
  charge: number;
  interims: number;
  asyncId: Buffer | undefined;
  shared: boolean;
  /** That of the request, unless the caller aborted. */
  take: Request['take'];
  /** All requests of its frame: servers process them one after the other, so they wait together. */
  frame: readonly Pending[];
  exchange: { received(index: number, reply: Reply): void };
  /** Which of the requests of its exchange it is. */
  index: number;
}

/** An interim response may be forged where it is not encrypted; it extends the deadline at most this often. */
const maxInterims = 8;

/** The requests that were sent and have no response yet; assigns each response to its request. */
export class RequestsInFlight {
  readonly #pending = new Map<number, Pending>();
  readonly #credits: Credits;
  readonly #requestMs: number;

  constructor(credits: Credits, requestMs: number) {
    this.#credits = credits;
    this.#requestMs = requestMs;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** The oldest first. */
  values(): Iterable<Pending> {
    return this.#pending.values();
  }

  add(pending: Pending): void {
    this.#pending.set(pending.messageId, pending);
  }

  has(pending: Pending): boolean {
    return this.#pending.get(pending.messageId) === pending;
  }

  clear(): void {
    this.#pending.clear();
  }

  /**
   * The request that this message completes; undefined when it has no request or is an interim response.
   * @throws {SmbError} `PROTOCOL`
   */
  match(header: ResponseHeader): Pending | undefined {
    const { command, messageId, status, flags } = header;
    // Only an oplock break arrives unsolicited, and this client never holds an oplock: there is nothing to release.
    if (messageId === unsolicited && command === Command.oplockBreak) return undefined;
    // A CANCEL has no response (MS-SMB2 3.3.5.16); some servers send one, which says nothing about the request.
    if (command === Command.cancel) return undefined;
    const pending = this.#pending.get(messageId);
    if (pending?.command !== command)
      throw protocolError(`a response without a request (${commandName(command)})`);
    const isInterim = status === Status.pending && (flags & HeaderFlag.async) !== 0;
    if (!isInterim) return pending;
    this.#acceptInterim(pending, header);
    return undefined;
  }

  /** Called after the response was verified. `isBorrowed`: the next frame overwrites the message. */
  settle(pending: Pending, header: ResponseHeader, message: Buffer, isBorrowed: boolean): void {
    const { status, treeId, credits } = header;
    this.#pending.delete(pending.messageId);
    this.#credits.completed(pending.charge);
    this.#credits.granted(credits);
    pending.take?.(message);
    const needed = pending.take === undefined ? message : message.subarray(0, headerLength);
    const kept = isBorrowed ? Buffer.from(needed) : needed;
    const { index, shared } = pending;
    const sessionId = kept.subarray(40, 48);
    pending.exchange.received(index, { status, message: kept, treeId, sessionId, shared });
  }

  #acceptInterim(pending: Pending, header: ResponseHeader): void {
    pending.interims += 1;
    if (pending.interims > maxInterims) throw protocolError('more interim responses than a request can have');
    pending.asyncId = Buffer.from(header.asyncId);
    const deadline = Date.now() + this.#requestMs;
    for (const waiting of pending.frame) waiting.deadline = Math.min(deadline, waiting.latest);
    // What an interim response grants, the last one does not grant again.
    const granted = Math.min(header.credits, creditTarget);
    const returned = Math.min(granted, pending.charge);
    pending.charge -= returned;
    this.#credits.completed(returned);
    this.#credits.granted(granted);
  }
}
