import type { EventLog } from '../../base/event-log.ts';
import { ServiceError } from '../../base/service-error.ts';
import type { BlockPool } from '../../uploads/block-pool.ts';
import { UploadWindow, type Fragment } from '../../uploads/upload-window.ts';
import type { StagingBlob, StagingBlobs } from './staging-blobs.ts';
import { StagingFile, type StagingDisk } from './staging-disk.ts';

/** A complete file on its way to the library. */
export interface StagedFile {
  readonly size: number;
  /** A window that reads the file from its beginning; may be called again. The caller closes the window. */
  readonly open: () => UploadWindow;
}

export interface UploadStagingParts {
  readonly disk: StagingDisk;
  readonly blobs: StagingBlobs;
  readonly pool: BlockPool;
  /** Larger files are rejected. */
  readonly maxBytes: number;
}

/**
 * Holds files whose size is unknown until their end: on the local disk, and in a blob from the first fragment that the
 * disk has no room for (docs/decisions/0020).
 */
export class UploadStaging {
  readonly #parts: UploadStagingParts;

  constructor(parts: UploadStagingParts) {
    this.#parts = parts;
  }

  /**
   * Stages the content of a window while `use` runs.
   *
   * @throws ServiceError `file_too_large`; the failure of the window or of `use`
   */
  async with<T>(window: UploadWindow, log: EventLog, use: (file: StagedFile) => Promise<T>): Promise<T> {
    const { disk, blobs, pool } = this.#parts;
    const content = new StagedContent(new StagingFile(disk), blobs, log);
    try {
      const size = await this.#fill(content, window);
      const open = (): UploadWindow => {
        const copy = new UploadWindow(pool, size);
        content.copyTo(copy).catch((error: unknown) => copy.fail(error));
        return copy;
      };
      return await use({ size, open });
    } finally {
      await content.remove();
    }
  }

  sweep(log: EventLog): Promise<void> {
    return this.#parts.blobs.sweep(log);
  }

  /** @returns the number of bytes */
  async #fill(content: StagedContent, window: UploadWindow): Promise<number> {
    const { maxBytes } = this.#parts;
    for (;;) {
      const fragment = await window.next();
      const end = fragment.start + fragment.length;
      if (end > maxBytes) throw fileTooLarge(maxBytes);
      if (fragment.length === 0) break;
      await content.append(fragment);
      window.acknowledge(end);
    }
    window.close();
    await content.end();
    return window.total;
  }
}

/** The first part of one file on the local disk, the rest in a blob; either may be missing. */
class StagedContent {
  readonly #file: StagingFile;
  readonly #blobs: StagingBlobs;
  readonly #log: EventLog;
  #blob: StagingBlob | undefined;

  constructor(file: StagingFile, blobs: StagingBlobs, log: EventLog) {
    this.#file = file;
    this.#blobs = blobs;
    this.#log = log;
  }

  async append(fragment: Fragment): Promise<void> {
    // Once part of the file is in a blob, the rest is too, because the disk holds only the start of the file.
    if (!this.#blob && (await this.#isOnDisk(fragment))) return;
    this.#blob ??= await this.#blobs.newBlob();
    await this.#blob.append(fragment);
  }

  async end(): Promise<void> {
    await this.#blob?.commit();
  }

  async copyTo(window: UploadWindow): Promise<void> {
    await this.#file.copyTo(window);
    if (!window.isClosed) await this.#blob?.copyTo(window);
    if (!window.isClosed) window.end();
  }

  async remove(): Promise<void> {
    const failed = (error: unknown): void =>
      this.#log.error('staged_upload_not_removed', { blob: this.#blob?.name ?? null }, error);
    await Promise.all([this.#file.remove().catch(failed), this.#blob?.remove().catch(failed)]);
  }

  async #isOnDisk(fragment: Fragment): Promise<boolean> {
    try {
      return await this.#file.append(fragment);
    } catch (error) {
      this.#log.warn('staging_disk_failed', { code: (error as NodeJS.ErrnoException).code ?? 'unknown' });
      return false;
    }
  }
}

export const fileTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('file_too_large', {
    params: { max: maxBytes },
    detail: `The file is larger than the ${maxBytes} bytes allowed.`,
  });
