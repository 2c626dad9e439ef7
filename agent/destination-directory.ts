import { joined } from './share-folder.ts';
import { CopyError } from './copy-error.ts';
import { type Entry, SmbError, type SmbShare } from './smb/index.ts';

/**
 * Creates the directories `below` in `basePath`, each in the one before, where they are missing. What exists is looked at
 * in one round trip: `basePath` and everything below it on the way must be directories and not links, which could lead
 * out of the place the request was checked for.
 *
 * @returns whether the last directory is new
 * @throws CopyError
 */
export async function ensureDestination(
  share: SmbShare,
  { basePath, below }: { readonly basePath: string; readonly below: readonly string[] },
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  const base = basePath === '' ? [] : [basePath];
  const steps = below.map((_, index) => joined(basePath, below.slice(0, index + 1).join('\\')));
  const found = await Promise.all(
    [...base, ...steps].map(async (step) => ({ step, entry: await entryAt(share, step, signal) })),
  );
  let isNew = false;
  for (const { step, entry } of found) {
    if (entry) checkDirectory(share, step, entry);
    else if (step === basePath) throw refusal(share, step, 'NOT_FOUND', 'the root path does not exist');
    else isNew = await makeDirectory(share, step, signal);
  }
  return { isNew };
}

function checkDirectory(share: SmbShare, path: string, entry: Entry): void {
  if (!entry.isDirectory) throw refusal(share, path, 'NOT_A_DIRECTORY', 'exists already');
  if (entry.isReparsePoint) {
    throw refusal(share, path, 'NOT_SUPPORTED', 'is a link or junction, which the agent does not follow');
  }
}

async function entryAt(share: SmbShare, path: string, signal: AbortSignal): Promise<Entry | undefined> {
  try {
    return await share.stat(path, { signal });
  } catch (error) {
    if (error instanceof SmbError && (error.code === 'NOT_FOUND' || error.code === 'PARENT_NOT_FOUND'))
      return undefined;
    throw placed(share, path, error);
  }
}

async function makeDirectory(share: SmbShare, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await share.ensureDirectory(path, { signal })) === 'created';
  } catch (error) {
    throw placed(share, path, error);
  }
}

function placed(share: SmbShare, path: string, error: unknown): unknown {
  return error instanceof SmbError ? new CopyError('destination', joined(share.unc, path), error) : error;
}

function refusal(share: SmbShare, path: string, code: SmbError['code'], reason: string): CopyError {
  const error = new SmbError(code, reason, { operation: 'check the destination', path });
  return new CopyError('destination', joined(share.unc, path), error);
}
