/** Far above any response: a letter of 300 words is about 10 KB including the JSON around it. */
const maxResponseBytes = 1024 * 1024;

export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
}

/** The connection ended in the middle of the body. */
export class ResponseBrokenOffError extends Error {
  override readonly name = 'ResponseBrokenOffError';
}

/**
 * A `fetch` that does not follow redirects and reads at most 1 MiB of a response, counted after decompression. A
 * redirect would send the prompt, which contains names of contacts, to a host that is not configured.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  return new Response(ReadableStream.from(boundBody(body)), { status, statusText, headers });
}

/** @throws ResponseTooLargeError, ResponseBrokenOffError */
async function* boundBody(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxResponseBytes) {
        throw new ResponseTooLargeError();
      }
      yield chunk;
    }
  } catch (error) {
    // The client recognizes its own deadline by the error of the signal.
    if (error instanceof ResponseTooLargeError || isAbort(error)) {
      throw error;
    }
    throw new ResponseBrokenOffError('the response broke off', { cause: error });
  }
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
