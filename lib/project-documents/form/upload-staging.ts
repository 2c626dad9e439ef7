import type { BlobServiceClient } from '@azure/storage-blob';
import type { EventLog } from '../../base/event-log.ts';
import type { BlockPool } from '../../uploads/block-pool.ts';
import { UploadWindow, type Fragment } from '../../uploads/upload-window.ts';
import { newStagingBlob, type StagingBlob } from './staging-blob.ts';
import { StagingFile, type StagingDisk } from './staging-disk.ts';

/** A complete file on its way to the library. */
export interface StagedFile {
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

/**
 * Stages a file whose size is unknown until its end, while `use` runs: on the local disk, and in a blob from the first
 * fragment that the disk has no room for (docs/decisions/0020).
 *
 * @throws the failure of the window or of `use`
 */
export async function staged<T>(
  parts: StagingParts,
  window: UploadWindow,
  use: (file: StagedFile) => Promise<T>,
): Promise<T> {
  const content = new StagedContent(parts);
  try {
    await content.fill(window);
    const size = window.total;
    const open = (): UploadWindow => {
      const copy = new UploadWindow(parts.pool, size);
      content.copyTo(copy).catch((error: unknown) => copy.fail(error));
      return copy;
    };
    return await use({ size, open });
  } finally {
    await content.remove();
  }
}

/** The first part of one file on the local disk, the rest in a blob; either may be missing. */
class StagedContent {
  readonly #parts: StagingParts;
  readonly #file: StagingFile;
  #blob: StagingBlob | undefined;

  constructor(parts: StagingParts) {
    this.#parts = parts;
    this.#file = new StagingFile(parts.disk);
  }

  /** Reads the window to its end, and closes it. */
  async fill(window: UploadWindow): Promise<void> {
    for (;;) {
      const fragment = await window.next();
      if (fragment.length === 0) break;
      await this.#append(fragment);
      window.acknowledge(fragment.start + fragment.length);
    }
    window.close();
    await this.#blob?.commit();
  }

  async copyTo(window: UploadWindow): Promise<void> {
    await this.#file.copyTo(window);
    if (!window.isClosed) await this.#blob?.copyTo(window);
    if (!window.isClosed) window.end();
  }

  async remove(): Promise<void> {
    const failed = (error: unknown): void =>
      this.#parts.log.error('staged_upload_not_removed', { blob: this.#blob?.name ?? null }, error);
    await Promise.all([this.#file.remove().catch(failed), this.#blob?.remove().catch(failed)]);
  }

  async #append(fragment: Fragment): Promise<void> {
    // Once part of the file is in a blob, the rest is too, because the disk holds only the start of the file.
    if (!this.#blob && (await this.#isOnDisk(fragment))) return;
    this.#blob ??= await newStagingBlob(this.#parts.blobs);
    await this.#blob.append(fragment);
  }

  async #isOnDisk(fragment: Fragment): Promise<boolean> {
    try {
      return await this.#file.append(fragment);
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      this.#parts.log.warn('staging_disk_failed', { code });
      return false;
    }
  }
}
