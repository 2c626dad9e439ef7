import type { Socket } from 'node:net';
import { FrameServer, onFrame } from '../wire/frame-server.ts';
import { Connection, type Identity } from './connection.ts';
import type { Script } from './script.ts';

/**
 * A small SMB 3.1.1 server of this process with one account: negotiation, logon, signing, sealing, and compounds. What its
 * shares contain is its subclass's, and what differs from a correct server its script's. It is strict: on a request with a
 * wrong signature, seal or MIC it records a fault and closes.
 */
export abstract class SmbServer extends FrameServer {
  readonly host = '127.0.0.1';
  /** For the connections made from now on. */
  script: Script;
  /** The client's mistakes. */
  readonly faults: string[] = [];
  connections = 0;
  /** Commands received, in order, over all connections. */
  readonly commands: number[] = [];

  protected constructor(script: Script) {
    super();
    this.script = script;
  }

  protected abstract identity(): Identity;

  protected override serve(socket: Socket): void {
    this.connections += 1;
    const connection = new Connection(this.identity(), this.script, this);
    socket.on('close', () => connection.end());
    let diskFreeAt = 0;
    const write = (responses: readonly Buffer[]) => {
      for (const bytes of responses) if (!socket.destroyed) socket.write(bytes);
    };
    onFrame(socket, (frame) => {
      try {
        const responses = connection.respond(frame);
        if (connection.diskMs === 0) write(responses);
        else {
          diskFreeAt = Math.max(diskFreeAt, performance.now()) + connection.diskMs;
          setTimeout(() => write(responses), diskFreeAt - performance.now());
        }
      } catch (error) {
        this.faults.push(String(error));
        socket.destroy();
      }
    });
  }
}
