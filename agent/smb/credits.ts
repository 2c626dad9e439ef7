/** Credits the client wants to own: some hundred small requests, or many large ones, under way at the same time. */
export const creditTarget = 512;

/** What a request of this size costs where the server knows multi-credit requests. */
export const chargeFor = (payloadBytes: number) => Math.max(1, Math.ceil(payloadBytes / 65_536));

interface Waiting {
  charge: number;
  send: () => void;
  starve: () => void;
}

/**
 * The right to send. Requests wait their turn in order; a credit leaves when a request is sent and comes back, more or
 * less of it, with any answer. One credit is kept for the ECHO that asks whether a silent server lives.
 */
export class Credits {
  private available = 1;
  private outstanding = 0;
  private nextMessageId = 0;
  private waiting: Waiting[] = [];

  /** All the client owns, sent out or not. Samba gives a compound's credits back with its last answer only. */
  get owned(): number {
    return this.available + this.outstanding;
  }

  /** The most one frame may cost and still be sure to be sent once its turn comes. */
  get largestCharge(): number {
    return Math.max(1, this.owned - this.reserve);
  }

  get isIdle(): boolean {
    return this.outstanding === 0 && this.waiting.length === 0;
  }

  private get reserve(): number {
    return this.owned > 4 ? 1 : 0;
  }

  /** Calls `send` when the credits are there, `starve` when they can't come. */
  enqueue(waiting: Waiting): void {
    this.waiting.push(waiting);
    this.pump();
  }

  withdraw(send: () => void): boolean {
    const index = this.waiting.findIndex((entry) => entry.send === send);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }

  /** Whether a request may go past the queue, on the reserve. */
  canTake(charge: number): boolean {
    return charge <= this.available;
  }

  /** The MessageId of a request that is being sent. */
  take(charge: number): number {
    const id = this.nextMessageId;
    this.nextMessageId += charge;
    this.available -= charge;
    this.outstanding += charge;
    return id;
  }

  granted(credits: number): void {
    // More than 65,535 no honest server grants; the cap keeps a hostile one from growing what is under way.
    this.available = Math.min(this.available + credits, 65_535);
  }

  answered(charge: number): void {
    this.outstanding -= charge;
  }

  pump(): void {
    for (let head = this.waiting[0]; head !== undefined; head = this.waiting[0]) {
      if (head.charge <= this.available - this.reserve) {
        this.waiting.shift();
        head.send();
      } else if (this.outstanding === 0) {
        // Nothing under way that could bring more.
        this.waiting.shift();
        head.starve();
      } else {
        return;
      }
    }
  }

  /** Empties the queue, for a connection that has ended. */
  drain(): void {
    this.waiting = [];
  }
}
