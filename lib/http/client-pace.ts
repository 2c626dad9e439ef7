import type { ServerResponse } from 'node:http';
import { free } from '../base/free.ts';

/**
 * A body for @azure/functions that sends these bytes no faster than the client of this response takes them, and leaves
 * off reading them when the client goes away. Each chunk must be the body's to keep: its memory is freed once sent.
 *
 * @azure/functions writes a streamed body to its proxy's response as fast as the body yields, without waiting for the
 * other side (httpProxy.ts, sendProxyResponse, 4.16.5): a slow client would let the whole file pile up in memory, and
 * one that has gone would be served to the end. So when the library asks for the first chunk, status and headers being
 * set by then, all chunks go straight to that response, and the body ends as if it were empty. That also spares the web
 * streams between: together with larger blocks (joined-blocks.ts) half of a download's processor time.
 *
 * Without a response (proxy-tap.ts), as outside the Functions worker, just the bytes.
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
    // Asked for by the reader, not by the stream's making.
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
