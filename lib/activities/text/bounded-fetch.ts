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
  if (body === null) return response;
  const whole = new Response(body.pipeThrough(bounded()), { status, statusText, headers });
  return status === 400 || status === 422 ? withErrorObject(whole) : whole;
}

/**
 * The client looks for what a server says in `error` and drops everything else. Mistral and older vLLM say it at the
 * top, and which parameter they refuse is what way-of-asking.ts needs to know.
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
      if (bytes > maxAnswerBytes) controller.error(new AnswerTooLargeError());
      else controller.enqueue(chunk);
    },
  });
}
