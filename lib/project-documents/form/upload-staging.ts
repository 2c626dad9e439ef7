import type { EventLog } from '../../base/event-log.ts';
import { ServiceError } from '../../base/service-error.ts';
import type { BlockPool } from '../../uploads/block-pool.ts';
import { UploadWindow } from '../../uploads/upload-window.ts';
import type { StagingBlob, StagingBlobs } from './staging-blobs.ts';

/** A complete file on its way to the library. */
export interface StagedFile {
  readonly size: number;
  /** A window that reads the file from its beginning; may be called again. The caller closes the window. */
  readonly open: () => UploadWindow;
}

export interface UploadStagingParts {
  readonly blobs: StagingBlobs;
  readonly pool: BlockPool;
  /** Larger files are rejected. */
  readonly maxBytes: number;
}

/** Holds files whose size is unknown until their end, in a blob (docs/decisions/0020). */
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
    const blob = await this.#parts.blobs.newBlob();
    try {
      const size = await this.#fill(blob, window);
      const open = (): UploadWindow => {
        const copy = new UploadWindow(this.#parts.pool, size);
        blob.copyTo(copy).catch((error: unknown) => copy.fail(error));
        return copy;
      };
      return await use({ size, open });
    } finally {
      await blob
        .remove()
        .catch((error: unknown) => log.error('staged_upload_not_removed', { blob: blob.name }, error));
    }
  }

  sweep(log: EventLog): Promise<void> {
    return this.#parts.blobs.sweep(log);
  }

  /** @returns the number of bytes */
  async #fill(blob: StagingBlob, window: UploadWindow): Promise<number> {
    const { maxBytes } = this.#parts;
    for (;;) {
      const fragment = await window.next();
      const end = fragment.start + fragment.length;
      if (end > maxBytes) throw fileTooLarge(maxBytes);
      if (fragment.length === 0) break;
      await blob.append(fragment);
      window.acknowledge(end);
    }
    window.close();
    await blob.commit();
    return window.total;
  }
}

export const fileTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('file_too_large', {
    params: { max: maxBytes },
    detail: `The file is larger than the ${maxBytes} bytes allowed.`,
  });
