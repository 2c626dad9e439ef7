import { type FolderName, parseTargetPath } from '../lib/contract/target-path.ts';
import { nameKey } from './smb/index.ts';

/** A directory as named by a UNC path of the configuration, or as reported by a file server. */
export interface UncFolder {
  readonly server: string;
  readonly share: string;
  /** The directories below the share; empty for the share itself. */
  readonly segments: readonly string[];
}

/** A directory that the agent may use: every segment follows the rules for target paths. */
export interface ShareFolder extends UncFolder {
  readonly segments: readonly FolderName[];
}

/**
 * Parses `\\server\share` or `\\server\share\dir…` by the rules of the contract for target paths, except that the share
 * itself is allowed: a template or root may be a whole share.
 */
export function parseShareFolder(
  text: string,
): { folder: ShareFolder } | { faults: readonly { readonly message: string }[] } {
  // The contract requires one directory below the share: one is added here and removed again.
  const parsed = parseTargetPath(`${text.replace(/[\\/]+$/, '')}\\any`);
  if ('faults' in parsed) return parsed;
  if (parsed.path.kind === 'relative')
    return { faults: [{ message: 'is not a UNC path: expected \\\\server\\share\\folder' }] };
  const { server, share, segments } = parsed.path;
  return { folder: { server, share, segments: segments.slice(0, -1) } };
}

/** The path on the share, as the SMB client expects it: empty for the share itself. */
export function pathOf({ segments }: Pick<UncFolder, 'segments'>): string {
  return segments.join('\\');
}

/** `\\server\share\dir…` for messages. */
export function uncOf({ server, share, segments }: UncFolder): string {
  return `\\\\${[server, share, ...segments].join('\\')}`;
}

/** Whether `inner` is `outer` or is below it, compared as the file server compares names. */
export function contains(outer: UncFolder, inner: UncFolder): boolean {
  const isSame = (one: string, other: string | undefined) =>
    other !== undefined && nameKey(one) === nameKey(other);
  return (
    isSame(outer.server, inner.server) &&
    isSame(outer.share, inner.share) &&
    outer.segments.every((segment, index) => isSame(segment, inner.segments[index]))
  );
}

/** Joins two paths on a share; either may be empty. */
export function joined(path: string, below: string): string {
  return path === '' || below === '' ? path + below : `${path}\\${below}`;
}
