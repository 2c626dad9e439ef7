import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalCa } from '../../local/stand-ins/local-ca.ts';

export interface ScriptedResponse {
  readonly status: number;
  readonly body: string;
}

export interface HttpsServer {
  /** `localhost:…`. */
  readonly host: string;
  /** PEM of the authority that signed its certificate. */
  readonly certificatePath: string;
  /** The requests; each is recorded, with its complete body, before its response is sent. */
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders; bytes: number }[];
  /** Sent one after another; the last one is repeated. */
  responses: ScriptedResponse[];
  close(): void;
}

/** An HTTPS server with scripted responses, for programs that support only HTTPS. */
export async function httpsServer(): Promise<HttpsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'https-answers-'));
  const authority = await createLocalCa(directory);
  const requests: HttpsServer['requests'] = [];
  const server = createServer(await authority.issue(), (request, response) => {
    const { method = '', url = '', headers } = request;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.byteLength));
    request.on('end', () => {
      requests.push({ method, url, headers, bytes });
      const { responses } = state;
      const next = responses.length > 1 ? responses.shift() : responses[0];
      response.writeHead(next?.status ?? 500).end(next?.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: HttpsServer = {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    certificatePath: authority.certificatePath,
    requests,
    responses: [],
    close() {
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
  return state;
}
