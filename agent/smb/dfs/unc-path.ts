import { nameKey, normalPath } from '../base/names.ts';
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

/**
 * `\\server\share\folder`, also with `/`, or the URL `smb://server/share/folder`.
 * @throws {SmbError} `INVALID_ARGUMENT` unless it names a server and a share
 */
export function parseUnc(place: string): UncPath {
  if (/^smb:/i.test(place)) return parseUrl(place);
  const path = componentsOf(normalPath(place));
  if (!/^[\\/]{2}/.test(place) || path.length < 2) {
    throw invalid(`${JSON.stringify(place)} is not of the form \\\\server\\share\\folder`);
  }
  return path;
}

function parseUrl(text: string): UncPath {
  const url = URL.parse(text);
  // The text is not repeated, because it can contain a password.
  if (url === null || url.username + url.password + url.port + url.search + url.hash !== '') {
    throw invalid(
      'An SMB URL has the form smb://server/share/folder, encoded as in a URL; account and port are options',
    );
  }
  const path = [url.hostname, ...url.pathname.split('/')].filter((name) => name !== '').map(decodeComponent);
  if (url.hostname === '' || path.length < 2 || path.some((name) => /[\\/]/.test(name)))
    throw invalid(`${JSON.stringify(text)} is not of the form smb://server/share/folder`);
  return path;
}

function decodeComponent(component: string): string {
  try {
    return decodeURIComponent(component);
  } catch {
    throw invalid(`${JSON.stringify(component)} of an SMB URL is not encoded as in a URL`);
  }
}

const invalid = (message: string) => new SmbError('INVALID_ARGUMENT', message, { operation: 'configure' });
