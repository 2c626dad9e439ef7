import { at, CopyError } from './copy-error.ts';
import type { Destination } from './destination.ts';
import { joined, pathOf } from './share-folder.ts';
import { type Entry, type FileCalls, SmbError } from './smb/index.ts';

/** A directory of the destination's path, and what exists there. */
interface Step {
  /** How many directories below the share it is. */
  readonly depth: number;
  readonly path: string;
  readonly entry: Entry | undefined;
}

/**
 * Checks what exists of a destination, in one round trip. The root above it and every directory below that must be a
 * directory and not a link, which could lead out of the place that the request was checked for. Changes nothing.
 *
 * @throws CopyError
 */
export async function statDestination(
  share: FileCalls,
  { folder: { segments }, existingDepth }: Destination,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  // The share itself needs no check.
  const first = Math.max(existingDepth, 1);
  const steps = await Promise.all(
    segments.slice(first - 1).map(async (_, index) => {
      const depth = first + index;
      const path = pathOf({ segments: segments.slice(0, depth) });
      return { depth, path, entry: await entryAt(share, path, signal) };
    }),
  );
  for (const { path, entry } of steps) if (entry) checkDirectory(share, path, entry);
  return steps;
}

/**
 * Creates the directories that are missing.
 *
 * @returns whether the last directory is new
 * @throws CopyError
 */
export async function makeMissing(
  share: FileCalls,
  steps: readonly Step[],
  existingDepth: number,
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  let isNew = false;
  for (const { depth, path, entry } of steps) {
    if (entry) continue;
    if (depth <= existingDepth) throw rejection(share, path, 'NOT_FOUND', 'the root path does not exist');
    const made = at('destination', joined(share.unc, path), () => share.ensureDirectory(path, { signal }));
    isNew = (await made) === 'created';
  }
  return { isNew };
}

function checkDirectory(share: FileCalls, path: string, entry: Entry): void {
  if (!entry.isDirectory()) throw rejection(share, path, 'NOT_A_DIRECTORY', 'is not a directory');
  if (entry.isReparsePoint()) {
    throw rejection(share, path, 'NOT_SUPPORTED', 'is a link or junction, which the agent does not follow');
  }
}

const entryAt = (share: FileCalls, path: string, signal: AbortSignal): Promise<Entry | undefined> =>
  at('destination', joined(share.unc, path), () =>
    share.stat(path, { signal }).catch((error: unknown) => {
      if (error instanceof SmbError && /^(PARENT_)?NOT_FOUND$/.test(error.code)) return undefined;
      throw error;
    }),
  );

function rejection(share: FileCalls, path: string, code: SmbError['code'], reason: string): CopyError {
  const error = new SmbError(code, reason, { operation: 'check the destination', path });
  return new CopyError('destination', joined(share.unc, path), error);
}
