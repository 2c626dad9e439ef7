import { quoteValue } from './arguments.ts';
import { SmbError } from './smb-error.ts';

/**
 * Maps each UTF-16 unit alone, and only where lowercase reverses it: `ß`, `ı` and `µ` are unchanged. Windows keeps
 * such a table per volume. Where tables differ, this one treats names as different and leaves the decision to the
 * server.
 */
export function simpleUpperCase(text: string): string {
  let result = '';
  for (let index = 0; index < text.length; index += 1) {
    const unit = text[index] as string;
    const upper = unit.toUpperCase();
    result += upper.length === 1 && upper.toLowerCase() === unit ? upper : unit;
  }
  return result;
}

/**
 * Key under which Windows file systems treat two names as equal: `Ä` and `ä` are equal, `ß` and `SS` are not, NFC and
 * NFD spellings are not.
 */
export function nameKey(name: string): string {
  return simpleUpperCase(name);
}

/** Whether a name matches a pattern, with `*` for any characters and `?` for one; case makes no difference. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const source = nameKey(pattern)
    .replaceAll(/[.+^${}()[\]]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]');
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(nameKey(name));
}

// Eight characters of 0-9 and a-v. Earlier versions wrote sixteen of 0-9 and a-f.
const temporaryName = /^~smb-([0-9a-v]{8}|[0-9a-f]{16})\.tmp$/i;

/** Whether `publish` or `copyFile` created this name; an old one is the leftover of a crash and may be deleted. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/**
 * Forty bits: beside a thousand others of the same directory, a new name collides once in 10^9 files. The CREATE then
 * fails with `EEXIST` and nothing is changed.
 */
export const temporaryNameBytes = 5;

/** A name beside `path` that no other client chooses. */
export function temporaryPathBeside(path: string, random: Buffer): string {
  const directory = path.slice(0, path.lastIndexOf('\\') + 1);
  const text = random.readUIntBE(0, temporaryNameBytes).toString(32).padStart(8, '0');
  return `${directory}~smb-${text}.tmp`;
}

/**
 * Components joined by `\`. `/` is forbidden in names, so both separate; at an end, or several in a row, they make no
 * difference.
 * @throws {TypeError} for what is not text, such as a Buffer or a URL
 */
export function normalPath(path: string): string {
  if (typeof path !== 'string') throw new TypeError(`a path is text; ${quoteValue(path)} is not supported`);
  return path
    .split(/[\\/]/)
    .filter((name) => name !== '')
    .join('\\');
}

// Characters and names that Windows forbids. The client checks them itself because servers silently normalize `..`
// and empty components, and `:` would address an alternate stream.
const forbidden = /[^ -\uffff]|[<>:"/\\|?*]/;
const maxPathUnits = 32_767;

/** @throws {SmbError} `NAME_INVALID` unless `path` consists of components joined by `\`, or is empty for the root */
export function checkPath(path: string, operation: string): void {
  if (path === '') return;
  for (const component of path.split('\\')) {
    const fault = faultOf(component);
    if (fault !== undefined) {
      throw new SmbError('NAME_INVALID', `${operation} ${JSON.stringify(path)}: a name ${fault}`, {
        operation,
        path,
      });
    }
  }
  if (path.length > maxPathUnits) {
    throw new SmbError('NAME_INVALID', `${operation}: a path of more than ${maxPathUnits} characters`, {
      operation,
      path,
    });
  }
}

/** What keeps a name of a listing from being a component of a path; undefined for a name that can be one. */
export function faultOf(component: string): string | undefined {
  if (component === '') return 'is empty';
  if (component === '.' || component === '..') return 'is . or ..';
  if (component.length > 255) return 'is longer than 255 characters';
  if (forbidden.test(component)) return 'contains one of < > : " / | ? * or a control character';
  if (!component.isWellFormed()) return 'contains half a surrogate pair';
  return undefined;
}
