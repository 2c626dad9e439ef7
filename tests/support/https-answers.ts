import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalCa } from '../../local/stand-ins/local-ca.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface HttpsAnswers {
  /** `localhost:…`. */
  readonly host: string;
  /** PEM of the authority that signed its certificate. */
  readonly certificatePath: string;
  /** The requests, each recorded with its complete body before the response. */
  readonly asked: { method: string; url: string; headers: IncomingHttpHeaders; bytes: number }[];
  /** Given one after the other; the last one again and again. */
  answers: Answer[];
  close(): void;
}

/** An HTTPS server with scripted responses, for programs that support only HTTPS. */
export async function httpsAnswers(): Promise<HttpsAnswers> {
  const directory = mkdtempSync(join(tmpdir(), 'https-answers-'));
  const authority = await createLocalCa(directory);
  const asked: HttpsAnswers['asked'] = [];
  const server = createServer(await authority.issue(), (request, response) => {
    const { method = '', url = '', headers } = request;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.byteLength));
    request.on('end', () => {
      asked.push({ method, url, headers, bytes });
      const { answers } = state;
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      response.writeHead(answer?.status ?? 500).end(answer?.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: HttpsAnswers = {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    certificatePath: authority.certificatePath,
    asked,
    answers: [],
    close() {
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
  return state;
}
