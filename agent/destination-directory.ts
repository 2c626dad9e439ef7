import { joined } from './share-folder.ts';
import { CopyError } from './copy-error.ts';
import { type Entry, type FileCalls, SmbError } from './smb/index.ts';

/** A directory of the destination or on the way to it, and what is there now. */
interface Step {
  readonly path: string;
  readonly entry: Entry | undefined;
}

interface DestinationPath {
  /** Must exist already. */
  readonly basePath: string;
  /** Each in the one before. */
  readonly below: readonly string[];
}

/**
 * What there is of a destination, in one round trip: `basePath` and everything below it on the way must be directories and
 * not links, which could lead out of the place the request was checked for. Nothing is changed.
 *
 * @throws CopyError
 */
export async function lookAtDestination(
  share: FileCalls,
  { basePath, below }: DestinationPath,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const base = basePath === '' ? [] : [basePath];
  const steps = below.map((_, index) => joined(basePath, below.slice(0, index + 1).join('\\')));
  const found = await Promise.all(
    [...base, ...steps].map(async (path) => ({ path, entry: await entryAt(share, path, signal) })),
  );
  for (const { path, entry } of found) if (entry) checkDirectory(share, path, entry);
  return found;
}

/**
 * Creates those directories that are missing.
 *
 * @returns whether the last directory is new
 * @throws CopyError
 */
export async function makeMissing(
  share: FileCalls,
  steps: readonly Step[],
  { basePath }: Pick<DestinationPath, 'basePath'>,
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  let isNew = false;
  for (const { path, entry } of steps) {
    if (entry) continue;
    if (path === basePath || basePath.startsWith(`${path}\\`))
      throw refusal(share, path, 'NOT_FOUND', 'the root path does not exist');
    isNew = await makeDirectory(share, path, signal);
  }
  return { isNew };
}

function checkDirectory(share: FileCalls, path: string, entry: Entry): void {
  if (!entry.isDirectory) throw refusal(share, path, 'NOT_A_DIRECTORY', 'exists already');
  if (entry.isReparsePoint) {
    throw refusal(share, path, 'NOT_SUPPORTED', 'is a link or junction, which the agent does not follow');
  }
}

async function entryAt(share: FileCalls, path: string, signal: AbortSignal): Promise<Entry | undefined> {
  try {
    return await share.stat(path, { signal });
  } catch (error) {
    if (error instanceof SmbError && (error.code === 'NOT_FOUND' || error.code === 'PARENT_NOT_FOUND'))
      return undefined;
    throw placed(share, path, error);
  }
}

async function makeDirectory(share: FileCalls, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await share.ensureDirectory(path, { signal })) === 'created';
  } catch (error) {
    throw placed(share, path, error);
  }
}

function placed(share: FileCalls, path: string, error: unknown): unknown {
  return error instanceof SmbError ? new CopyError('destination', joined(share.unc, path), error) : error;
}

function refusal(share: FileCalls, path: string, code: SmbError['code'], reason: string): CopyError {
  const error = new SmbError(code, reason, { operation: 'check the destination', path });
  return new CopyError('destination', joined(share.unc, path), error);
}
