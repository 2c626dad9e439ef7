import { parseTargetPath } from '../lib/contract/target-path.ts';
import { type ShareFolder, contains, joined, uncOf } from './share-folder.ts';
import { isServed } from './server-names.ts';

export interface DestinationRules {
  /** FOLDER_AGENT_SMB_SERVER */
  readonly server: string;
  /** FOLDER_AGENT_SMB_SERVER_ALIASES */
  readonly aliases: readonly string[];
  /** FOLDER_AGENT_ALLOWED_ROOTS; undefined: a UNC target may lie anywhere on the server */
  readonly allowedRoots: readonly ShareFolder[] | undefined;
  /** FOLDER_AGENT_ROOT_PATH */
  readonly root: ShareFolder | undefined;
  readonly template: ShareFolder;
}

/** Where a folder request is to be fulfilled, or why it can not be. */
export type Destination =
  | {
      readonly folder: ShareFolder;
      /** The part of `folder.path` that must exist already: the root that it lies below. */
      readonly basePath: string;
      /** The directories of the request below it, which the agent creates. At least one. */
      readonly below: readonly string[];
    }
  | { readonly refusal: string };

/**
 * Resolves the target path of a folder request (docs/http-contract.md, "Duties of an agent" 3). The service has applied
 * the same rules; they are applied again here because it is this machine's account that touches the share.
 */
export function resolveDestination(
  targetPath: string,
  { server, aliases, allowedRoots, root, template }: DestinationRules,
): Destination {
  const parsed = parseTargetPath(targetPath);
  if ('faults' in parsed) return { refusal: `The target path ${parsed.faults.join('; it ')}.` };
  const { path } = parsed;

  if (path.kind === 'unc') {
    if (!isServed(path.server, { server, aliases })) {
      return {
        refusal:
          `The target path ${path.text} is on the server ${path.server}, but this agent serves only ${server} ` +
          `(FOLDER_AGENT_SMB_SERVER). If both names are of one server, add the other one to FOLDER_AGENT_SMB_SERVER_ALIASES.`,
      };
    }
    const { share, segments } = path;
    if (allowedRoots === undefined) {
      return apartFromTemplate({ server, share, path: '' }, segments, template);
    }
    const folder = { server, share, path: segments.join('\\') };
    const allowed = [...allowedRoots, ...(root ? [root] : [])];
    const above = allowed.find((outer) => contains(outer, folder) && !contains(folder, outer));
    if (above) {
      const depth = above.path === '' ? 0 : above.path.split('\\').length;
      return apartFromTemplate({ ...above, share }, segments.slice(depth), template);
    }
    return {
      refusal:
        `The target path ${path.text} is not below a directory that this agent may work in ` +
        `(FOLDER_AGENT_ALLOWED_ROOTS: ${allowed.map(uncOf).join('; ')}). Add one, or choose another target path.`,
    };
  }

  if (root === undefined) {
    return {
      refusal:
        `The target path ${path.text} is relative, and this agent has no FOLDER_AGENT_ROOT_PATH to resolve it against. ` +
        `Set it, or request the folder by its full path \\\\${server}\\share\\folder.`,
    };
  }
  return apartFromTemplate(root, path.segments, template);
}

/** A copy into its own source would feed on itself. */
function apartFromTemplate(base: ShareFolder, below: readonly string[], template: ShareFolder): Destination {
  const folder = { ...base, path: joined(base.path, below.join('\\')) };
  const overlap = contains(template, folder)
    ? 'lies in'
    : contains(folder, template)
      ? 'contains'
      : undefined;
  if (overlap === undefined) return { folder, basePath: base.path, below };
  return {
    refusal: `The destination ${uncOf(folder)} ${overlap} the template directory ${uncOf(template)}. Choose another target path.`,
  };
}
