import { randomUUID } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import type { BlobServiceClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { ServiceError } from '../http/problems.ts';
import type { EventLog } from '../http/event-log.ts';

const containerName = 'upload-staging';
// Two blocks in memory per staged upload. A blob has at most 50,000 blocks.
const blockBytes = 1024 * 1024;
const maxBlocks = 45_000;
const sweepEveryMs = 60 * 60_000;
const orphanAgeMs = 24 * 60 * 60_000;

/** A file in Blob Storage on its way to the library. */
export interface StagedFile {
  readonly size: number;
  /** Reads it from its beginning, as often as wanted. */
  readonly open: () => Readable;
}

/**
 * Holds files whose size is not known before their end. A blob lives for one request; what a crash leaves behind is
 * swept a day later, by the first upload that comes along.
 */
export class UploadStaging {
  readonly #container: ContainerClient;
  readonly #maxBytes: number;
  readonly #now: () => number;
  #isThere: Promise<unknown> | undefined;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(blobs: BlobServiceClient, maxBytes: number, now: () => number = () => Date.now()) {
    this.#container = blobs.getContainerClient(containerName);
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /**
   * Stages a stream for as long as `use` runs.
   *
   * @throws ServiceError `file_too_large`; whatever the stream or `use` throws
   */
  async with<T>(stream: Readable, log: EventLog, use: (file: StagedFile) => Promise<T>): Promise<T> {
    await this.#ensureContainer();
    const blob = this.#container.getBlockBlobClient(`${new Date(this.#now()).toISOString()}-${randomUUID()}`);
    try {
      const size = await this.#write(blob, stream);
      return await use({ size, open: () => Readable.from(contentOf(blob)) });
    } finally {
      await blob.deleteIfExists().catch((error: unknown) => {
        log.error('staged_upload_not_removed', { blob: blob.name }, error);
      });
    }
  }

  /** Removes what crashes have left behind; at most once an hour, and never in the way of an upload. */
  async sweep(log: EventLog): Promise<void> {
    if (this.#now() - this.#sweptAtMs < sweepEveryMs) return;
    this.#sweptAtMs = this.#now();
    try {
      await this.#ensureContainer();
      let removed = 0;
      for await (const { name, properties } of this.#container.listBlobsFlat()) {
        if (properties.lastModified.getTime() > this.#now() - orphanAgeMs) continue;
        await this.#container.deleteBlob(name);
        removed += 1;
      }
      if (removed > 0) log.warn('staged_uploads_swept', { removed });
    } catch (error) {
      log.error('staged_uploads_not_swept', {}, error);
    }
  }

  async #write(blob: BlockBlobClient, stream: Readable): Promise<number> {
    const counted = new Counted(this.#maxBytes);
    stream.on('error', (error) => counted.destroy(error));
    await blob.uploadStream(
      stream.pipe(counted),
      Math.max(blockBytes, Math.ceil(this.#maxBytes / maxBlocks)),
      2,
    );
    return counted.bytes;
  }

  #ensureContainer(): Promise<unknown> {
    // Bicep makes the container in Azure; then this is one refused request per process.
    this.#isThere ??= this.#container.createIfNotExists().catch((error: unknown) => {
      this.#isThere = undefined;
      throw error;
    });
    return this.#isThere;
  }
}

async function* contentOf(blob: BlockBlobClient): AsyncGenerator<Uint8Array> {
  const { readableStreamBody } = await blob.download();
  if (!readableStreamBody) throw new Error('a staged file without content');
  yield* readableStreamBody as AsyncIterable<Uint8Array>;
}

class Counted extends Transform {
  bytes = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    super();
    this.#maxBytes = maxBytes;
  }

  override _transform(
    chunk: Uint8Array,
    _encoding: BufferEncoding,
    done: (error: Error | null, chunk?: Uint8Array) => void,
  ): void {
    this.bytes += chunk.byteLength;
    if (this.bytes > this.#maxBytes) done(fileTooLarge(this.#maxBytes));
    else done(null, chunk);
  }
}

export const fileTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('file_too_large', { detail: `The file is larger than the ${maxBytes} bytes allowed.` });
