import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobServiceClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import type { EventLog } from '../../base/event-log.ts';
import { free } from '../../base/free.ts';
import { inSlices } from '../../base/slices.ts';
import type { BlockPool } from '../../uploads/block-pool.ts';
import { UploadWindow, type Fragment } from '../../uploads/upload-window.ts';
import { StagingFile, type StagingDisk } from './staging-disk.ts';

/** A complete file on its way to the library. */
interface StagedUpload {
  readonly size: number;
  /** A window that reads the file from its beginning; may be called again. The caller closes the window. */
  readonly open: () => UploadWindow;
}

export interface StagingParts {
  readonly disk: StagingDisk;
  readonly blobs: () => Promise<BlobServiceClient>;
  readonly pool: BlockPool;
  readonly log: EventLog;
}

const parallelRemovals = 8;

/**
 * Stages a file whose size is unknown until its end, while `use` runs: each fragment on the local disk, or in a blob if
 * the disk has no room for it (docs/decisions/0020).
 *
 * @throws the failure of the window or of `use`
 */
export async function stageFile<T>(
  parts: StagingParts,
  window: UploadWindow,
  use: (file: StagedUpload) => Promise<T>,
): Promise<T> {
  const { disk, pool, log } = parts;
  const file = new StagingFile(disk);
  const blobs = new StagingBlobs(parts.blobs);
  let isDiskUsable = true;
  const onDisk = (fragment: Fragment) =>
    file.append(fragment).catch(({ code = 'unknown' }: NodeJS.ErrnoException) => {
      log.warn('staging_disk_failed', { code });
      isDiskUsable = false;
      return null;
    });
  try {
    const content: (() => AsyncIterable<Uint8Array>)[] = [];
    for (;;) {
      const fragment = await window.next();
      if (fragment.length === 0) break;
      content.push((isDiskUsable && (await onDisk(fragment))) || (await blobs.append(fragment)));
      window.acknowledge(fragment.start + fragment.length);
    }
    window.close();
    const size = window.total;
    const open = (): UploadWindow => {
      const copy = new UploadWindow(pool, size);
      copyTo(copy, content).catch((error: unknown) => copy.fail(error));
      return copy;
    };
    return await use({ size, open });
  } finally {
    const logFailure = (error: unknown): void => log.error('staged_upload_not_removed', {}, error);
    await Promise.all([file.remove().catch(logFailure), blobs.remove().catch(logFailure)]);
  }
}

async function copyTo(
  window: UploadWindow,
  content: readonly (() => AsyncIterable<Uint8Array>)[],
): Promise<void> {
  for (const bytes of content) {
    for await (const chunk of bytes()) {
      await window.write(chunk);
      free(chunk);
      if (window.isClosed) return;
    }
  }
  window.end();
}

/** A blob for each fragment. If a crash leaves one behind, the storage account deletes it (bicep/modules/storage.bicep). */
class StagingBlobs {
  readonly #service: StagingParts['blobs'];
  readonly #blobs: BlockBlobClient[] = [];
  #container: ContainerClient | undefined;

  constructor(service: StagingParts['blobs']) {
    this.#service = service;
  }

  async append({ length, blocks }: Fragment): Promise<() => AsyncIterable<Uint8Array>> {
    if (!this.#container) {
      this.#container = (await this.#service()).getContainerClient('upload-staging');
      // In Azure, Bicep has created it, and this changes nothing.
      await this.#container.createIfNotExists();
    }
    const blob = this.#container.getBlockBlobClient(randomUUID());
    this.#blobs.push(blob);
    await blob.upload(() => Readable.from(blocks, { objectMode: false }), length);
    return async function* () {
      const { readableStreamBody } = await blob.download();
      if (!readableStreamBody) throw new Error('a staged blob without content');
      yield* readableStreamBody as AsyncIterable<Uint8Array>;
    };
  }

  async remove(): Promise<void> {
    await inSlices(this.#blobs, parallelRemovals, (blob) => blob.deleteIfExists());
  }
}
