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

/** Blocks of text: what a blank line divides. At least one, so that an empty text keeps its paragraph. */
export function blocks(value: string): string[][] {
  const text = lines(value).join('\n').trimEnd();
  return text
    .replace(/^\s*\n/, '')
    .split(/\n[^\S\n]*\n\s*/)
    .map((block) => block.split('\n'));
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

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
