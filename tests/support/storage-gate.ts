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
   * it resolves to `no response`, the call reaches the storage, and its caller waits. A {@link GateResponse} takes the place of
   * that of the storage.
   */
  onCall: (call: TableCall) => Promise<number | 'no response' | GateResponse | undefined>;
  stop(): Promise<void>;
}

export interface GateResponse {
  readonly body: string;
  readonly status?: number;
  /** Without those that the storage gives each of its responses, it is one of somebody else. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The storage has received the call before. */
  readonly isForwarded?: boolean;
}

/** What the storage gives each response (learn.microsoft.com/rest/api/storageservices/troubleshooting-api-operations). */
const ofStorage = { 'x-ms-request-id': '00000000-0002-0000-0000-000000000000' };
const ofTransaction = { ...ofStorage, 'content-type': 'multipart/mixed; boundary=batchresponse_1' };

const respond = (outgoing: ServerResponse, { status = 202, headers = ofTransaction, body }: GateResponse) =>
  outgoing.writeHead(status, headers).end(body);

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
      const body = JSON.stringify({ 'odata.error': { code: 'Rejected', message: { value: 'at the gate' } } });
      respond(outgoing, {
        status: decision,
        headers: { ...ofStorage, 'content-type': 'application/json' },
        body,
      });
      return;
    }
    const isOwn = typeof decision === 'object';
    if (isOwn && decision.isForwarded !== true) {
      respond(outgoing, decision);
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
      respond(outgoing, decision);
      return;
    }
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  }
}
