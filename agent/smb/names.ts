import { SmbError } from './smb-error.ts';

/**
 * Each UTF-16 unit mapped alone, and only where lowercase leads back: `ß`, `ı` and `µ` stay as they are. Windows keeps
 * a table like that per volume; where the tables differ this one takes names for different and leaves it to the server.
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
 * Key under which Windows file systems take two names for the same: `Ä` and `ä` are, `ß` and `SS` are not, NFC and NFD
 * spellings are not.
 */
export function nameKey(name: string): string {
  return simpleUpperCase(name);
}

// Eight characters of 0-9 and a-v; earlier versions wrote sixteen of 0-9 and a-f.
const temporaryName = /^~smb-([0-9a-v]{8}|[0-9a-f]{16})\.tmp$/i;

/** Whether `publish` or `publishCopy` made this name; an old one is the leftover of a crash and may be deleted. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/**
 * Forty bits: that a new name is taken beside a thousand others of the same directory happens once in 10^9 files. Then
 * the CREATE fails with `EXISTS` and nothing is touched.
 */
export const temporaryNameBytes = 5;

/** A name beside `path` that nobody else will choose. */
export function temporaryPathBeside(path: string, random: Buffer): string {
  const directory = path.slice(0, path.lastIndexOf('\\') + 1);
  const text = random.readUIntBE(0, temporaryNameBytes).toString(32).padStart(8, '0');
  return `${directory}~smb-${text}.tmp`;
}

// What Windows forbids in names. The client checks for itself because servers normalise `..` and empty components
// silently, and `:` would address an alternate stream.
const forbidden = /[^ -\uffff]|[<>:"/\\|?*]/;
const maxPathUnits = 32_767;

/** @throws {SmbError} `NAME_INVALID` unless `path` is components joined with `\`, or empty for the root */
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

function faultOf(component: string): string | undefined {
  if (component === '') return 'is empty (paths are relative to the share, without a leading or trailing \\)';
  if (component === '.' || component === '..') return 'is . or ..';
  if (component.length > 255) return 'is longer than 255 characters';
  if (forbidden.test(component)) return 'holds one of < > : " / | ? * or a control character';
  if (!component.isWellFormed()) return 'holds half a surrogate pair';
  return undefined;
}
