/**
 * The range of bytes that a `Range` header requests, in the form of that header (RFC 9110, 14.1.2): `bytes=10-19`, `bytes=10-`, or
 * the last ones, `bytes=-5`. Undefined for everything: other units, several ranges and malformed headers are ignored, as the RFC
 * allows. Whether the file has such bytes only its content tells, not the size that the library says of it (drive rule A9).
 */
export function requestedRange(header: string | undefined): string | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''].map(bounded);
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return `bytes=${first}-${last}`;
}

/** Without more digits than a size can have. */
const bounded = (digits: string): string =>
  digits === '' ? '' : String(Math.min(Number(digits), Number.MAX_SAFE_INTEGER));

/** Whether an `If-None-Match` header names this tag; compared weakly, as RFC 9110, 13.1.2 requires. */
export function isNoneMatch(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || tag === undefined) return false;
  if (header.trim() === '*') return true;
  const bare = (value: string): string => value.replace(/^W\//, '');
  // Tags of the library contain commas: everything between quotes is one tag.
  return [...header.matchAll(/(?:W\/)?"[^"]*"/g)].some(([given]) => bare(given) === bare(tag));
}
