/** Far above any answer: a letter of 300 words is about 10 KB with its frame. */
const maxAnswerBytes = 1024 * 1024;

export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/**
 * `fetch` that follows no redirect, which would take the prompt, with names of contacts in it, to a host that nobody
 * configured, and that reads at most 1 MiB of an answer, counted after decompression.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { body, status, statusText, headers } = response;
  return body === null
    ? response
    : new Response(body.pipeThrough(bounded()), { status, statusText, headers });
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxAnswerBytes) controller.error(new AnswerTooLargeError());
      else controller.enqueue(chunk);
    },
  });
}
