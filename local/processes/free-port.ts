import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port for a program that must be told one. Below the range from which systems take the local ports of outgoing
 * connections, so that none of those is in the way. Another process can take it first: try again then.
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
