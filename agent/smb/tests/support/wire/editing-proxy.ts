import { type Socket, connect } from 'node:net';
import { FrameServer, framed, onFrame } from './frame-server.ts';

export type Direction = 'to server' | 'to client';

/**
 * Receives each frame, without its length prefix, and its number within its direction of the connection; may change
 * it.
 */
export type Edit = (frame: Buffer, direction: Direction, number: number) => Buffer | readonly Buffer[];

/** A man in the middle between the client and a real server. */
export class EditingProxy extends FrameServer {
  readonly #targetPort: number;
  edit: Edit = (frame) => frame;
  connections = 0;

  private constructor(targetPort: number) {
    super();
    this.#targetPort = targetPort;
  }

  static start(targetPort: number): Promise<EditingProxy> {
    return new EditingProxy(targetPort).listen();
  }

  protected override serve(client: Socket): void {
    this.connections += 1;
    const server = connect({ port: this.#targetPort, host: '127.0.0.1', noDelay: true });
    this.#relay(client, server, 'to server');
    this.#relay(server, client, 'to client');
  }

  #relay(from: Socket, to: Socket, direction: Direction): void {
    let number = 0;
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    onFrame(from, (frame) => {
      const edited = this.edit(Buffer.from(frame), direction, number);
      number += 1;
      for (const each of Buffer.isBuffer(edited) ? [edited] : edited) to.write(framed(each));
    });
  }
}
