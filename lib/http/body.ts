import type { HttpRequest } from '@azure/functions';
import { ServiceError } from '../base/service-error.ts';
import { reason, type Reason } from '../contract/faults.ts';

// The largest JSON body, apart from batches of records, is a report, whose error text is cut at 8,000 characters, not rejected. JSON.parse
// takes most of the processor time: 95 ms for the worst 1 MiB that was found (120,000 keys).
const maxJsonBytes = 256 * 1024;

type JsonBody = { readonly value: unknown } | { readonly fault: Reason };

/**
 * Reads a JSON body without ever holding more than the limit.
 *
 * @returns the value, or the reason why there is none
 * @throws ServiceError `unsupported_media_type`; RequestAborted
 */
export async function jsonBody(
  { headers }: HttpRequest,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes = maxJsonBytes,
): Promise<JsonBody> {
  const contentType = headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType.trim())) {
    throw new ServiceError('unsupported_media_type', {
      detail: 'Send the body as Content-Type: application/json.',
    });
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.byteLength;
    if (length > maxBytes) return { fault: reason('too_many_bytes', { max: maxBytes }) };
    chunks.push(chunk);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { fault: reason('not_utf8') };
  }
  if (text.trim() === '') return { fault: reason('required') };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: reason('not_json') };
  }
}

/**
 * Like {@link jsonBody}, but for a request whose body may be absent, regardless of its headers.
 *
 * @returns undefined if there is no body
 * @throws ServiceError `unsupported_media_type`; RequestAborted
 */
export async function optionalJsonBody(
  request: HttpRequest,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes?: number,
): Promise<JsonBody | undefined> {
  const rest = bytes[Symbol.asyncIterator]();
  for (;;) {
    const { done, value: first } = await rest.next();
    if (done) return undefined;
    if (first.byteLength === 0) continue;
    return jsonBody(request, joined(first, rest), maxBytes);
  }
}

async function* joined(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
