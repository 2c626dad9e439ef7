/** What a `Range` header requests of a file: a part, everything, or a part that does not exist. */
export type RequestedRange =
  | { readonly kind: 'all' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'outside' };

/**
 * One range of bytes (RFC 9110, 14.1.2). Other units, several ranges and malformed headers are ignored, as the RFC
 * allows.
 */
export function requestedRange(header: string | undefined, size: number): RequestedRange {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return { kind: 'all' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: 'outside' } : { kind: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { kind: 'all' };
  if (start >= size) return { kind: 'outside' };
  return { kind: 'part', start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether an `If-None-Match` header names this tag; compared weakly, as RFC 9110, 13.1.2 requires. */
export function isNoneMatch(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || tag === undefined) return false;
  if (header.trim() === '*') return true;
  const bare = (value: string): string => value.replace(/^W\//, '');
  // Tags of the library contain commas: everything between quotes is one tag.
  return [...header.matchAll(/(?:W\/)?"[^"]*"/g)].some(([given]) => bare(given) === bare(tag));
}
