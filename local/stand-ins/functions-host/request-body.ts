import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { BodyTooLarge, BrokenBody } from './pump.ts';

/** Bodies that were buffered before their function started, since the start of the host. */
export interface BufferedBodies {
  bodies: number;
  bytes: number;
}

/** A request body that can be forwarded once. */
export interface RequestBody {
  stream: Readable;
  /** Absent for a chunked body. */
  contentLength: number | undefined;
}

/**
 * Reads the body of a request like the host's binding: a body with a declared length is buffered in memory before the
 * function starts (HttpTriggerAttributeBindingProvider, binding data), a chunked one streams.
 *
 * @throws BodyTooLarge, BrokenBody if the client disconnects while the body is read
 */
export async function requestBody(
  request: IncomingMessage,
  limitBytes: number,
  counter: BufferedBodies,
): Promise<RequestBody | undefined> {
  if (request.headers['transfer-encoding'] !== undefined)
    return { stream: request, contentLength: undefined };
  const contentLength = Number(request.headers['content-length'] ?? 0);
  if (contentLength === 0) return undefined;
  if (contentLength > limitBytes) throw new BodyTooLarge();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    throw new BrokenBody('source', 'Unexpected end of request content.');
  }
  counter.bodies += 1;
  counter.bytes += contentLength;
  return { stream: Readable.from(chunks, { objectMode: false }), contentLength };
}
