import { parseTargetPath } from '../lib/contract/target-path.ts';
import { nameKey } from './smb/index.ts';

/** A directory on the file server; `path` is relative to the share, joined with `\`, empty for the share itself. */
export interface ShareFolder {
  readonly server: string;
  readonly share: string;
  readonly path: string;
}

/**
 * Reads `\\server\share` or `\\server\share\dir…` by the rules of the contract for target paths, except that the share
 * itself is allowed: a template or root may be a whole share.
 */
export function parseShareFolder(text: string): { folder: ShareFolder } | { faults: readonly string[] } {
  // The contract asks for one directory below the share: one is lent and taken off again.
  const parsed = parseTargetPath(`${text.replace(/[\\/]+$/, '')}\\lent`);
  if ('faults' in parsed) return parsed;
  if (parsed.path.kind === 'relative')
    return { faults: ['is not a UNC path: expected \\\\server\\share\\folder'] };
  const { server, share, segments } = parsed.path;
  return { folder: { server, share, path: segments.slice(0, -1).join('\\') } };
}

/** `\\server\share\dir…` for messages. */
export function uncOf({ server, share, path }: ShareFolder): string {
  return `\\\\${server}\\${share}${path === '' ? '' : `\\${path}`}`;
}

/** Whether `inner` is `outer` or lies below it, compared as the file server compares names. */
export function contains(outer: ShareFolder, inner: ShareFolder): boolean {
  const key = (folder: ShareFolder) => `${nameKey(uncOf(folder))}\\`;
  return key(inner).startsWith(key(outer));
}

/** How many directories below its share a folder is. */
export function depthOf({ path }: ShareFolder): number {
  return path === '' ? 0 : path.split('\\').length;
}

/** Joins paths; either may be empty. */
export function joined(path: string, below: string): string {
  return path === '' || below === '' ? path + below : `${path}\\${below}`;
}
