/** Messages in one frame at most. */
const frameMessages = 32;
/** How long a message waits for others to share its frame while answers are under way. */
const patienceMs = 5;

/**
 * Gathers messages of different files that may share a frame, an unrelated compound: each frame costs both sides 56
 * bytes, a system call and an encryption. The rule is Nagle's: what is here leaves when a frame is full, or nothing is
 * under way whose answer could bring more, or after `patienceMs`.
 */
export class Outbox<Message> {
  private readonly send: (messages: Message[]) => void;
  private readonly isQuiet: (waiting: number) => boolean;
  private messages: Message[] = [];
  private turn: NodeJS.Immediate | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** `isQuiet` says whether nothing is under way but the messages that wait here. */
  constructor(send: (messages: Message[]) => void, isQuiet: (waiting: number) => boolean) {
    this.send = send;
    this.isQuiet = isQuiet;
  }

  add(message: Message): void {
    this.messages.push(message);
    if (this.messages.length === frameMessages) this.flush();
    else this.reconsider();
  }

  /** An answer came: after this turn of the event loop, which may add more, there may be nothing to wait for. */
  reconsider(): void {
    if (this.messages.length === 0) return;
    this.turn ??= setImmediate(() => {
      this.turn = undefined;
      if (this.isQuiet(this.messages.length)) this.flush();
      else this.timer ??= setTimeout(() => this.flush(), patienceMs);
    });
  }

  flush(): void {
    const { messages } = this;
    this.clear();
    if (messages.length > 0) this.send(messages);
  }

  clear(): void {
    this.messages = [];
    clearImmediate(this.turn);
    clearTimeout(this.timer);
    this.turn = undefined;
    this.timer = undefined;
  }
}
