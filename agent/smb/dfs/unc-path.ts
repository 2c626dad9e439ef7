import { nameKey } from '../names.ts';
import { SmbError } from '../base/smb-error.ts';

// Paths as DFS uses them: the components of `\\server\share\dir…`, where the server can also be a domain.

export type UncPath = readonly string[];

/** Components of a path with any number of leading `\`. */
export const componentsOf = (path: string): string[] => path.split('\\').filter((name) => name !== '');

/** `\\server\share\dir…`, for messages. */
export const uncText = (path: UncPath) => `\\\\${path.join('\\')}`;

/** Equal for paths that Windows treats as equal. */
export const pathKey = (path: UncPath) => nameKey(path.join('\\'));

/**
 * `pathKey` of every prefix that starts at the server, shortest first. Computed once, since every call needs them.
 */
export function prefixKeys(path: UncPath): string[] {
  const keys: string[] = [];
  let key = '';
  for (const component of path) {
    key = keys.length === 0 ? nameKey(component) : `${key}\\${nameKey(component)}`;
    keys.push(key);
  }
  return keys;
}

/** @throws {SmbError} `INVALID_ARGUMENT` unless it names a server and a share */
export function parseUnc(unc: string): UncPath {
  const path = componentsOf(unc);
  if (!unc.startsWith('\\\\') || path.length < 2) {
    const message = `${JSON.stringify(unc)} is not of the form \\\\server\\share\\folder`;
    throw new SmbError('INVALID_ARGUMENT', message, { operation: 'configure' });
  }
  return path;
}
