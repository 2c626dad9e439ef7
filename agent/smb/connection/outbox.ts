/** Maximum number of messages in one frame. */
const frameMessages = 32;
/** How long a message waits for others to share its frame while responses are outstanding. */
const patienceMs = 5;

/**
 * Collects messages of different files that may share a frame, an unrelated compound: each frame costs both sides 56
 * bytes, a system call and an encryption. The rule is Nagle's: the messages leave when the frame is full, when
 * nothing is in flight whose response could bring more, or after `patienceMs`.
 */
export class Outbox<Message> {
  readonly #send: (messages: Message[]) => void;
  readonly #isQuiet: (waiting: number) => boolean;
  #messages: Message[] = [];
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `isQuiet` reports whether nothing is in flight but the messages that wait here. */
  constructor(send: (messages: Message[]) => void, isQuiet: (waiting: number) => boolean) {
    this.#send = send;
    this.#isQuiet = isQuiet;
  }

  add(message: Message): void {
    this.#messages.push(message);
    if (this.#messages.length === frameMessages) this.flush();
    else this.reconsider();
  }

  /**
   * A response arrived. After this turn of the event loop, which may add messages, there may be no reason to wait.
   */
  reconsider(): void {
    if (this.#messages.length === 0) return;
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      if (this.#isQuiet(this.#messages.length)) this.flush();
      else this.#timer ??= setTimeout(() => this.flush(), patienceMs);
    });
  }

  flush(): void {
    const messages = this.#messages;
    this.clear();
    if (messages.length > 0) this.#send(messages);
  }

  clear(): void {
    this.#messages = [];
    clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#turn = undefined;
    this.#timer = undefined;
  }
}
