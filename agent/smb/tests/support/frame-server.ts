import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

/** A server on loopback for SMB over TCP. Stopping it ends its connections. */
export abstract class FrameServer {
  readonly #server: Server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    this.serve(socket);
  });
  readonly #sockets = new Set<Socket>();

  protected abstract serve(socket: Socket): void;

  protected async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Calls `handle` with each frame that arrives, without its length prefix, until the socket is destroyed. */
export function onFrame(socket: Socket, handle: (frame: Buffer) => void): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (!socket.destroyed && received.length >= 4 && received.length >= 4 + received.readUInt32BE()) {
      const end = 4 + received.readUInt32BE();
      const frame = received.subarray(4, end);
      received = received.subarray(end);
      handle(frame);
    }
  });
}

/** The 4-byte length prefix of SMB over TCP and the frame. */
export function framed(frame: Buffer): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(frame.length);
  return Buffer.concat([prefix, frame]);
}
