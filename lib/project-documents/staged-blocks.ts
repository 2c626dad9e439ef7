import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BlockBlobClient } from '@azure/storage-blob';
import { free } from '../base/free.ts';

const blocksAtOnce = 2;

/**
 * Writes a stream into a blob, block by block; in memory are the block that fills up and those on their way. The
 * client's own `uploadStream` rejects while blocks are still on their way: one that arrives after the blob was removed
 * makes it anew.
 *
 * @param stream gives chunks that are the reader's own
 * @param onBytes called with the total so far; what it throws ends the writing
 * @returns the number of bytes
 * @throws whatever the stream, `onBytes` or the storage throws, when nothing is on its way any more
 */
export async function writeBlocks(
  blob: BlockBlobClient,
  stream: Readable,
  blockBytes: number,
  onBytes: (total: number) => void,
): Promise<number> {
  const ids: string[] = [];
  const onTheirWay = new Set<Promise<unknown>>();
  let total = 0;
  try {
    for await (const block of blocksOf(stream, blockBytes)) {
      total += block.length;
      onBytes(total);
      const id = Buffer.from(randomUUID()).toString('base64');
      ids.push(id);
      const staged = blob.stageBlock(id, block, block.length);
      onTheirWay.add(staged);
      // Awaited below; one that fails before that must not count as unhandled.
      staged.then(
        () => {
          onTheirWay.delete(staged);
          free(block);
        },
        () => undefined,
      );
      if (onTheirWay.size === blocksAtOnce) await Promise.race(onTheirWay);
    }
    await Promise.all(onTheirWay);
  } finally {
    await Promise.allSettled(onTheirWay);
  }
  await blob.commitBlockList(ids);
  return total;
}

async function* blocksOf(stream: Readable, blockBytes: number): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length < blockBytes) continue;
    yield joined(chunks, length);
    chunks = [];
    length = 0;
  }
  if (length > 0) yield joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Buffer {
  const block = Buffer.concat(chunks, length);
  for (const chunk of chunks) free(chunk);
  return block;
}
