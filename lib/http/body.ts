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
 * @param isOptional the body may be absent, whatever the headers say
 * @returns the value, or the reason why there is none; undefined if there is no body
 * @throws ServiceError `unsupported_media_type`; RequestAborted
 */
export async function jsonBody(
  { headers }: { readonly headers: Pick<HttpRequest['headers'], 'get'> },
  bytes: AsyncIterable<Uint8Array>,
  { isOptional = false, maxBytes = maxJsonBytes },
): Promise<JsonBody | undefined> {
  const isJson = /^application\/json\s*(;|$)/i.test((headers.get('content-type') ?? '').trim());
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (!isJson && !isOptional) throw notJson();
  for await (const chunk of bytes) {
    length += chunk.byteLength;
    if (!isJson && length > 0) throw notJson();
    if (length > maxBytes) return { fault: reason('too_many_bytes', { max: maxBytes }) };
    chunks.push(chunk);
  }
  if (isOptional && length === 0) return undefined;
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

const notJson = (): ServiceError =>
  new ServiceError('unsupported_media_type', { detail: 'Send the body as Content-Type: application/json.' });
