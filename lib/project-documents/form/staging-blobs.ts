import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobServiceClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import type { EventLog } from '../../base/event-log.ts';
import { free } from '../../base/free.ts';
import type { Clock } from '../../contract/clock.ts';
import type { Fragment, UploadWindow } from '../../uploads/upload-window.ts';

const containerName = 'upload-staging';
const sweepEveryMs = 60 * 60_000;
const orphanAgeMs = 24 * 60 * 60_000;

/** The container of staged blobs. Each lives for one request; the sweep removes those that a crash has left. */
export class StagingBlobs {
  readonly #blobs: () => Promise<BlobServiceClient>;
  readonly #clock: Clock;
  #container: Promise<ContainerClient> | undefined;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  /** @param blobs called when the first blob is needed: most uploads need none */
  constructor(blobs: () => Promise<BlobServiceClient>, clock: Clock) {
    this.#blobs = blobs;
    this.#clock = clock;
  }

  async newBlob(): Promise<StagingBlob> {
    const container = await this.#open();
    return new StagingBlob(container.getBlockBlobClient(blobName(this.#clock.now())));
  }

  /** Removes blobs older than a day, at most once an hour. Never throws. */
  async sweep(log: EventLog): Promise<void> {
    if (this.#clock.now() - this.#sweptAtMs < sweepEveryMs) return;
    this.#sweptAtMs = this.#clock.now();
    try {
      const container = await this.#open();
      let removed = 0;
      for await (const { name } of container.listBlobsFlat({ includeUncommitedBlobs: true })) {
        if (!(createdAtMs(name) <= this.#clock.now() - orphanAgeMs)) continue;
        await remove(container.getBlockBlobClient(name));
        removed += 1;
      }
      if (removed > 0) log.warn('staged_uploads_swept', { removed });
    } catch (error) {
      log.error('staged_uploads_not_swept', {}, error);
    }
  }

  #open(): Promise<ContainerClient> {
    this.#container ??= this.#create().catch((error: unknown) => {
      this.#container = undefined;
      throw error;
    });
    return this.#container;
  }

  async #create(): Promise<ContainerClient> {
    const container = (await this.#blobs()).getContainerClient(containerName);
    // In Azure, Bicep has created it, and this costs each process one request that changes nothing.
    await container.createIfNotExists();
    return container;
  }
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

  remove(): Promise<void> {
    return remove(this.#blob);
  }
}

function md5Of(blocks: Iterable<Uint8Array>): Uint8Array {
  const digest = createHash('md5');
  for (const block of blocks) digest.update(block);
  return digest.digest();
}

// The name holds the time because a blob without a committed block may have no properties.
const blobName = (nowMs: number): string => `${new Date(nowMs).toISOString()}-${randomUUID()}`;
const createdAtMs = (name: string): number => Date.parse(name.slice(0, '2026-01-01T00:00:00.000Z'.length));

/** A blob without a committed block is not found by a delete, and its blocks would remain for a week. */
async function remove(blob: BlockBlobClient): Promise<void> {
  const { succeeded } = await blob.deleteIfExists();
  if (succeeded) return;
  await blob.upload('', 0);
  await blob.deleteIfExists();
}
