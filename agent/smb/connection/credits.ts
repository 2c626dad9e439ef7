/** Credits the client tries to own: enough for several hundred small requests, or many large ones, in flight. */
export const creditTarget = 512;

/** What a request of this size costs where the server supports multi-credit requests. */
export const chargeFor = (payloadBytes: number) => Math.max(1, Math.ceil(payloadBytes / 65_536));

/** A frame that waits for credits. */
export interface Waiting {
  readonly charge: number;
  send(): void;
  starve(): void;
}

/**
 * Permission to send. Requests are queued in order. Sending a request spends credits, and any response may return
 * some. One credit is reserved for the ECHO that checks whether a silent server is alive.
 */
export class Credits {
  #available = 1;
  #outstanding = 0;
  #nextMessageId = 0;
  #waiting: Waiting[] = [];

  /** All credits the client owns, spent or not. Samba returns a compound's credits only with its last response. */
  get owned(): number {
    return this.#available + this.#outstanding;
  }

  /** The highest cost of a frame that is certain to be sent when it is next. */
  get largestCharge(): number {
    return Math.max(1, this.owned - this.#reserve);
  }

  get isIdle(): boolean {
    return this.#outstanding === 0 && this.#waiting.length === 0;
  }

  get #reserve(): number {
    return this.owned > 4 ? 1 : 0;
  }

  /** Calls its `send` when enough credits are available, its `starve` when they cannot arrive. */
  enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.pump();
  }

  /** Takes back what has not been sent. */
  withdraw(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
  }

  /** Whether a request may bypass the queue, on the reserve. */
  canSpend(charge: number): boolean {
    return charge <= this.#available;
  }

  /** The MessageId of a request that is being sent. */
  spend(charge: number): number {
    const id = this.#nextMessageId;
    this.#nextMessageId += charge;
    this.#available -= charge;
    this.#outstanding += charge;
    return id;
  }

  granted(credits: number): void {
    // No honest server grants more than 65,535; the cap keeps a hostile one from inflating the number in flight.
    this.#available = Math.min(this.#available + credits, 65_535);
  }

  completed(charge: number): void {
    this.#outstanding -= charge;
  }

  pump(): void {
    for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
      if (head.charge <= this.#available - this.#reserve) {
        this.#waiting.shift();
        head.send();
      } else if (this.#outstanding === 0) {
        // No request in flight could bring more credits.
        this.#waiting.shift();
        head.starve();
      } else {
        return;
      }
    }
  }

  /** Empties the queue of a connection that has ended. */
  drain(): void {
    this.#waiting = [];
  }
}
