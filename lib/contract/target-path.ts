/**
 * The rules for the path of a requested folder. The service applies them before it stores a path, and the agent again
 * before it accesses a share: both call this module.
 *
 * The rules are those of a Windows file server (MS-FSCC 2.1.5, "Naming Files, Paths, and Namespaces"), narrowed so that a
 * path is the same directory to every client: no device namespace, and no name that Windows silently trims.
 */

import { longestBeforeNfc } from './nfc.ts';

declare const followsTheRules: unique symbol;

/**
 * The name of one directory that follows the rules. Only `parseTargetPath` creates one, so unchecked text is a type error.
 */
export type FolderName = string & { readonly [followsTheRules]: true };

/** A path that follows the rules. `text` is what is stored and shown: NFC, backslashes only. */
export type TargetPath =
  | { readonly kind: 'relative'; readonly segments: readonly FolderName[]; readonly text: string }
  | {
      readonly kind: 'unc';
      readonly server: string;
      readonly share: string;
      /** The directories below the share, at least one. */
      readonly segments: readonly FolderName[];
      readonly text: string;
    };

/** Either the path, or all of its faults. */
export type ParsedTargetPath = { readonly path: TargetPath } | { readonly faults: readonly string[] };

/** Counted in UTF-16 code units, like the limit of a segment, because the file server counts these. */
export const maxTargetPathLength = 4000;
const maxSegmentLength = 255;
// No language needs more (UAX #15, "Stream-Safe Text Format"), and NFC of 16,000 consecutive marks takes 0.1 s.
const maxMarks = 30;
const manyMarks = new RegExp(`\\p{M}{${maxMarks + 1}}`, 'u');

/**
 * Zero-width characters, and those that change the direction of text: two names that are displayed alike would be two
 * folders, and one name could be displayed as another ("gpj.exe" for "exe.jpg"). This also rejects the joiners between the
 * parts of an emoji. Variation selectors are allowed, because keyboards insert them.
 */
const invisibleCharacters = /[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]/gv;

/** Returns the path, or its faults in the order of the text; never throws. */
export function parseTargetPath(input: string): ParsedTargetPath {
  if (input === '') return { faults: ['is empty'] };
  // No further checks on a path of unlimited length.
  if (input.length > longestBeforeNfc(maxTargetPathLength)) return { faults: [tooLong(input)] };
  if (manyMarks.test(input)) return { faults: [`has more than ${maxMarks} combining marks in a row`] };
  const text = input.normalize('NFC').replaceAll('/', '\\');
  if (text.length > maxTargetPathLength) return { faults: [tooLong(text)] };
  const wrongStart = startFault(text);
  if (wrongStart !== undefined) return { faults: [wrongStart] };

  if (!text.startsWith('\\\\')) {
    const segments = text.split('\\');
    const faults = segments.flatMap((segment) => segmentFaults(segment, 'folder'));
    if (faults.length > 0) return { faults };
    return { path: { kind: 'relative', segments: segments as FolderName[], text } };
  }

  const [server = '', share, ...segments] = text.slice(2).split('\\');
  if (share === undefined) {
    return { faults: [...serverFaults(server), `names the server ${quoted(server)} but no share`] };
  }
  const faults = [
    ...serverFaults(server),
    ...shareFaults(share),
    ...(segments.length === 0 ? [`names no folder below the share ${quoted(share)}`] : []),
    ...segments.flatMap((segment) => segmentFaults(segment, 'folder')),
  ];
  if (faults.length > 0) return { faults };
  return { path: { kind: 'unc', server, share, segments: segments as FolderName[], text } };
}

const tooLong = ({ length }: string): string =>
  `is ${length} characters long, at most ${maxTargetPathLength} are allowed`;

/** A start that puts the whole path into another namespace; faults of its segments would only add noise. */
function startFault(text: string): string | undefined {
  if (/^(\\\\|\\\?)[?.](\\|$)/.test(text) || text.startsWith('\\??\\')) {
    return `starts with the device prefix ${quoted(text.slice(0, 4))}: expected \\\\server\\share\\folder or folder\\folder`;
  }
  if (/^[A-Za-z]:/.test(text)) {
    return `starts with the drive letter ${quoted(text.slice(0, 2))}: expected \\\\server\\share\\folder or folder\\folder`;
  }
  if (/^\\(?!\\)/.test(text)) {
    return 'starts with a single backslash: a UNC path starts with two, a relative path with a folder name';
  }
  return undefined;
}

function serverFaults(server: string): string[] {
  // Also rejects `host@SSL` and `host@8080`, which Windows turns into a WebDAV connection to another port.
  if (/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}_-])?$/u.test(server) && server.length <= 255)
    return [];
  return [
    server === ''
      ? 'names no server after the two backslashes'
      : `server ${quoted(server)} is not a host name (letters, digits, "-", "_" and single dots between them)`,
  ];
}

function shareFaults(share: string): string[] {
  if (/^(?:[a-z]|admin|ipc)\$$/i.test(share)) return [`share ${quoted(share)} is an administrative share`];
  return segmentFaults(share, 'share');
}

function segmentFaults(segment: string, part: 'folder' | 'share'): string[] {
  if (segment === '') return [`has an empty ${part} name (two separators in a row, or one at the end)`];
  const name = `${part} ${quoted(segment)}`;
  if (segment === '.' || segment === '..') return [`${name} would point at another folder`];
  const faults: string[] = [];
  if (segment.length > maxSegmentLength) {
    faults.push(`${name} is ${segment.length} characters long, at most ${maxSegmentLength} are allowed`);
  }
  const forbidden = [...new Set(segment.match(/[<>:"|?*]/g))];
  if (forbidden.length > 0) faults.push(`${name} contains ${forbidden.join(' ')}`);
  // Line and paragraph separators count as control characters, because they break lines in logs and in Azurite's batches.
  const controls = [...new Set(segment.match(/[\p{Cc}\u2028\u2029]/gu))];
  if (controls.length > 0)
    faults.push(`${name} contains the control character ${controls.map(codePoint).join(' ')}`);
  const invisible = [...new Set(segment.match(invisibleCharacters))];
  if (invisible.length > 0)
    faults.push(`${name} contains the invisible character ${invisible.map(codePoint).join(' ')}`);
  if (!segment.isWellFormed()) faults.push(`${name} contains an unpaired surrogate`);
  if (/[ .]$/.test(segment)) faults.push(`${name} ends in a ${segment.endsWith(' ') ? 'space' : 'dot'}`);
  // Windows compares the part before the first dot without its trailing spaces: "con .txt" is the console too.
  const device = /^(con(?:in\$|out\$)?|prn|aux|nul|clock\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.exec(
    segment,
  )?.[1];
  if (device !== undefined) faults.push(`${name} is the reserved device name ${device.toUpperCase()}`);
  return faults;
}

/** Quotes a text for a message: shortened, with invisible and invalid characters escaped. */
function quoted(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const escaped = shown
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, codePoint)
    .replaceAll(invisibleCharacters, codePoint);
  return `"${escaped}"`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
