import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobServiceClient, BlockBlobClient } from '@azure/storage-blob';
import { free } from '../../base/free.ts';
import type { Fragment, UploadWindow } from '../../uploads/upload-window.ts';

/**
 * A new blob, for one request. If a crash leaves it behind, the storage account deletes it after a day, and blocks that were
 * never committed after a week (bicep/modules/storage.bicep).
 */
export async function newStagingBlob(blobs: () => Promise<BlobServiceClient>): Promise<StagingBlob> {
  const container = (await blobs()).getContainerClient('upload-staging');
  // In Azure, Bicep has created it, and this changes nothing.
  await container.createIfNotExists();
  return new StagingBlob(container.getBlockBlobClient(randomUUID()));
}

/** One block for each fragment. A blob has at most 50,000 blocks: with the smallest fragments, 15 GiB. */
export class StagingBlob {
  readonly #blob: BlockBlobClient;
  readonly #blockIds: string[] = [];

  constructor(blob: BlockBlobClient) {
    this.#blob = blob;
  }

  get name(): string {
    return this.#blob.name;
  }

  async append({ length, blocks }: Fragment): Promise<void> {
    const id = Buffer.from(randomUUID()).toString('base64');
    this.#blockIds.push(id);
    // The storage verifies the MD5. Without one it computes a CRC-64 for its response, which takes Azurite longer than
    // the rest of a staged upload.
    const transactionalContentMD5 = md5Of(blocks);
    const body = () => Readable.from(blocks, { objectMode: false });
    await this.#blob.stageBlock(id, body, length, { transactionalContentMD5 });
  }

  /** Makes the appended fragments readable. */
  async commit(): Promise<void> {
    await this.#blob.commitBlockList(this.#blockIds);
  }

  /** Writes the content into a window, until that is closed. */
  async copyTo(window: UploadWindow): Promise<void> {
    const { readableStreamBody } = await this.#blob.download();
    if (!readableStreamBody) throw new Error('a staged blob without content');
    for await (const chunk of readableStreamBody as AsyncIterable<Uint8Array>) {
      await window.write(chunk);
      free(chunk);
      if (window.isClosed) return;
    }
  }

  async remove(): Promise<void> {
    const { succeeded } = await this.#blob.deleteIfExists();
    if (succeeded) return;
    // A blob without a committed block is not found by a delete.
    await this.#blob.upload('', 0);
    await this.#blob.deleteIfExists();
  }
}

function md5Of(blocks: Iterable<Uint8Array>): Uint8Array {
  const digest = createHash('md5');
  for (const block of blocks) digest.update(block);
  return digest.digest();
}
