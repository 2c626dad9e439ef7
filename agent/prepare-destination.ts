import { CopyError } from './copy-error.ts';
import { lookAtDestination, makeMissing } from './destination-directory.ts';
import { type Destination, type DestinationRules, notAllowed, overlapOf } from './destination.ts';
import { servedAs } from './server-names.ts';
import { type ShareFolder, contains, depthOf, uncOf } from './share-folder.ts';
import { type SmbFolder, SmbError } from './smb/index.ts';

type Accepted = Exclude<Destination, { readonly refusal: string }>;

export interface PreparationParts {
  /** A handle on the share of a folder, for this request alone. */
  readonly shareOf: (folder: ShareFolder) => SmbFolder;
  readonly rules: DestinationRules;
}

export type Preparation =
  | {
      /** Whether the destination was made just now. */
      readonly isNew: boolean;
      /** Where DFS led, for the log: empty outside of one. */
      readonly referrals: readonly string[];
    }
  | { readonly refusal: string };

/**
 * Makes the directory of a destination, after a look at where it and the template really are: paths in a DFS may have
 * many names, and rules that hold for names must hold for places too. The look costs the round trip that tells what is
 * missing, and nothing is changed before it.
 *
 * @throws CopyError
 */
export async function prepareDestination(
  destination: Accepted,
  { share, template }: { readonly share: SmbFolder; readonly template: SmbFolder },
  { shareOf, rules }: PreparationParts,
  signal: AbortSignal,
): Promise<Preparation> {
  const { folder } = destination;
  const [steps] = await Promise.all([
    lookAtDestination(share, destination, signal),
    look(template, 'template', rules.template, signal),
  ]);
  const place = await placeOf(share, folder, rules);
  const templatePlace = await placeOf(template, rules.template, rules);
  const overlap = overlapOf(place.folder, templatePlace.folder);
  if (overlap !== undefined) {
    return {
      refusal:
        `The destination ${named(folder, place)} ${overlap} the template directory ` +
        `${named(rules.template, templatePlace)}. Choose another target path.`,
    };
  }
  let { basePath } = destination;
  if (destination.needsAllowedPlace) {
    const allowed = [...(rules.allowedRoots ?? []), ...(rules.root ? [rules.root] : [])];
    const above = await placeAbove(place.folder, allowed, { shareOf, rules }, signal);
    if (above === undefined) return { refusal: notAllowed(named(folder, place), allowed) };
    const below = depthOf(place.folder) - depthOf(above);
    basePath = folder.path.split('\\').slice(0, -below).join('\\');
  }
  const { isNew } = await makeMissing(share, steps, { basePath }, signal);
  return { isNew, referrals: place.referrals };
}

interface Place {
  readonly folder: ShareFolder;
  readonly referrals: readonly string[];
}

/** Of something that was looked at: what no call has met is not known yet. */
async function placeOf(share: SmbFolder, folder: ShareFolder, rules: DestinationRules): Promise<Place> {
  const { server, share: name, path, referrals } = await share.locate(folder.path);
  return { folder: { server: servedAs(server, rules) ?? server, share: name, path }, referrals };
}

/** The place of the first allowed root that `place` lies below. One that cannot be looked at allows nothing. */
async function placeAbove(
  place: ShareFolder,
  allowed: readonly ShareFolder[],
  { shareOf, rules }: PreparationParts,
  signal: AbortSignal,
): Promise<ShareFolder | undefined> {
  for (const root of allowed) {
    const share = shareOf(root);
    try {
      await look(share, 'destination', root, signal);
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

async function look(
  share: SmbFolder,
  side: CopyError['side'],
  folder: ShareFolder,
  signal: AbortSignal,
): Promise<void> {
  try {
    await share.stat(folder.path, { signal });
  } catch (error) {
    throw error instanceof SmbError ? new CopyError(side, uncOf(folder), error) : error;
  }
}

const named = (folder: ShareFolder, { folder: place, referrals }: Place) =>
  referrals.length === 0 ? uncOf(folder) : `${uncOf(folder)}, which is ${uncOf(place)},`;
