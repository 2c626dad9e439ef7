import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Handler } from '../../../local/stand-ins/around.ts';
import { type Change, changing } from '../../support/change.ts';

/** A gateway in front of the service, with changes. */
export async function startChangingProxy(target: string, changes: readonly Change[]) {
  const forward: Handler = async (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const upstream = request(target + url, { method, headers }, (response) => {
      const { 'transfer-encoding': _encoding, ...shown } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, shown);
      pipeline(response, outgoing, () => undefined);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  };
  const handler = changes.reduce((inner, change) => changing(() => change)(inner), forward);
  const server = createServer((incoming, outgoing) => void handler(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
