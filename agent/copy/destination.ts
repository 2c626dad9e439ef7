import type { ParsedTargetPath } from '../../lib/contract/target-path.ts';
import { isBelow, type ShareFolder, uncOf } from '../base/share-folder.ts';
import { type ServedNames, servedNameOf } from '../base/server-names.ts';

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
  if ('faults' in target)
    return {
      rejection: `The target path is not allowed: ${target.faults.map(({ message }) => message).join('; ')}.`,
    };
  const { path } = target;
  const below = (above: ShareFolder, segments: ShareFolder['segments']): Destination => ({
    folder: { ...above, segments: [...above.segments, ...segments] },
    existingDepth: above.segments.length,
  });

  if (path.kind === 'relative') {
    if (rules.root) return below(rules.root, path.segments);
    return {
      rejection:
        `The target path ${path.text} is relative, and this agent has no FOLDER_AGENT_ROOT_PATH to resolve it against. ` +
        `For operators: set it. Otherwise request the folder by its full path \\\\${rules.server}\\share\\folder.`,
    };
  }

  const server = servedNameOf(path.server, rules);
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
  const folder = { server, share, segments };
  if (rules.allowedRoots === undefined) return { folder, existingDepth: 0 };
  const above = allowedFolders(rules).find((outer) => isBelow(folder, outer));
  if (above) return below(above, segments.slice(above.segments.length));
  // With DFS, a name may lead to another place, and the rules hold for that place too.
  if (rules.dfs) return { folder, existingDepth: 0, needsAllowedPlace: true };
  return { rejection: notAllowed(path.text, rules) };
}

export const allowedFolders = ({ allowedRoots, root }: DestinationRules): readonly ShareFolder[] => [
  ...(allowedRoots ?? []),
  ...(root ? [root] : []),
];

/** The text for a target path that is below no allowed root. */
export function notAllowed(targetPath: string, rules: DestinationRules): string {
  const allowed = [...new Set(allowedFolders(rules).map(uncOf))].join('; ');
  return (
    `The target path ${targetPath} is not below a directory that this agent may work in ` +
    `(FOLDER_AGENT_ALLOWED_ROOTS: ${allowed}). For operators: add one. Otherwise choose another target path.`
  );
}
