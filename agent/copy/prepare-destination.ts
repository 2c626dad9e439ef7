import type { Clock } from '../../lib/contract/clock.ts';
import { at, CopyError, type Side } from '../base/copy-error.ts';
import {
  allowedFolders,
  type Destination,
  type DestinationRules,
  notAllowed,
  type Rejection,
} from './destination.ts';
import { shareVerdict } from '../base/failure.ts';
import type { FileServer } from './file-server.ts';
import { servedNameOf } from '../base/server-names.ts';
import { contains, isBelow, type UncFolder, uncOf } from '../base/share-folder.ts';
import { type Entry, SmbError, type SmbFolder } from '../smb/index.ts';
import { whenFree } from './when-free.ts';

export interface PreparationParts {
  /** Handles of this request alone: on the share of the destination, and on the template. */
  readonly share: SmbFolder;
  readonly template: SmbFolder;
  readonly fileServer: FileServer;
  readonly rules: DestinationRules;
  readonly clock: Clock;
}

/** A call about `path` in `folder`, which waits while that is in use. @throws CopyError */
type Waiting = <T>(side: Side, folder: SmbFolder, path: string, call: () => Promise<T>) => Promise<T>;

/**
 * Creates the directory of a destination, after it has checked where the destination and the template really are: a path
 * in a DFS may have many names, and the rules hold for places. The check costs one round trip, which also shows what is
 * missing, and nothing is changed before it has passed.
 *
 * @returns the handle on the directory, and for the log the DFS referrals that led to it
 * @throws CopyError
 */
export async function prepareDestination(
  destination: Destination,
  { share, template, fileServer, rules, clock }: PreparationParts,
  signal: AbortSignal,
): Promise<{ readonly directory: SmbFolder; readonly referrals: readonly string[] } | Rejection> {
  const { folder } = destination;
  const waiting: Waiting = (side, place, path, call) =>
    at(side, place, path, () => whenFree(call, clock, signal));
  const [steps] = await Promise.all([
    existingSteps(share, destination, waiting, signal),
    waiting('template', template, '', () => template.stat('', { signal })),
  ]);
  const directory = share.folder(folder.segments.join('\\'));
  const place = await placeOf(directory, rules);
  const templatePlace = await placeOf(template, rules);
  // By name too: of a link with several targets, the two handles may have chosen different ones.
  const overlap = overlapOf(folder, rules.template) ?? overlapOf(place.folder, templatePlace.folder);
  if (overlap !== undefined) {
    return {
      rejection: `The destination ${place.named} ${overlap} the template directory ${templatePlace.named}. Choose another target path.`,
    };
  }
  const isAllowed = () => isAllowedPlace(place.folder, fileServer, rules, waiting, signal);
  if (destination.needsAllowedPlace && !(await isAllowed()))
    return { rejection: notAllowed(place.named, rules) };
  for (const { depth, path, entry } of steps) {
    if (entry) continue;
    if (depth <= destination.existingDepth)
      throw wrongStep(share, path, 'ENOENT', 'the root path does not exist');
    await waiting('destination', share, path, () => share.ensureDirectory(path, { signal }));
  }
  return { directory, referrals: place.referrals };
}

/** A copy into its own source would never end. */
function overlapOf(folder: UncFolder, template: UncFolder): 'is inside' | 'contains' | undefined {
  if (contains(template, folder)) return 'is inside';
  return contains(folder, template) ? 'contains' : undefined;
}

/** A directory of the destination's path, and what exists there. */
interface Step {
  /** How many directories below the share it is. */
  readonly depth: number;
  readonly path: string;
  readonly entry: Entry | undefined;
}

/**
 * The root above a destination and the directories below that. What exists must be a directory and not a link, which could
 * lead out of the place that the request was checked for.
 */
async function existingSteps(
  share: SmbFolder,
  { folder: { segments }, existingDepth }: Destination,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  // The share itself needs no check.
  const first = Math.max(existingDepth, 1);
  const steps = await Promise.all(
    segments.slice(first - 1).map(async (_, index) => {
      const depth = first + index;
      const path = segments.slice(0, depth).join('\\');
      return { depth, path, entry: await entryAt(share, path, waiting, signal) };
    }),
  );
  for (const { path, entry } of steps) {
    if (entry?.isDirectory() === false) throw wrongStep(share, path, 'ENOTDIR', 'is not a directory');
    if (entry?.isReparsePoint()) {
      const reason = 'is a link or junction, which the agent does not follow';
      throw wrongStep(share, path, 'NOT_SUPPORTED', reason);
    }
  }
  return steps;
}

const entryAt = (
  share: SmbFolder,
  path: string,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<Entry | undefined> =>
  waiting('destination', share, path, () =>
    share.stat(path, { signal }).catch((error: unknown) => {
      if (error instanceof SmbError && error.code === 'ENOENT') return undefined;
      throw error;
    }),
  );

function wrongStep(share: SmbFolder, path: string, code: SmbError['code'], reason: string): CopyError {
  const error = new SmbError(code, reason, { operation: 'check the destination', path });
  return new CopyError('destination', `${share.unc}\\${path}`, error);
}

interface Place {
  readonly folder: UncFolder;
  readonly referrals: readonly string[];
  /** The name, and the place if that differs. */
  readonly named: string;
}

/** Requires an earlier call on the folder, because only calls discover DFS links. */
async function placeOf(handle: SmbFolder, rules: DestinationRules): Promise<Place> {
  const { server, share, path, referrals } = await handle.locate();
  const segments = path === '' ? [] : path.split('\\');
  const folder = { server: servedNameOf(server, rules) ?? server, share, segments };
  const named = referrals.length === 0 ? handle.unc : `${handle.unc} (${uncOf(folder)})`;
  return { folder, referrals, named };
}

/**
 * Whether a place is below that of an allowed root, which exists. A root that does not exist allows nothing.
 *
 * @throws CopyError if the file server does not let this be checked
 */
async function isAllowedPlace(
  place: UncFolder,
  fileServer: FileServer,
  rules: DestinationRules,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<boolean> {
  for (const root of allowedFolders(rules)) {
    const handle = fileServer.folder(root);
    try {
      await waiting('destination', handle, '', () => handle.stat('', { signal }));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CopyError) || shareVerdict(error) !== 'report') throw error;
      continue;
    }
    const { folder } = await placeOf(handle, rules);
    if (isBelow(place, folder)) return true;
  }
  return false;
}
