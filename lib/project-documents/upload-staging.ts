import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlockBlobClient, BlobServiceClient, ContainerClient } from '@azure/storage-blob';
import { systemClock, type Clock } from '../contract/clock.ts';
import { ServiceError } from '../base/service-error.ts';
import type { EventLog } from '../base/event-log.ts';
import { free } from '../base/free.ts';
import type { BlockPool } from '../uploads/block-pool.ts';
import { UploadWindow } from '../uploads/upload-window.ts';

const containerName = 'upload-staging';
const sweepEveryMs = 60 * 60_000;
const orphanAgeMs = 24 * 60 * 60_000;

/** A file in Blob Storage on its way to the library. */
export interface StagedFile {
  readonly size: number;
  /** Reads it from its beginning, as often as wanted. */
  readonly open: () => UploadWindow;
}

/**
 * Holds files whose size is not known before their end. A blob lives for one request; what a crash leaves behind is
 * swept a day later, by the first upload that comes along.
 */
export class UploadStaging {
  readonly #blobs: () => Promise<BlobServiceClient>;
  readonly #pool: BlockPool;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #made: Promise<ContainerClient> | undefined;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  /** @param blobs asked when the first file is staged: most uploads need none */
  constructor(
    blobs: () => Promise<BlobServiceClient>,
    pool: BlockPool,
    maxBytes: number,
    clock: Clock = systemClock,
  ) {
    this.#blobs = blobs;
    this.#pool = pool;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /**
   * Stages what comes into a window for as long as `use` runs.
   *
   * @throws ServiceError `file_too_large`; whatever the window failed with, or `use` throws
   */
  async with<T>(window: UploadWindow, log: EventLog, use: (file: StagedFile) => Promise<T>): Promise<T> {
    const container = await this.#container();
    const blob = container.getBlockBlobClient(stagingName(this.#clock.now()));
    try {
      const size = await this.#write(blob, window);
      return await use({ size, open: () => this.#read(blob, size) });
    } finally {
      await remove(blob).catch((error: unknown) => {
        log.error('staged_upload_not_removed', { blob: blob.name }, error);
      });
    }
  }

  /** Removes what crashes have left behind; at most once an hour, and never in the way of an upload. */
  async sweep(log: EventLog): Promise<void> {
    if (this.#clock.now() - this.#sweptAtMs < sweepEveryMs) return;
    this.#sweptAtMs = this.#clock.now();
    try {
      const container = await this.#container();
      let removed = 0;
      for await (const { name } of container.listBlobsFlat({ includeUncommitedBlobs: true })) {
        if (!(stagedAtMs(name) <= this.#clock.now() - orphanAgeMs)) continue;
        await remove(container.getBlockBlobClient(name));
        removed += 1;
      }
      if (removed > 0) log.warn('staged_uploads_swept', { removed });
    } catch (error) {
      log.error('staged_uploads_not_swept', {}, error);
    }
  }

  /**
   * One block of the blob for each fragment. A blob has at most 50,000: of the smallest fragments, 15 GiB.
   *
   * @returns the number of bytes
   */
  async #write(blob: BlockBlobClient, window: UploadWindow): Promise<number> {
    const ids: string[] = [];
    for (;;) {
      const { start, length, blocks } = await window.next();
      if (start + length > this.#maxBytes) throw fileTooLarge(this.#maxBytes);
      if (length === 0) break;
      const id = Buffer.from(randomUUID()).toString('base64');
      ids.push(id);
      // The storage verifies it. Without one it computes a CRC-64 to answer with, for which Azurite takes longer than for
      // all the rest of a staged upload.
      const transactionalContentMD5 = md5Of(blocks);
      const body = () => Readable.from(blocks, { objectMode: false });
      await blob.stageBlock(id, body, length, { transactionalContentMD5 });
      window.acknowledge(start + length);
    }
    window.close();
    await blob.commitBlockList(ids);
    return window.total;
  }

  #read(blob: BlockBlobClient, size: number): UploadWindow {
    const window = new UploadWindow(this.#pool, size);
    copyInto(window, blob).catch((error: unknown) => window.fail(error));
    return window;
  }

  #container(): Promise<ContainerClient> {
    this.#made ??= this.#makeContainer().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  async #makeContainer(): Promise<ContainerClient> {
    const container = (await this.#blobs()).getContainerClient(containerName);
    // Bicep makes the container in Azure; then this is one refused request per process.
    await container.createIfNotExists();
    return container;
  }
}

function md5Of(blocks: Iterable<Uint8Array>): Uint8Array {
  const digest = createHash('md5');
  for (const block of blocks) digest.update(block);
  return digest.digest();
}

// The time is in the name: what was never committed need not have any properties.
const stagingName = (nowMs: number): string => `${new Date(nowMs).toISOString()}-${randomUUID()}`;
const stagedAtMs = (name: string): number => Date.parse(name.slice(0, '2026-01-01T00:00:00.000Z'.length));

/** Also one of which only some blocks have arrived: that is not found, and would stay for a week. */
async function remove(blob: BlockBlobClient): Promise<void> {
  const { succeeded } = await blob.deleteIfExists();
  if (succeeded) return;
  await blob.upload('', 0);
  await blob.deleteIfExists();
}

async function copyInto(window: UploadWindow, blob: BlockBlobClient): Promise<void> {
  const { readableStreamBody } = await blob.download();
  if (!readableStreamBody) throw new Error('a staged file without content');
  for await (const chunk of readableStreamBody as AsyncIterable<Uint8Array>) {
    await window.write(chunk);
    free(chunk);
    if (window.isClosed) return;
  }
  window.end();
}

export const fileTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('file_too_large', { detail: `The file is larger than the ${maxBytes} bytes allowed.` });
