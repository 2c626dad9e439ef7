/** A line of few words with a formula: `Mit freundlichen Grüßen`, `Mit den besten Wünschen`, `Grüße aus dem hohen Norden`, `Kind regards`. */
const closing =
  /^\s*(?:[\p{L}&/–-]+,?\s){0,5}(?:gr(?:u(?:ß|ss)|ü(?:ß|ss)(?:en?|t))|hochachtungsvoll|mfg|regards|sincerely|faithfully|truly|wishes|(?:besten|guten|herzlichen|lieben)\swünschen)(?:\.|(?:\s[\p{L}&/–-]+){0,5}[,!]?)\s*$/iu;

/** The text without its first line, the salutation, and without everything from the closing formula on. */
export function bodyOf(content: string): string {
  const lines = content.split('\n');
  return lines.slice(1, closingLine(lines)).join('\n').trim();
}

export const hasClosing = (content: string): boolean => {
  const lines = content.split('\n');
  return closingLine(lines) < lines.length;
};

/** The index of the first closing formula, or the number of lines when there is none. */
function closingLine(lines: readonly string[]): number {
  const index = lines.findIndex((line) => closing.test(line));
  return index === -1 ? lines.length : index;
}

/** Lines after the closing formula that contain the sender's last name. */
export function senderLines(content: string, sender: string): string[] {
  const lines = content.split('\n');
  return lines.slice(closingLine(lines) + 1).filter((line) => names(line, sender));
}

/**
 * Removes the sender's name below the closing formula, for letters, because the template has the signature. The lines
 * directly after the name (position, company) and an `Ihr` before it are removed as well; a postscript is kept.
 */
export function withoutSender(content: string, sender: string): string {
  const lines = content.split('\n');
  const end = closingLine(lines) + 1;
  let inSignature = false;
  const kept = lines.slice(end).filter((line, index, tail) => {
    if (isAside(line)) inSignature = false;
    else if (names(line, sender) && line.length <= 60) inSignature = true;
    else if (line.trim() === '') inSignature = false;
    const introduces =
      /^\s*(?:Ihre?|gez\.|i\.\s?[AV]\.)\s*$/.test(line) && names(tail[index + 1] ?? '', sender);
    return !inSignature && !introduces;
  });
  return [...lines.slice(0, end), ...kept]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
}

const isAside = (line: string): boolean => /^\s*(?:P\.?\s?S\.?\b|Anlagen?\b)/.test(line);

function names(line: string, sender: string): boolean {
  const lastName = sender.split(' ').at(-1) ?? '';
  return lastName !== '' && new Set(line.split(/[^\p{L}\p{M}'’-]+/u)).has(lastName);
}
