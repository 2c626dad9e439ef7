import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Calls `work` with an empty folder, which is gone when it ends, also with an error. */
export async function inTemporaryFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
