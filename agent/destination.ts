import { parseTargetPath } from '../lib/contract/target-path.ts';
import { type ShareFolder, contains, joined, uncOf } from './share-folder.ts';
import { nameKey } from './smb/index.ts';

export interface DestinationRules {
  /** FOLDER_AGENT_SMB_SERVER */
  readonly server: string;
  /** FOLDER_AGENT_ROOT_PATH */
  readonly root: ShareFolder | undefined;
  readonly template: ShareFolder;
}

/** Where a folder request is to be fulfilled, or why it can not be. */
export type Destination =
  | {
      readonly folder: ShareFolder;
      /** The part of `folder.path` that must exist already: the root path. */
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
  { server, root, template }: DestinationRules,
): Destination {
  const parsed = parseTargetPath(targetPath);
  if ('faults' in parsed) return { refusal: `The target path ${parsed.faults.join('; it ')}.` };
  const { path } = parsed;

  if (path.kind === 'unc') {
    if (nameKey(path.server) !== nameKey(server)) {
      return {
        refusal:
          `The target path ${path.text} is on the server ${path.server}, but this agent serves only ${server} ` +
          `(FOLDER_AGENT_SMB_SERVER, written exactly like this).`,
      };
    }
    const share = { server, share: path.share, path: '' };
    return apartFromTemplate(share, path.segments, template);
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
