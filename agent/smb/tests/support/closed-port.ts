import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface ClosedPort {
  readonly port: number;
  readonly release: () => Promise<void>;
}

/**
 * A loopback port without a listener. It is the local end of a connection, so no other process can begin to listen on
 * it either, as one could on a port that was released.
 */
export async function closedPort(): Promise<ClosedPort> {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const holder = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(holder, 'connect');
  return {
    port: holder.localPort!,
    async release() {
      server.close();
      holder.resetAndDestroy();
      await once(server, 'close');
    },
  };
}
