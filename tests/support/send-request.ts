import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { free } from '../../lib/base/free.ts';

export interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent chunked, without a length. */
  readonly body?: Uint8Array | string | ReadableStream<Uint8Array> | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };

/**
 * Sends a request and reads the complete response. Unlike `fetch`, it does not copy the bodies, which cost most of the
 * processor time of tests with large files: fetch copies a request body twice and a response body once.
 *
 * @throws Error if the connection breaks before the end of the response
 */
export async function sendRequest(
  url: string,
  { method = 'GET', headers = {}, body }: SentRequest = {},
): Promise<ReceivedResponse> {
  const { protocol } = new URL(url);
  const isHttps = protocol === 'https:';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = (isHttps ? requestHttps : requestHttp)(
      url,
      { method, headers, agent: isHttps ? agents['https:'] : agents['http:'] },
      resolve,
    );
    // After a response that precedes the end of the body, a failure to send the rest has no effect.
    outgoing.on('error', reject);
    if (body instanceof ReadableStream) Readable.fromWeb(body).on('error', reject).pipe(outgoing);
    else outgoing.end(body);
  });
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(headersOf(response)),
    bytes: await bytesOf(response),
  };
}

function headersOf({ headersDistinct }: IncomingMessage): [string, string][] {
  return Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const announced = response.headers['content-length'];
  const chunks: Buffer[] = [];
  const whole = announced === undefined ? undefined : Buffer.allocUnsafe(Number(announced));
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (whole) {
      length += chunk.copy(whole, length);
      free(chunk);
    } else chunks.push(chunk);
  }
  // Node rejects a response that is shorter or longer than announced; a response to HEAD has no body.
  return whole?.subarray(0, length) ?? Buffer.concat(chunks);
}
