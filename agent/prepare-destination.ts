import { at, CopyError } from './copy-error.ts';
import { makeMissing, statDestination } from './destination-directory.ts';
import { type Destination, type DestinationRules, notAllowed, overlapOf } from './destination.ts';
import { servedAs } from './server-names.ts';
import { type ShareFolder, type UncFolder, contains, pathOf, uncOf } from './share-folder.ts';
import type { SmbFolder } from './smb/index.ts';

export interface PreparationParts {
  /** A handle on the share of a folder, for this request alone. */
  readonly shareOf: (folder: ShareFolder) => SmbFolder;
  readonly rules: DestinationRules;
}

export type Preparation =
  | {
      /** Whether this call created the destination. */
      readonly isNew: boolean;
      /** The DFS referrals that led to the destination, for the log; empty without DFS. */
      readonly referrals: readonly string[];
    }
  | { readonly rejection: string };

/**
 * Creates the directory of a destination, after it has checked where the destination and the template really are: a path
 * in a DFS may have many names, and the rules that hold for names must hold for places too. The check costs one round trip,
 * which also shows what is missing, and nothing is changed before it has passed.
 *
 * @throws CopyError
 */
export async function prepareDestination(
  destination: Destination,
  { share, template }: { readonly share: SmbFolder; readonly template: SmbFolder },
  { shareOf, rules }: PreparationParts,
  signal: AbortSignal,
): Promise<Preparation> {
  const { folder } = destination;
  const [steps] = await Promise.all([
    statDestination(share, destination, signal),
    at('template', uncOf(rules.template), () => template.stat(pathOf(rules.template), { signal })),
  ]);
  const place = await placeOf(share, folder, rules);
  const templatePlace = await placeOf(template, rules.template, rules);
  const overlap = overlapOf(place.folder, templatePlace.folder);
  if (overlap !== undefined) {
    return {
      rejection:
        `The destination ${named(folder, place)} ${overlap} the template directory ` +
        `${named(rules.template, templatePlace)}. Choose another target path.`,
    };
  }
  let { existingDepth } = destination;
  if (destination.needsAllowedPlace) {
    const allowed = [...(rules.allowedRoots ?? []), ...(rules.root ? [rules.root] : [])];
    const above = await placeAbove(place.folder, allowed, { shareOf, rules }, signal);
    if (above === undefined) return { rejection: notAllowed(named(folder, place), allowed) };
    const below = place.folder.segments.length - above.segments.length;
    existingDepth = Math.max(0, folder.segments.length - below);
  }
  const { isNew } = await makeMissing(share, steps, existingDepth, signal);
  return { isNew, referrals: place.referrals };
}

interface Place {
  readonly folder: UncFolder;
  readonly referrals: readonly string[];
}

/** Requires an earlier call on the folder, because only calls discover DFS links. */
async function placeOf(share: SmbFolder, folder: ShareFolder, rules: DestinationRules): Promise<Place> {
  const { server, share: name, path, referrals } = await share.locate(pathOf(folder));
  const segments = path === '' ? [] : path.split('\\');
  return { folder: { server: servedAs(server, rules) ?? server, share: name, segments }, referrals };
}

/** The place of the first allowed root that `place` is below. A root that cannot be checked allows nothing. */
async function placeAbove(
  place: UncFolder,
  allowed: readonly ShareFolder[],
  { shareOf, rules }: PreparationParts,
  signal: AbortSignal,
): Promise<UncFolder | undefined> {
  for (const root of allowed) {
    const share = shareOf(root);
    try {
      await at('destination', uncOf(root), () => share.stat(pathOf(root), { signal }));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CopyError)) throw error;
      continue;
    }
    const { folder } = await placeOf(share, root, rules);
    if (contains(folder, place) && !contains(place, folder)) return folder;
  }
  return undefined;
}

const named = (folder: UncFolder, { folder: place, referrals }: Place) =>
  referrals.length === 0 ? uncOf(folder) : `${uncOf(folder)}, which is ${uncOf(place)},`;
