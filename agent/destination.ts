import { parseTargetPath } from '../lib/contract/target-path.ts';
import { type ShareFolder, contains, depthOf, joined, uncOf } from './share-folder.ts';
import { type ServedNames, servedAs } from './server-names.ts';

export interface DestinationRules extends ServedNames {
  /** FOLDER_AGENT_DFS: what a path names may be elsewhere, and where it really is decides too. */
  readonly followsDfs?: boolean | undefined;
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
      /** By its name it lies below no allowed root: the place that DFS leads to has to. */
      readonly needsAllowedPlace?: true;
    }
  | {
      readonly refusal: string;
      /** The target is on a server of somebody else: nothing is wrong with the request, another agent may serve it. */
      readonly isNotServed?: true;
    };

/**
 * Resolves the target path of a folder request (docs/http-contract.md, "Duties of an agent" 3). The service has applied
 * the same rules; they are applied again here because it is this machine's account that touches the share.
 */
export function resolveDestination(targetPath: string, rules: DestinationRules): Destination {
  const { allowedRoots, root, template } = rules;
  const parsed = parseTargetPath(targetPath);
  if ('faults' in parsed) return { refusal: `The target path ${parsed.faults.join('; it ')}.` };
  const { path } = parsed;

  if (path.kind === 'unc') {
    const server = servedAs(path.server, rules);
    if (server === undefined) {
      const [domain] = rules.domains ?? [];
      const namespaces = domain === undefined ? '' : ` and the DFS namespaces of ${domain}`;
      return {
        isNotServed: true,
        refusal:
          `The target path ${path.text} is on the server ${path.server}, but this agent serves only ${rules.server} ` +
          `(FOLDER_AGENT_SMB_SERVER)${namespaces}. If both names are of one server, add the other one to FOLDER_AGENT_SMB_SERVER_ALIASES.`,
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
      return apartFromTemplate({ ...above, share }, segments.slice(depthOf(above)), template);
    }
    if (!rules.followsDfs) return { refusal: notAllowed(path.text, allowed) };
    const destination = apartFromTemplate({ server, share, path: '' }, segments, template);
    return 'refusal' in destination ? destination : { ...destination, needsAllowedPlace: true };
  }

  if (root === undefined) {
    return {
      refusal:
        `The target path ${path.text} is relative, and this agent has no FOLDER_AGENT_ROOT_PATH to resolve it against. ` +
        `Set it, or request the folder by its full path \\\\${rules.server}\\share\\folder.`,
    };
  }
  return apartFromTemplate(root, path.segments, template);
}

/** Of a target path that no allowed root contains. */
export function notAllowed(targetPath: string, allowed: readonly ShareFolder[]): string {
  return (
    `The target path ${targetPath} is not below a directory that this agent may work in ` +
    `(FOLDER_AGENT_ALLOWED_ROOTS: ${allowed.map(uncOf).join('; ')}). Add one, or choose another target path.`
  );
}

/** A copy into its own source would feed on itself. */
function apartFromTemplate(base: ShareFolder, below: readonly string[], template: ShareFolder): Destination {
  const folder = { ...base, path: joined(base.path, below.join('\\')) };
  const overlap = overlapOf(folder, template);
  if (overlap === undefined) return { folder, basePath: base.path, below };
  return {
    refusal: `The destination ${uncOf(folder)} ${overlap} the template directory ${uncOf(template)}. Choose another target path.`,
  };
}

export function overlapOf(folder: ShareFolder, template: ShareFolder): 'lies in' | 'contains' | undefined {
  if (contains(template, folder)) return 'lies in';
  return contains(folder, template) ? 'contains' : undefined;
}
