import type { FolderName, ParsedTargetPath } from '../lib/contract/target-path.ts';
import { type ShareFolder, type UncFolder, contains, uncOf } from './share-folder.ts';
import { type ServedNames, servedAs } from './server-names.ts';

export interface DestinationRules extends ServedNames {
  /** FOLDER_AGENT_ALLOWED_ROOTS; undefined: a UNC target may be anywhere on the server */
  readonly allowedRoots: readonly ShareFolder[] | undefined;
  /** FOLDER_AGENT_ROOT_PATH */
  readonly root: ShareFolder | undefined;
  readonly template: ShareFolder;
}

/** The directory that fulfills a folder request. */
export interface Destination {
  readonly folder: ShareFolder;
  /** How many segments of `folder` must exist already: those of the root above it. The agent creates the others. */
  readonly existingDepth: number;
  /** The name is below no allowed root, so the place that DFS leads to must be below one. */
  readonly needsAllowedPlace?: true;
}

/** Why a folder request cannot be fulfilled. */
export interface Rejection {
  readonly rejection: string;
  /** The target is on a server that this agent does not serve: the request is valid, and another agent may serve it. */
  readonly isNotServed?: true;
}

/** Resolves the target path of a folder request (docs/http-contract.md, "Duties of an agent" 3). */
export function resolveDestination(
  target: ParsedTargetPath,
  rules: DestinationRules,
): Destination | Rejection {
  const { allowedRoots, root, template } = rules;
  if ('faults' in target)
    return { rejection: `The target path ${target.faults.map(({ message }) => message).join('; it ')}.` };
  const { path } = target;

  if (path.kind === 'unc') {
    const server = servedAs(path.server, rules);
    if (server === undefined) {
      const domain = rules.dfs?.domain;
      const namespaces = domain === undefined ? '' : ` and the DFS namespaces of ${domain}`;
      return {
        isNotServed: true,
        rejection:
          `The target path ${path.text} is on the server ${path.server}, but this agent serves only ${rules.server} ` +
          `(FOLDER_AGENT_SMB_SERVER)${namespaces}. If both names are of one server, add the other one to FOLDER_AGENT_SMB_SERVER_ALIASES.`,
      };
    }
    const { share, segments } = path;
    const shareRoot = { server, share, segments: [] };
    if (allowedRoots === undefined) return apartFromTemplate(shareRoot, segments, template);
    const folder = { server, share, segments };
    const allowed = [...allowedRoots, ...(root ? [root] : [])];
    const above = allowed.find((outer) => contains(outer, folder) && !contains(folder, outer));
    if (above) {
      const below = segments.slice(above.segments.length);
      return apartFromTemplate({ ...above, share }, below, template);
    }
    // With DFS, a name may lead to another place, and the rules hold for that place too.
    if (!rules.dfs) return { rejection: notAllowed(path.text, allowed) };
    const destination = apartFromTemplate(shareRoot, segments, template);
    return 'rejection' in destination ? destination : { ...destination, needsAllowedPlace: true };
  }

  if (root === undefined) {
    return {
      rejection:
        `The target path ${path.text} is relative, and this agent has no FOLDER_AGENT_ROOT_PATH to resolve it against. ` +
        `For operators: set it. Otherwise request the folder by its full path \\\\${rules.server}\\share\\folder.`,
    };
  }
  return apartFromTemplate(root, path.segments, template);
}

/** The text for a target path that is below no allowed root. */
export function notAllowed(targetPath: string, allowed: readonly ShareFolder[]): string {
  return (
    `The target path ${targetPath} is not below a directory that this agent may work in ` +
    `(FOLDER_AGENT_ALLOWED_ROOTS: ${allowed.map(uncOf).join('; ')}). For operators: add one. Otherwise choose another target path.`
  );
}

/** A copy into its own source would never end. */
function apartFromTemplate(
  base: ShareFolder,
  below: readonly FolderName[],
  template: ShareFolder,
): Destination | Rejection {
  const folder = { ...base, segments: [...base.segments, ...below] };
  const overlap = overlapOf(folder, template);
  if (overlap === undefined) return { folder, existingDepth: base.segments.length };
  return {
    rejection: `The destination ${uncOf(folder)} ${overlap} the template directory ${uncOf(template)}. Choose another target path.`,
  };
}

export function overlapOf(folder: UncFolder, template: UncFolder): 'is inside' | 'contains' | undefined {
  if (contains(template, folder)) return 'is inside';
  return contains(folder, template) ? 'contains' : undefined;
}
