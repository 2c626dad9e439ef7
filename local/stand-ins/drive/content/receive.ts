import type { Readable } from 'node:stream';
import type { ContentWriter } from './stored-content.ts';
import { type BytesPerSecond, LinkSpeed } from './link-speed.ts';
import type { QuickXorHash } from './quick-xor-hash.ts';
import { GraphError } from '../base/graph-error.ts';

// TLS returns at most 16 KiB at a time; one file write per record cost more than the encryption.
const bytesPerWrite = 1024 * 1024;

/** The connection must be closed because of a fault, or the client closed it. No response is sent. */
export class ConnectionDropped extends Error {}

/** The chunks of a request body. @throws ConnectionDropped if the client disconnects in the middle */
export async function* bodyChunks(body: Readable): AsyncGenerator<Buffer> {
  try {
    // An error in the middle of a body still needs a response, so leaving the loop keeps the connection.
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ConnectionDropped('The client hung up.', { cause });
  }
}

export interface ReceiveLimits {
  /** A larger body is 413. */
  maxBytes?: number;
  /** Fault: close the connection after this many bytes. */
  dropAfterBytes?: number | undefined;
  bytesPerSecond?: BytesPerSecond;
}

/** Streams a request body into `writer`, with about 2 MiB in memory at most. Resolves with the number of bytes written. */
export async function receive(
  body: Readable,
  writer: ContentWriter,
  hash: QuickXorHash,
  { maxBytes = Infinity, dropAfterBytes, bytesPerSecond = () => null }: ReceiveLimits = {},
): Promise<number> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  let written = Promise.resolve();
  const line = new LinkSpeed(bytesPerSecond);
  const flush = async () => {
    const chunks = pending;
    const length = pendingBytes;
    pending = [];
    pendingBytes = 0;
    // Writes one block while receiving the next: a write of 1 MiB occasionally takes as long as ten.
    await written;
    if (chunks.length > 0) {
      written = writer.write(chunks);
      // Thrown where the promise is awaited.
      written.catch(() => undefined);
    }
    await line.waitFor(length);
  };
  try {
    for await (const chunk of bodyChunks(body)) {
      const wanted = dropAfterBytes === undefined ? chunk : chunk.subarray(0, dropAfterBytes - bytes);
      bytes += wanted.length;
      if (bytes > maxBytes) throw new GraphError(413, 'invalidRequest', 'Request entity too large');
      hash.update(wanted);
      pending.push(wanted);
      pendingBytes += wanted.length;
      if (pendingBytes >= bytesPerWrite) await flush();
      if (bytes === dropAfterBytes) {
        await flush();
        throw new ConnectionDropped();
      }
    }
    await flush();
  } finally {
    await written;
  }
  return bytes;
}
