import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pastGate } from '../../local/stand-ins/tables/loaded-rows.ts';

export interface TableCall {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** A proxy of the table service. A test uses it to hold or reject requests of a service in another process. */
export interface StorageGate {
  /** Connects to the table service through this gate. */
  readonly connectionString: string;
  readonly port: number;
  /**
   * Awaited before a call is forwarded. If it resolves to a status, the call is rejected and does not reach the storage. If
   * it resolves to `no response`, the call reaches the storage, and its caller waits. `body` is what somebody else responds with
   * 202, after the storage has received the call if `isForwarded`.
   */
  onCall: (
    call: TableCall,
  ) => Promise<
    number | 'no response' | { readonly body: string; readonly isForwarded?: boolean } | undefined
  >;
  stop(): Promise<void>;
}

export async function startStorageGate(connectionString: string): Promise<StorageGate> {
  const target = new URL(/TableEndpoint=([^;]+)/.exec(connectionString)![1]!);
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gate: StorageGate = {
    // The signature of a request covers account and path, not the host.
    connectionString: connectionString.replace(target.origin, `http://127.0.0.1:${port}`),
    port,
    onCall: async () => undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return gate;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = await buffer(incoming);
    const decision = await gate.onCall({ method, url, body: body.toString() });
    if (typeof decision === 'number') {
      outgoing.writeHead(decision, { 'content-type': 'application/json' });
      outgoing.end(
        JSON.stringify({ 'odata.error': { code: 'Rejected', message: { value: 'at the gate' } } }),
      );
      return;
    }
    const isOwn = typeof decision === 'object';
    if (isOwn && decision.isForwarded !== true) {
      outgoing
        .writeHead(202, { 'content-type': 'multipart/mixed; boundary=batchresponse_1' })
        .end(decision.body);
      return;
    }
    const onward = request(new URL(url, target.origin), {
      method,
      headers: { ...headers, [pastGate]: 'true' },
    });
    onward.end(body);
    const [response] = (await once(onward, 'response')) as [IncomingMessage];
    if (decision === 'no response') {
      response.resume();
      return;
    }
    if (isOwn) {
      response.resume();
      outgoing
        .writeHead(202, { 'content-type': 'multipart/mixed; boundary=batchresponse_1' })
        .end(decision.body);
      return;
    }
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  }
}
