// Ends of a pasted text: white space, and the marks that Windows' dialogs put before a path (U+202A from "Properties") or that
// change the direction of text.
const invisibleEnds = String.raw`[\s\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]`;
const atTheEnds = new RegExp(`^${invisibleEnds}+|${invisibleEnds}+$`, 'gu');

const withoutEnds = (text: string): string => text.replaceAll(atTheEnds, '');

/**
 * A target path, or a part of one that is searched, as it was meant, from what people paste: "copy as path" of the Explorer puts quotes around it, "Properties" a
 * direction mark before it, a mail a space after it, and a browser shows it as a `file:` URL (RFC 8089, with Firefox's five
 * slashes), which encodes characters. Any other text, and a URL that cannot be decoded, stays as it is between its ends.
 */
export function cleanPastedPath(text: string): string {
  const visible = withoutEnds(text);
  const [, quoted = visible] = /^"([^"]*)"$/u.exec(visible) ?? [];
  const path = withoutEnds(quoted);
  const [, slashes = '', rest] = /^file:([\\/]*)(.*)$/isu.exec(path) ?? [];
  if (rest === undefined || slashes.length < 2) return path;
  try {
    const decoded = decodeURIComponent(rest);
    return /^[A-Za-z]:/.test(decoded) ? decoded : `\\\\${decoded}`;
  } catch {
    return path;
  }
}
