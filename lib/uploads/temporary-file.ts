import { randomUUID } from 'node:crypto';
import { open, statfs, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { callbackify } from 'node:util';
import { free } from '../base/free.ts';
import type { UploadContent } from './upload-content.ts';

/** The local disk, as far as all uploads of the process together may use it. */
export interface UploadDisk {
  freeBytes: number;
}

/** The budget of the uploads or the disk is used up, or the disk cannot be used. `cause` is the file system's error. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

// The types of tmpfs and ramfs (statfs(2)), whose files are memory of the instance.
const inMemory: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/**
 * Whether the folder for temporary files is on a disk, or in the memory of the instance, which uploads then use.
 *
 * @throws DiskFull if it accepts no file, or has not the free space that the budget still allows
 */
export async function kindOfDisk(disk: UploadDisk): Promise<'disk' | 'memory'> {
  const file = await TemporaryFile.create(disk, 1);
  try {
    const { type, bavail, bsize } = await statfs(tmpdir());
    if (bavail * bsize < disk.freeBytes) throw new DiskFull('the disk has less space than the budget');
    return inMemory.has(type) ? 'memory' : 'disk';
  } finally {
    await file.remove();
  }
}

// Bytes written with one call.
const writtenBytes = 1024 * 1024;
// Bytes read with one call. Each fragment has a buffer of this size, which is garbage after it: with 512 KiB, eight uploads of
// 64 MiB side by side take 205 to 218 MiB of the process, with 128 KiB 188 to 201, for about a tenth more processor time.
const readBytes = 128 * 1024;

/**
 * A file on the local disk that has no name while it has content: it is unlinked right after it is opened, so the
 * operating system frees it with its last handle, even when the process is killed.
 */
export class TemporaryFile implements UploadContent {
  readonly #disk: UploadDisk;
  readonly #handle: FileHandle;
  #size = 0;
  #reserved = 0;

  private constructor(disk: UploadDisk, handle: FileHandle) {
    this.#disk = disk;
    this.#handle = handle;
  }

  /**
   * @param expectedBytes reserved immediately, so uploads that do not fit end before they are received
   * @throws DiskFull
   */
  static async create(disk: UploadDisk, expectedBytes: number): Promise<TemporaryFile> {
    const file = new TemporaryFile(disk, await openUnlinked().catch(asDiskFull));
    try {
      file.#reserve(expectedBytes);
      return file;
    } catch (error) {
      await file.remove();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Appends what is written to it; fails with DiskFull, or with what `check` throws. The written bytes must not be used any
   * more.
   *
   * @param check is given the size that the file would have
   */
  writable(check: (size: number) => void = () => undefined): Writable {
    const append = async (pieces: readonly Uint8Array[]): Promise<void> => {
      const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
      check(this.#size + length);
      this.#reserve(this.#size + length);
      await this.#handle.writev(pieces, this.#size).catch(asDiskFull);
      this.#size += length;
      for (const piece of pieces) free(piece);
    };
    const write = callbackify(append);
    return new Writable({
      highWaterMark: writtenBytes,
      write: (piece: Buffer, _encoding, done) => write([piece], done),
      writev: (pieces, done) =>
        write(
          pieces.map(({ chunk }) => chunk as Buffer),
          done,
        ),
    });
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, end - start));
    for (let at = start; at < end;) {
      const { bytesRead } = await this.#handle.read(buffer, 0, Math.min(buffer.length, end - at), at);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Frees its space. */
  async remove(): Promise<void> {
    this.#disk.freeBytes += this.#reserved;
    this.#reserved = 0;
    await this.#handle.close();
  }

  #reserve(bytes: number): void {
    const more = bytes - this.#reserved;
    if (more <= 0) return;
    if (more > this.#disk.freeBytes) throw new DiskFull('the space for uploads is used up');
    this.#disk.freeBytes -= more;
    this.#reserved = bytes;
  }
}

const asDiskFull = (cause: unknown): never => {
  throw new DiskFull('the disk accepts no upload', { cause });
};

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
