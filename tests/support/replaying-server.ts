import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { Direction, Edit } from './editing-proxy.ts';
import { framed } from './scripted-server/server.ts';

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
export class ReplayingServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  edit: Edit = (frame) => frame;
  /** Connections that sent a request that was not recorded. */
  divergences = 0;

  private constructor(conversation: Conversation) {
    this.#server = createServer((socket) => this.#serve(socket, conversation));
  }

  static async start(conversation: Conversation): Promise<ReplayingServer> {
    const server = new ReplayingServer(conversation);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket, { requests, responses }: Conversation): void {
    const { edit } = this;
    let received: Buffer = Buffer.alloc(0);
    let number = 0;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE()) {
        const end = 4 + received.readUInt32BE();
        const request = received.subarray(4, end);
        received = received.subarray(end);
        const response = responses[number];
        if (response === undefined || !requests[number]?.equals(request)) {
          this.divergences += 1;
          socket.destroy();
          return;
        }
        const edited = edit(Buffer.from(response), 'to client', number);
        number += 1;
        for (const frame of Buffer.isBuffer(edited) ? [edited] : edited) socket.write(framed(frame));
      }
    });
  }
}
