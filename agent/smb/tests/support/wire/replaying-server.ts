import type { Socket } from 'node:net';
import type { Direction, Edit } from './editing-proxy.ts';
import { FrameServer, framed, onFrame } from './frame-server.ts';

/** The frames of one connection, each response with the request it belongs to. */
export interface Conversation {
  readonly requests: readonly Buffer[];
  readonly responses: readonly Buffer[];
}

/** Forwards all frames and records them. */
export function recorder(): { edit: Edit; conversation: Conversation } {
  const conversation = { requests: [] as Buffer[], responses: [] as Buffer[] };
  const kept = { 'to server': conversation.requests, 'to client': conversation.responses };
  const edit = (frame: Buffer, direction: Direction) => {
    kept[direction].push(Buffer.from(frame));
    return frame;
  };
  return { edit, conversation };
}

/**
 * Sends the recorded responses, changed by `edit`, while the requests equal the recorded ones byte for byte: to the client
 * this is the recorded server. At the first request that differs, it counts a divergence and closes the connection, and the
 * case needs the real server.
 */
export class ReplayingServer extends FrameServer {
  readonly #conversation: Conversation;
  edit: Edit = (frame) => frame;
  /** Connections that sent a request that was not recorded. */
  divergences = 0;

  private constructor(conversation: Conversation) {
    super();
    this.#conversation = conversation;
  }

  static start(conversation: Conversation): Promise<ReplayingServer> {
    return new ReplayingServer(conversation).listen();
  }

  protected override serve(socket: Socket): void {
    const { edit } = this;
    const { requests, responses } = this.#conversation;
    let number = 0;
    onFrame(socket, (request) => {
      const response = responses[number];
      if (response === undefined || !requests[number]?.equals(request)) {
        this.divergences += 1;
        socket.destroy();
        return;
      }
      const edited = edit(Buffer.from(response), 'to client', number);
      number += 1;
      for (const frame of Buffer.isBuffer(edited) ? [edited] : edited) socket.write(framed(frame));
    });
  }
}
