import type { Readable } from 'node:stream';
import type { ContentWriter } from './stored-content.ts';
import { LineSpeed } from './line-speed.ts';
import type { QuickXorHash } from './quick-xor-hash.ts';
import { GraphError } from './graph-error.ts';

// TLS hands out at most 16 KiB at a time; a file write per record cost more than the encryption.
const bytesPerWrite = 1024 * 1024;

/** The connection is gone, or has to go: a fault says so, or the client hung up. Nobody is answered. */
export class ConnectionDropped extends Error {}

/** The chunks of a request body; a client that hangs up in the middle is a {@link ConnectionDropped}. */
export async function* bodyChunks(body: Readable): AsyncGenerator<Buffer> {
  try {
    // A refusal in the middle of a body must still be answered, so leaving the loop keeps the connection.
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ConnectionDropped('The client hung up.', { cause });
  }
}

export interface ReceiveLimits {
  /** More than this is 413. */
  maxBytes?: number;
  /** Fault: break off after so many bytes. */
  dropAfterBytes?: number | undefined;
  bytesPerSecond?: number | null;
}

/** Streams a request body into `writer`, holding at most about 2 MiB. Resolves with the bytes written. */
export async function receive(
  body: Readable,
  writer: ContentWriter,
  hash: QuickXorHash,
  { maxBytes = Infinity, dropAfterBytes, bytesPerSecond = null }: ReceiveLimits = {},
): Promise<number> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  let written = Promise.resolve();
  const line = new LineSpeed(bytesPerSecond);
  const flush = async () => {
    const chunks = pending;
    const length = pendingBytes;
    pending = [];
    pendingBytes = 0;
    // One at a time, and beside it the next is received: a write of 1 MiB now and then takes as long as ten.
    await written;
    if (chunks.length > 0) {
      written = writer.write(chunks);
      // Thrown where it is waited for.
      written.catch(() => undefined);
    }
    await line.moved(length);
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
