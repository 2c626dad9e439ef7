import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockBytes } from '../../uploads/block-pool.ts';
import type { Fragment } from '../../uploads/upload-window.ts';

/** The local disk, as far as all uploads of the process together may use it. */
export interface StagingDisk {
  freeBytes: number;
}

/**
 * A file on the local disk that has no name while it has content: it is unlinked right after it is opened, so the
 * operating system frees it with its last handle, even when the process is killed.
 */
export class StagingFile {
  readonly #disk: StagingDisk;
  #handle: FileHandle | undefined;
  #size = 0;

  constructor(disk: StagingDisk) {
    this.#disk = disk;
  }

  /**
   * Appends a fragment. After a failure, the file accepts no further ones.
   *
   * @returns what reads the fragment; null if the disk has no room for it
   * @throws the error of the file system: ENOSPC, EROFS …
   */
  async append({ length, blocks }: Fragment): Promise<(() => AsyncIterable<Uint8Array>) | null> {
    if (length > this.#disk.freeBytes) return null;
    this.#disk.freeBytes -= length;
    const start = this.#size;
    this.#size += length;
    const handle = (this.#handle ??= await openUnlinked());
    await handle.writeFile(blocks);
    return () => bytesOf(handle, start, start + length);
  }

  /** Frees its space. */
  async remove(): Promise<void> {
    this.#disk.freeBytes += this.#size;
    await this.#handle?.close();
  }
}

async function* bytesOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(blockBytes, end - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error('a staged file on the local disk is shorter than what was written');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** @throws also if an open file cannot be unlinked, because a crash would then leave its content on the disk */
async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `upload-${randomUUID()}`);
  // Created by this call only, never through a link, and readable by this account alone.
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path).catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  return handle;
}
