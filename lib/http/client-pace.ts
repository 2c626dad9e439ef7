import type { ServerResponse } from 'node:http';
import { proxiedResponse } from './proxied.ts';

/**
 * The same bytes, yielded no faster than the client of this invocation takes them; `body` is cancelled when the client
 * goes away. Outside the Functions worker, where no such response exists, `body` itself.
 *
 * @azure/functions writes a streamed body to its proxy's response as fast as the body yields, without waiting for the
 * other side (httpProxy.ts, sendProxyResponse, 4.16.5): a slow client would let the whole file pile up in memory, and
 * one that has gone would be served to the end.
 */
export function atClientPace(
  invocationId: string,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const response = proxiedResponse(invocationId);
  if (!response) return body;
  const reader = body.getReader();
  response.once('close', () => {
    // After an ordinary end there is nothing left to cancel.
    void reader.cancel('the client has gone').catch(() => undefined);
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (response.writableNeedDrain) await drainedOrClosed(response);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing ahead of the client: each chunk is asked for when the one before is written.
    { highWaterMark: 0 },
  );
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
