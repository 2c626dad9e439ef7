import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

/** A server on loopback for SMB over TCP. Stopping it ends its connections. */
export abstract class FrameServer {
  #server: Server | undefined;
  #port = 0;
  protected readonly sockets = new Set<Socket>();

  protected abstract serve(socket: Socket): void;

  /** Without a port, a free one. */
  protected async listen(port = 0): Promise<this> {
    const server = createServer((socket) => {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      this.serve(socket);
    });
    this.#server = server;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** Ends all connections and listens no more; safe to call twice. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }
}

/** The largest frame: a write of the largest size, and what goes with it. */
const mostBytes = 16_777_216;

/** Calls `handle` with each frame that arrives, without its length prefix, until the socket is destroyed. */
export function onFrame(socket: Socket, handle: (frame: Buffer) => void): void {
  // A large frame arrives in more than a hundred chunks: they are joined once.
  let chunks: Buffer[] = [];
  let received = 0;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    while (!socket.destroyed && received >= 4) {
      if (chunks[0]!.length < 4) chunks = [Buffer.concat(chunks)];
      const end = 4 + chunks[0]!.readUInt32BE();
      if (end > mostBytes) {
        socket.destroy();
        return;
      }
      if (received < end) return;
      const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      chunks = [whole.subarray(end)];
      received -= end;
      handle(whole.subarray(4, end));
    }
  });
}

/** The 4-byte length prefix of SMB over TCP and the frame. */
export function framed(frame: Buffer): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(frame.length);
  return Buffer.concat([prefix, frame]);
}
