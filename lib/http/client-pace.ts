import type { ServerResponse } from 'node:http';
import { free } from '../base/free.ts';

/**
 * A body for @azure/functions that sends these bytes no faster than the client receives them, and stops reading them when
 * the client disconnects. The body takes ownership of each chunk: its memory is freed after it is sent.
 *
 * @azure/functions writes a streamed body to its proxy's response as fast as the body yields, without back-pressure
 * (httpProxy.ts, sendProxyResponse, 4.16.5). With a slow client the whole file would accumulate in memory, and a client
 * that has disconnected would be served to the end. Status and headers are set by the time the library requests the first
 * chunk, so from then on all chunks are written directly to that response, and the body ends as if it were empty.
 *
 * Without a response (proxy-tap.ts), as outside the Functions worker, returns just the bytes.
 */
export function atClientPace(
  response: ServerResponse | undefined,
  chunks: AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array> {
  if (!response) return ReadableStream.from(chunks);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await send(chunks, response);
        controller.close();
      },
    },
    // Read on the reader's request, not when the stream is created.
    { highWaterMark: 0 },
  );
}

async function send(chunks: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  for await (const chunk of chunks) {
    if (response.closed) return;
    if (!response.write(chunk, () => free(chunk))) await drainedOrClosed(response);
    if (response.closed) return;
  }
}

function drainedOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) return resolve();
    const settle = () => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}
