/** The lines of a value, without the characters XML 1.0 forbids: controls, unpaired surrogates, U+FFFE and U+FFFF. */
export function lines(value: string): string[] {
  return value
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(forbidden, '')
    .split('\n');
}

/** A value where a line break is not possible. */
export const oneLine = (value: string): string => lines(value).join(' ').replaceAll('\t', ' ');

/** The text of one paragraph. A list item begins with its marker and a tab. */
export interface TextParagraph {
  /** `item`: without space after it. `lastItem`: of a list, or followed by a blank line. */
  readonly form: 'text' | 'item' | 'lastItem';
  /** Of an item; 0 for one that is in no other. */
  readonly level?: number;
  readonly lines: readonly string[];
}

/**
 * Splits text at blank lines and into lists. Returns at least one paragraph, so an empty text keeps its own.
 */
export function blocks(value: string): TextParagraph[] {
  const text = lines(value);
  const found: TextParagraph[] = [];
  let plain: string[] | undefined;
  for (let at = 0; at < text.length;) {
    const list = listAt(text, at);
    const line = text[at] ?? '';
    if (list !== null) {
      for (const item of list.items) found.push(item);
      at = list.end;
      plain = undefined;
    } else if (line.trim() === '') {
      plain = undefined;
      at += 1;
    } else {
      if (plain === undefined) found.push({ form: 'text', lines: (plain = []) });
      plain.push(plain.length === 0 ? line.replace(/^[^\S\t]+/, '') : line);
      at += 1;
    }
  }
  return found.length === 0 ? [{ form: 'text', lines: [''] }] : found;
}

interface Marker {
  readonly indent: number;
  /** Equal for items of one list: the sign, or `1.`, `1)`, `a)`. */
  readonly kind: string;
  /** Of a number or letter; `null` for a sign. */
  readonly ordinal: number | null;
  readonly shown: string;
  readonly text: string;
}

const sign = '[-–—•*▪◦‣·○●■]';
const item = new RegExp(`^([ \\t]*)(?:(${sign})|(\\d{1,2})([.)])|([a-z])\\))[ \\t]+(\\S.*)$`);

function markerOf(line: string): Marker | null {
  const [, indent = '', bullet, number, after, letter, text = ''] = item.exec(line) ?? [];
  const kept = { indent: indent.replaceAll('\t', '    ').length, text: text.trimEnd() };
  if (bullet !== undefined) return { ...kept, kind: bullet, ordinal: null, shown: bullet };
  if (number !== undefined) {
    return { ...kept, kind: `1${after}`, ordinal: Number(number), shown: `${number}${after}` };
  }
  if (letter === undefined) return null;
  return { ...kept, kind: 'a)', ordinal: letter.charCodeAt(0), shown: `${letter})` };
}

const continues = (before: Marker, marker: Marker): boolean =>
  before.kind === marker.kind &&
  (before.ordinal === null || marker.ordinal === before.ordinal + 1) &&
  Math.abs(before.indent - marker.indent) <= 1;

interface Item {
  readonly level: number;
  readonly lines: string[];
  isApart: boolean;
}

/**
 * The list that begins at a line: signs, also a single one, or numbers and letters in their order, of which one alone is none
 * ("2. BA"). Items may be apart by blank lines, have further lines, and contain other lists.
 */
function listAt(text: readonly string[], start: number): { items: TextParagraph[]; end: number } | null {
  const first = markerOf(text[start] ?? '');
  if (first === null) return null;
  const open: Marker[] = [first];
  const items: Item[] = [{ level: 0, lines: [`${first.shown}\t${first.text}`], isApart: false }];
  let end = start + 1;
  for (let at = end; at < text.length; at += 1) {
    const line = text[at] ?? '';
    if (line.trim() === '') continue;
    const isApart = at > end;
    const marker = markerOf(line);
    const current = open.at(-1)!;
    if (marker === null) {
      const isFurther = /^\s/.test(line) || (!isApart && goesOn(text, at + 1, open[0]!));
      if (isApart || !isFurther) break;
      items.at(-1)!.lines.push(line.trim());
    } else {
      const level = open.findLastIndex((each) => continues(each, marker));
      const isNested =
        marker.indent >= current.indent + 2 ||
        (current.ordinal !== null && marker.ordinal === null && goesOn(text, at + 1, current));
      if (level === -1 && !isNested) break;
      open.splice(level === -1 ? open.length : level, open.length, marker);
      items.at(-1)!.isApart = isApart;
      items.push({ level: open.length - 1, lines: [`${marker.shown}\t${marker.text}`], isApart: false });
    }
    end = at + 1;
  }
  const isList = first.ordinal === null || items.filter(({ level }) => level === 0).length > 1;
  return isList ? { items: items.map(asParagraph), end } : null;
}

/** In lines; a text of thousands would be read again for each of them. */
const farthest = 20;

/** Whether a numbered list goes on behind lines that are not its items, before a blank line. */
function goesOn(text: readonly string[], start: number, before: Marker): boolean {
  if (before.ordinal === null) return false;
  for (let at = start; at < start + farthest && (text[at] ?? '').trim() !== ''; at += 1) {
    const marker = markerOf(text[at] ?? '');
    if (marker !== null && continues(before, marker)) return true;
  }
  return false;
}

const asParagraph = (
  { level, lines, isApart }: Item,
  index: number,
  all: readonly Item[],
): TextParagraph => ({
  form: isApart || index === all.length - 1 ? 'lastItem' : 'item',
  level,
  lines,
});

// oxlint-disable-next-line no-control-regex -- XML 1.0 section 2.2 is a rule about control characters
const forbidden = /[\0-\x08\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu;

/** Escapes text for an element. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
