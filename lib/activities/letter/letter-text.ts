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
  readonly form: 'text' | 'item' | 'lastItem';
  /** Of an item; 0 for one that is in no other. */
  readonly level?: number;
  readonly lines: readonly string[];
}

/**
 * Splits text at blank lines, and each block into plain text and lists. Returns at least one, so an empty text keeps
 * its paragraph.
 */
export function blocks(value: string): TextParagraph[] {
  const text = lines(value).join('\n').trimEnd();
  return text
    .replace(/^\s*\n/, '')
    .split(/\n[^\S\n]*\n\s*/)
    .flatMap((block) => withLists(block.split('\n')));
}

function withLists(block: readonly string[]): TextParagraph[] {
  const found: TextParagraph[] = [];
  let plain: string[] | undefined;
  for (let at = 0; at < block.length;) {
    const items = listAt(block, at);
    if (items.length < 2) {
      if (plain === undefined) found.push({ form: 'text', lines: (plain = []) });
      plain.push(block[at++] ?? '');
    } else {
      plain = undefined;
      at += items.length;
      const last = items.pop() ?? '';
      for (const item of items) found.push({ form: 'item', lines: [item] });
      found.push({ form: 'lastItem', lines: [last] });
    }
  }
  return found;
}

// Consecutive lines with the same marker, or numbered consecutively: "2. BA" alone is not a list.
function listAt(block: readonly string[], start: number): string[] {
  const items: string[] = [];
  let expected: string | undefined;
  for (let at = start; at < block.length; at++) {
    const line = block[at] ?? '';
    const [, marker, number, after, text] = /^\s*([-–•*]|(\d{1,2})([.)]))\s+(\S.*)$/.exec(line) ?? [];
    if (marker === undefined || marker !== (expected ?? marker)) break;
    items.push(`${marker}\t${text}`);
    expected = number === undefined ? marker : `${Number(number) + 1}${after}`;
  }
  return items;
}

// oxlint-disable-next-line no-control-regex -- XML 1.0 section 2.2 is a rule about control characters
const forbidden = /[\0-\x08\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu;

/** Escapes text for an element. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
