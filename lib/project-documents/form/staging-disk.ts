import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { free } from '../../base/free.ts';
import { blockBytes } from '../../uploads/block-pool.ts';
import type { Fragment, UploadWindow } from '../../uploads/upload-window.ts';

/** Space on the local disk, shared by all uploads of the process. */
export class StagingDisk {
  readonly directory: string;
  #freeBytes: number;

  /** @param maxBytes space for all files together; 0 if the disk is not used */
  constructor(directory: string, maxBytes: number) {
    this.directory = directory;
    this.#freeBytes = maxBytes;
  }

  reserve(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false;
    this.#freeBytes -= bytes;
    return true;
  }

  release(bytes: number): void {
    this.#freeBytes += bytes;
  }
}

/**
 * A file on the local disk that has no name while it has content: it is unlinked right after it is opened, so the
 * operating system frees it with its last handle, even when the process is killed. Nothing is opened before the first
 * append.
 */
export class StagingFile {
  readonly #disk: StagingDisk;
  #handle: FileHandle | undefined;
  #size = 0;
  #reserved = 0;

  constructor(disk: StagingDisk) {
    this.#disk = disk;
  }

  /**
   * Appends a fragment. After a failure, the file ends with the previous fragment and accepts no further ones.
   *
   * @returns false when the budget has no room for the fragment
   * @throws the error of the file system: ENOSPC, EROFS …
   */
  async append({ length, blocks }: Fragment): Promise<boolean> {
    if (!this.#disk.reserve(length)) return false;
    this.#reserved += length;
    this.#handle ??= await openUnlinked(this.#disk.directory);
    await this.#handle.writeFile(blocks);
    this.#size += length;
    return true;
  }

  /** Writes the content into a window, until that is closed. */
  async copyTo(window: UploadWindow): Promise<void> {
    if (!this.#handle) return;
    const buffer = Buffer.allocUnsafeSlow(blockBytes);
    for (let position = 0; position < this.#size && !window.isClosed;) {
      const length = Math.min(blockBytes, this.#size - position);
      const { bytesRead } = await this.#handle.read(buffer, 0, length, position);
      if (bytesRead === 0)
        throw new Error('a staged file on the local disk is shorter than what was written');
      await window.write(buffer.subarray(0, bytesRead));
      position += bytesRead;
    }
    free(buffer);
  }

  /** Frees its space. */
  async remove(): Promise<void> {
    try {
      await this.#handle?.close();
    } finally {
      this.#disk.release(this.#reserved);
    }
  }
}

/** @throws also if an open file cannot be unlinked, because a crash would then leave its content on the disk */
async function openUnlinked(directory: string): Promise<FileHandle> {
  const path = join(directory, `upload-${randomUUID()}`);
  // Created by this call only, never through a link, and readable by this account alone.
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return handle;
  } catch (error) {
    await handle.close();
    await unlink(path).catch(() => undefined);
    throw error;
  }
}
