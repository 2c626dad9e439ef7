// An empty value removes what belongs to it: its label, its separator, one space and, when nothing else is left, the
// whole line. Marks say where values are until then; XML forbids these characters, so no value has them.
export const emptyMark = '\uFFFE';
export const filledMark = '\uFFFF';

/** The XML of a part without marks, and without what belongs to empty values. */
export function withoutEmptyValues(xml: string): string {
  if (!xml.includes(emptyMark)) return xml.replaceAll(filledMark, '');
  // Paragraphs without others inside them, and what is between them.
  const pieces = xml.split(/(?=<w:p[\s>])|(?<=<\/w:p>)/);
  const kept = pieces.map((piece, index) => {
    if (!piece.includes(emptyMark)) return piece;
    const lines = joinedRuns(piece).split('<w:br/>');
    // The last paragraph of a cell, a text box or a part must remain.
    const isRemovable = /^<w:p[\s>].*<\/w:p>$/s.test(piece) && pieces[index + 1]?.startsWith('<w:p') === true;
    return isRemovable && lines.every(isEmptied) && !object.test(piece) ? '' : withoutEmptiedLines(lines);
  });
  return kept.join('').replaceAll(filledMark, '');
}

const emptyRun =
  /<w:r(?:\s[^>]*)?>(?:<w:rPr>(?:(?!<\/w:rPr>).)*<\/w:rPr>)?<w:t(?:\s[^>]*)?(?:\/>|><\/w:t>)<\/w:r>/gs;
const sameFormat =
  /(<w:r(?:\s[^>]*)?>(<w:rPr>(?:(?!<\/w:rPr>).)*<\/w:rPr>)?)<w:t(?:\s[^>]*)?>([^<]*)<\/w:t><\/w:r>(?:<w:proofErr[^>]*>)*<w:r(?:\s[^>]*)?>\2<w:t(?:\s[^>]*)?>/gs;

/** The paragraph with one run where Word has split text of one format into several. */
function joinedRuns(paragraph: string): string {
  const joined = paragraph.replace(emptyRun, '').replace(sameFormat, '$1<w:t xml:space="preserve">$3');
  return joined === paragraph ? joined : joinedRuns(joined);
}

const object =
  /<w:(?:drawing|pict|object|sym|fldChar|fldSimple|sectPr|sdt|ins|del|bookmarkStart|\w+Reference)[\s>]/;
/** Longest text that counts as the label of a value; a longer text is a sentence. */
const longestLabel = 40;

const separator = /(\s*[·•|]\s*|\s+[–—]\s+|,\s+)/;

const isEmptySegment = (text: string): boolean =>
  text.includes(emptyMark) && !text.includes(filledMark) && text.trim().length <= longestLabel;

function isEmptied(xml: string): boolean {
  const text = xml.replace(/<[^>]*>/g, '');
  const segments = text.split(separator).filter((_piece, index) => index % 2 === 0);
  return text.includes(emptyMark) && segments.every((each) => each.trim() === '' || isEmptySegment(each));
}

function withoutEmptiedLines(lines: readonly string[]): string {
  let written = '';
  for (const [index, line] of lines.entries()) {
    const isGone = isEmptied(line) && !object.test(line);
    if (index > 0 && !isGone && written.replace(/<[^>]*>/g, '') !== '') written += '<w:br/>';
    written += line.replace(/(?<=>)[^<]*\uFFFE[^<]*|(?<=<w:t(?:\s[^>]*)?>)[^<]+/g, (text) =>
      isGone ? '' : text.includes(emptyMark) ? withoutEmptySegments(text) : text,
    );
  }
  return written;
}

function withoutEmptySegments(text: string): string {
  const pieces = text.split(separator);
  let written = '';
  for (let at = 0; at < pieces.length; at += 2) {
    const segment = pieces[at] ?? '';
    if (isEmptySegment(segment)) continue;
    written +=
      (written === '' ? '' : (pieces[at - 1] ?? '')) + segment.replace(/(?<=^|\s)\uFFFE\s+|\s*\uFFFE/g, '');
  }
  return written;
}
