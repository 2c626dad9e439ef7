import type { Waiting } from './credits.ts';
import type { Pending, Reply } from './in-flight.ts';
import type { Request } from '../wire/header.ts';
import type { SmbError } from '../base/smb-error.ts';

export interface ExchangeOptions {
  treeId?: number | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** For a single request that names its own file: it may share a frame with those of other files. */
  shared?: boolean | undefined;
  /** Responses that arrived after the caller aborted; they may hold a file that has to be closed. */
  onLate?: ((replies: Reply[]) => void) | undefined;
}

/** What a connection does with an exchange. */
export interface ExchangeOwner {
  send(exchange: Exchange): void;
  starve(exchange: Exchange): void;
  /** Its promise is settled. */
  settled(exchange: Exchange): void;
}

/**
 * The requests of one caller, from the wait for credits to the last response. A class and not closures, of which each
 * request would need eight.
 */
export class Exchange implements Waiting {
  readonly requests: readonly Request[];
  readonly options: ExchangeOptions;
  /** Credits by request. */
  readonly charges: readonly number[];
  readonly charge: number;
  readonly promise: Promise<Reply[]>;
  /** Empty until it is sent. */
  sent: readonly Pending[] = [];
  readonly #owner: ExchangeOwner;
  readonly #replies: Reply[] = [];
  readonly #resolve: (replies: Reply[]) => void;
  readonly #reject: (error: SmbError) => void;
  #missingReplies: number;
  #isAborted = false;

  constructor(
    requests: readonly Request[],
    charges: readonly number[],
    options: ExchangeOptions,
    owner: ExchangeOwner,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<Reply[]>();
    this.requests = requests;
    this.charges = charges;
    this.options = options;
    this.promise = promise;
    this.charge = charges.reduce((sum, charge) => sum + charge, 0);
    this.#owner = owner;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#missingReplies = requests.length;
  }

  send(): void {
    this.#owner.send(this);
  }

  starve(): void {
    this.#owner.starve(this);
  }

  fail(error: SmbError): void {
    this.#owner.settled(this);
    this.#reject(error);
  }

  /** The caller no longer waits. Responses still arrive, and `onLate` receives them. */
  abort(error: SmbError): void {
    this.#isAborted = true;
    this.fail(error);
  }

  received(index: number, reply: Reply): void {
    this.#replies[index] = reply;
    this.#missingReplies -= 1;
    if (this.#missingReplies > 0) return;
    if (this.#isAborted) {
      this.options.onLate?.(this.#replies);
      return;
    }
    this.#owner.settled(this);
    this.#resolve(this.#replies);
  }
}
