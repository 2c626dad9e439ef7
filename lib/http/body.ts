import type { HttpRequest } from '@azure/functions';
import { ServiceError } from '../base/service-error.ts';

// The largest JSON body of the contract is a report with an error text; 1 MiB leaves room for one that is cut later.
const maxJsonBytes = 1024 * 1024;

/**
 * Reads a JSON body without ever holding more than the limit.
 *
 * @returns the value, or what keeps the body from being one
 * @throws ServiceError `unsupported_media_type`
 */
export async function jsonBody(request: HttpRequest): Promise<{ value: unknown } | { fault: string }> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType.trim())) {
    throw new ServiceError('unsupported_media_type', {
      detail: 'Send the body as Content-Type: application/json.',
    });
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxJsonBytes) return { fault: `is larger than ${maxJsonBytes} bytes` };
    chunks.push(chunk);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return { fault: 'is not UTF-8' };
  }
  if (text.trim() === '') return { fault: 'is empty; JSON was expected' };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: 'is not JSON' };
  }
}
