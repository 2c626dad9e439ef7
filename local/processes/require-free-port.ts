import { once } from 'node:events';
import { createServer } from 'node:net';

/** @throws Error with the code EADDRINUSE if another program listens on the port of loopback */
export async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
