import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns a port for a program that requires a number. The port is below the range of ephemeral ports, so no outgoing
 * connection uses it. Another process can take it before the program listens; callers retry.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
