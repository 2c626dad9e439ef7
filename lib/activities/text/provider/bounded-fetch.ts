/** Far above any response: a letter of 300 words is about 10 KB including the JSON around it. */
const maxResponseBytes = 1024 * 1024;

export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
}

/**
 * A `fetch` that does not follow redirects and reads at most 1 MiB of a response, counted after decompression. A
 * redirect would send the prompt, which contains names of contacts, to a host that is not configured.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  return new Response(body.pipeThrough(bounded()), { status, statusText, headers });
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxResponseBytes) controller.error(new ResponseTooLargeError());
      else controller.enqueue(chunk);
    },
  });
}
