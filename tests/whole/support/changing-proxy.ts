import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a deployment gets wrong. Both see only requests whose line matches. */
export interface Change {
  /** Part of `METHOD /path`. */
  readonly line: RegExp;
  /** Responds instead of the service. */
  readonly respond?: (
    request: IncomingMessage,
  ) => { status: number; body?: object; headers?: object } | undefined;
  /** Changes the JSON of the service's response. */
  readonly edit?: (body: any) => unknown;
  readonly withoutHeader?: string;
}

/** A gateway in front of the service, with one fault. */
export async function startChangingProxy(target: string, change: Change) {
  const server = createServer((incoming, outgoing) => {
    const isMeant = change.line.test(`${incoming.method} ${incoming.url}`);
    const own = isMeant ? change.respond?.(incoming) : undefined;
    if (own) {
      incoming.resume();
      outgoing.writeHead(own.status, { 'content-type': 'application/json', ...own.headers });
      outgoing.end(own.body && JSON.stringify(own.body));
      return;
    }
    const { method, headers, url } = incoming;
    const upstream = request(target + url, { method, headers }, (response) => {
      const { [change.withoutHeader ?? '']: _, ...kept } = response.headers;
      const { 'transfer-encoding': _encoding, ...shown } = isMeant ? kept : response.headers;
      if (!isMeant || !change.edit) {
        outgoing.writeHead(response.statusCode ?? 502, shown);
        response.pipe(outgoing);
        return;
      }
      void buffer(response).then((bytes) => {
        const text = JSON.stringify(change.edit!(JSON.parse(bytes.toString())));
        outgoing.writeHead(response.statusCode ?? 502, {
          ...shown,
          'content-length': Buffer.byteLength(text),
        });
        outgoing.end(text);
      });
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
