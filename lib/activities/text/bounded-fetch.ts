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
  const whole = new Response(body.pipeThrough(bounded()), { status, statusText, headers });
  return status === 400 || status === 422 ? withErrorObject(whole) : whole;
}

/**
 * The client reads the message of a 400 or 422 from `error` and drops everything else. Mistral and older vLLM have it
 * at the top level, and `dialect.ts` needs it to find the rejected parameter.
 */
async function withErrorObject(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = await response.text();
  const own = new Headers(headers);
  own.set('content-type', 'application/json');
  own.delete('content-encoding');
  return new Response(hasErrorObject(text) ? text : JSON.stringify({ error: { message: text } }), {
    status,
    statusText,
    headers: own,
  });
}

function hasErrorObject(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object';
  } catch {
    return false;
  }
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
