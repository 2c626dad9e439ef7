import type { ServerResponse } from 'node:http';
import type { EventLog } from '../base/event-log.ts';
import { free } from '../base/free.ts';

/**
 * Logs the end of a transfer that fails: `request_aborted` when the client disconnects, `response_failed` when the source
 * of a streamed body fails. The host reports either as a failed function, under the id of the invocation.
 *
 * @azure/functions writes a streamed body to its proxy's response as fast as the body yields, without back-pressure
 * (httpProxy.ts, sendProxyResponse, 4.16.5). With a slow client the whole file would accumulate in memory, and a client
 * that has disconnected would be served to the end. Status and headers are set by the time the library requests the first
 * chunk, so from then on all chunks are written directly to that response, and the body ends as if it were empty.
 *
 * @param response absent outside of the Functions worker (proxy-tap.ts); then the library gets the bytes
 * @returns makes a streamed body one for @azure/functions that is sent no faster than the client receives it, and no longer
 * than it is connected. That body takes ownership of each chunk: its memory is freed after it is sent
 */
export function atClientPace(
  response: ServerResponse | undefined,
  log: EventLog,
): (chunks: AsyncIterable<Uint8Array>) => ReadableStream<Uint8Array> {
  let hasFailed = false;
  response?.once('close', () => {
    if (!response.writableFinished && !hasFailed) log.info('request_aborted');
  });
  async function* sendPaced(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      if (response) await send(chunks, response);
      else yield* chunks;
    } catch (error) {
      hasFailed = true;
      log.error('response_failed', {}, error);
      // The host waits for the end of the response, for 240 s, although the function has failed.
      response?.destroy();
      throw error;
    }
  }
  return (chunks) => ReadableStream.from(sendPaced(chunks));
}

async function send(chunks: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  for await (const chunk of chunks) {
    if (response.closed) return;
    if (!response.write(chunk, () => free(chunk))) await waitUntilDrained(response);
  }
}

function waitUntilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}
