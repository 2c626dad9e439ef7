/** The lines of a value, without what XML 1.0 forbids: control characters, unpaired surrogates, U+FFFE and U+FFFF. */
export function lines(value: string): string[] {
  return value
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(forbidden, '')
    .split('\n');
}

export function oneLine(value: string): string {
  return lines(value).join(' ').replaceAll('\t', ' ');
}

/** What becomes one paragraph. An item of a list begins with its marker and a tab. */
export interface TextParagraph {
  readonly form: 'text' | 'item' | 'lastItem';
  readonly lines: readonly string[];
}

/** Blocks of text: what a blank line divides, and within it lists. At least one, so that an empty text keeps its paragraph. */
export function blocks(value: string): TextParagraph[] {
  const text = lines(value).join('\n').trimEnd();
  return text
    .replace(/^\s*\n/, '')
    .split(/\n[^\S\n]*\n\s*/)
    .flatMap((block) => withLists(block.split('\n')));
}

function withLists(block: readonly string[]): TextParagraph[] {
  const found: TextParagraph[] = [];
  let plain: string[] = [];
  const endPlain = (): void => {
    if (plain.length > 0) found.push({ form: 'text', lines: plain });
    plain = [];
  };
  for (let at = 0; at < block.length;) {
    const items = listAt(block, at);
    if (items.length < 2) plain.push(block[at++] ?? '');
    else {
      endPlain();
      items.forEach((item, index) => {
        found.push({ form: index === items.length - 1 ? 'lastItem' : 'item', lines: [item] });
      });
      at += items.length;
    }
  }
  endPlain();
  return found;
}

// Lines with one marker, or counted on from the first: "2. BA" alone is no list.
function listAt(block: readonly string[], start: number): string[] {
  const items: string[] = [];
  let first: string | undefined;
  for (let at = start; at < block.length; at++) {
    const [, marker, number, after, text] =
      /^\s*([-–•*]|(\d{1,2})([.)]))\s+(\S.*)$/.exec(block[at] ?? '') ?? [];
    if (marker === undefined || text === undefined) break;
    first ??= marker;
    const expected = number === undefined ? first : `${Number.parseInt(first, 10) + items.length}${after}`;
    if (marker !== expected) break;
    items.push(`${marker}\t${text}`);
  }
  return items;
}

/** The inside of a `w:t`, each line after the first behind a `w:br` in the same run, so the run keeps its format. */
export function xmlLines(text: readonly string[]): string {
  return text
    .map(escaped)
    .join('</w:t><w:br/><w:t xml:space="preserve">')
    .replaceAll('\t', '</w:t><w:tab/><w:t xml:space="preserve">');
}

// oxlint-disable-next-line no-control-regex -- XML 1.0 section 2.2 is a rule about control characters
const forbidden = /[\0-\x08\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu;

/** As text of an element. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
