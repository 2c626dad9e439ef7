import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { framed } from './scripted-server/server.ts';

export type Direction = 'to server' | 'to client';

/**
 * Receives each frame, without its length prefix, and its number within its direction of the connection; may change
 * it.
 */
export type Edit = (frame: Buffer, direction: Direction, number: number) => Buffer | readonly Buffer[];

/** A man in the middle between the client and a real server. */
export class EditingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  edit: Edit = (frame) => frame;
  connections = 0;

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      this.connections += 1;
      const server = connect(targetPort, '127.0.0.1');
      this.#relay(client, server, 'to server');
      this.#relay(server, client, 'to client');
    });
  }

  static async start(targetPort: number): Promise<EditingProxy> {
    const proxy = new EditingProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #relay(from: Socket, to: Socket, direction: Direction): void {
    this.#sockets.add(from);
    let received: Buffer = Buffer.alloc(0);
    let number = 0;
    from.setNoDelay(true);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE()) {
        const end = 4 + received.readUInt32BE();
        const edited = this.edit(Buffer.from(received.subarray(4, end)), direction, number);
        received = received.subarray(end);
        number += 1;
        for (const frame of Buffer.isBuffer(edited) ? [edited] : edited) to.write(framed(frame));
      }
    });
  }
}
