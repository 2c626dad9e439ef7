import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * @azure/functions writes a streamed body to its proxy's response as fast as the body yields, without waiting for the
 * other side (httpProxy.ts, sendProxyResponse, 4.16.5): a slow client lets the whole file pile up in memory, and one
 * that has gone is served to the end. The response is out of reach, except through Node's own diagnostics channel.
 */
const responses = new Map<string, ServerResponse>();

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const invocationId = request.headers['x-ms-invocation-id'];
  if (typeof invocationId !== 'string') return;
  responses.set(invocationId, response);
  response.once('close', () => responses.delete(invocationId));
});

/**
 * The same bytes, yielded no faster than the client of this invocation takes them; `body` is cancelled when the client
 * goes away. Outside the Functions worker, where no such response exists, `body` itself.
 */
export function atClientPace(
  invocationId: string,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const response = responses.get(invocationId);
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
