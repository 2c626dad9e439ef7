/**
 * The rules for the path of a requested folder, which the service applies before it stores a path, and the agent again
 * before it accesses a share: those of a Windows file server (MS-FSCC 2.1.5, "Naming Files, Paths, and Namespaces"), narrowed
 * so that a path is the same directory to every client.
 */

import { reason, type FaultCode, type Reason } from './faults.ts';
import { longestBeforeNfc } from './nfc.ts';
import { cleanPastedPath } from './pasted-path.ts';

declare const followsTheRules: unique symbol;

/** Only `parseTargetPath` creates one, so unchecked text is a type error. */
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

export type ParsedTargetPath = { readonly path: TargetPath } | { readonly faults: readonly Reason[] };

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

/** Returns the path, cleaned of what came along when it was pasted, or its faults in the order of the text; never throws. */
export function parseTargetPath(pasted: string): ParsedTargetPath {
  // No further checks on a path of unlimited length. A `file:` URL has up to nine characters for one.
  if (pasted.length > 9 * longestBeforeNfc(maxTargetPathLength)) return { faults: [tooLong(pasted)] };
  const input = cleanPastedPath(pasted);
  if (input === '') return { faults: [reason('empty')] };
  if (input.length > longestBeforeNfc(maxTargetPathLength)) return { faults: [tooLong(input)] };
  if (manyMarks.test(input)) return { faults: [reason('path_marks', { max: maxMarks })] };
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
    return { faults: [...serverFaults(server), reason('path_no_share', { server: quoteText(server) })] };
  }
  const faults = [
    ...serverFaults(server),
    ...shareFaults(share),
    ...(segments.length === 0 ? [reason('path_no_folder', { share: quoteText(share) })] : []),
    ...segments.flatMap((segment) => segmentFaults(segment, 'folder')),
  ];
  if (faults.length > 0) return { faults };
  return { path: { kind: 'unc', server, share, segments: segments as FolderName[], text } };
}

const tooLong = ({ length }: string): Reason => reason('path_too_long', { length, max: maxTargetPathLength });

/** A start that puts the whole path into another namespace; faults of its segments would only add noise. */
function startFault(text: string): Reason | undefined {
  if (/^(\\\\|\\\?)[?.](\\|$)/.test(text)) {
    return reason('path_device', { prefix: quoteText(text.slice(0, 4)) });
  }
  if (/^[A-Za-z]:/.test(text)) return reason('path_drive', { drive: text.slice(0, 2) });
  return /^\\(?!\\)/.test(text) ? reason('path_single_backslash') : undefined;
}

function serverFaults(server: string): Reason[] {
  // Also rejects `host@SSL` and `host@8080`, which Windows turns into a WebDAV connection to another port.
  if (/^(?![\p{M}._-])[\p{L}\p{M}\p{N}._-]+(?<!\.)$/u.test(server) && server.length <= 255) return [];
  return [server === '' ? reason('path_no_server') : reason('path_server', { server: quoteText(server) })];
}

function shareFaults(share: string): Reason[] {
  if (/^(?:[a-z]|admin|ipc)\$$/i.test(share)) return [reason('path_administrative_share', { share })];
  return segmentFaults(share, 'share');
}

function segmentFaults(segment: string, part: 'folder' | 'share'): Reason[] {
  if (segment === '') return [reason('path_empty_name', { part })];
  const named = { part, name: quoteText(segment) };
  if (segment === '.' || segment === '..') return [reason('path_dots', named)];
  const faults: Reason[] = [];
  const { length } = segment;
  if (length > maxSegmentLength)
    faults.push(reason('path_name_too_long', { ...named, length, max: maxSegmentLength }));
  const has = (code: FaultCode, matches: RegExpMatchArray | null, print = (found: string) => found): void => {
    const characters = [...new Set(matches)].map((found) => print(found)).join(' ');
    if (characters !== '') faults.push(reason(code, { ...named, characters }));
  };
  has('path_characters', segment.match(/[<>:"|?*]/g));
  // Line and paragraph separators count as control characters, because they break lines in logs and in Azurite's batches.
  has('path_control_characters', segment.match(/[\p{Cc}\u2028\u2029]/gu), codePoint);
  has('path_invisible_characters', segment.match(invisibleCharacters), codePoint);
  if (!segment.isWellFormed()) faults.push(reason('path_half_character', named));
  if (segment.endsWith(' ')) faults.push(reason('path_space_at_end', named));
  if (segment.endsWith('.')) faults.push(reason('path_dot_at_end', named));
  // Windows compares the part before the first dot without its trailing spaces: "con .txt" is the console too.
  const device = /^(con(?:in\$|out\$)?|prn|aux|nul|clock\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i.exec(
    segment,
  )?.[1];
  if (device !== undefined)
    faults.push(reason('path_device_name', { ...named, device: device.toUpperCase() }));
  return faults;
}

/** A text as a message shows it: shortened, with invisible and invalid characters escaped. */
function quoteText(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return short
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, codePoint)
    .replaceAll(invisibleCharacters, codePoint);
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
