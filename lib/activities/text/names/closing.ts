/** A line of few words with a formula: `Mit freundlichen Grüßen`, `Mit den besten Wünschen`, `Grüße aus dem hohen Norden`, `Kind regards`. */
const german = String.raw`gr(?:u(?:ß|ss)|ü(?:ß|ss)(?:en?|t))|hochachtungsvoll|mfg`;
const english = 'regards|sincerely|faithfully|truly|wishes';
const wishes = String.raw`(?:besten|guten|herzlichen|lieben)\swünschen`;
const before = String.raw`(?:[\p{L}&/–-]+,?\s){0,6}`;
const after = String.raw`(?:\.|(?:\s[\p{L}&/–-]+){0,5}[,!]?)`;
const closing = new RegExp(String.raw`^\s*${before}(?:${german}|${english}|${wishes})${after}\s*$`, 'iu');

/** The text without its first line, the salutation, and without everything from the closing formula on. */
export function bodyOf(content: string, sender: string): string {
  const lines = content.split('\n');
  return lines.slice(1, closingLine(lines, sender)).join('\n').trim();
}

export const hasClosing = (content: string, sender: string): boolean => {
  const lines = content.split('\n');
  return closingLine(lines, sender) < lines.length;
};

/** No sentence, above the sender's name or at the end of a letter: `Vielen Dank und ein schönes Wochenende`. */
const isUnusualClosing = (line: string): boolean =>
  /^\p{Lu}/u.test(line) && /[^.:?!]$/u.test(line) && line.split(/\s+/).length < 8;

function formulaLine(lines: readonly string[]): number {
  const index = lines.findIndex((line) => closing.test(line));
  return index === -1 ? lines.length : index;
}

/** The index of the first closing, or the number of lines when there is none. */
function closingLine(lines: readonly string[], sender: string): number {
  const formula = formulaLine(lines);
  if (formula < lines.length) return formula;
  const signature = lines.findLastIndex((line) => names(line, sender));
  const above = lines
    .slice(0, signature === -1 ? undefined : signature)
    .findLastIndex((line) => line.trim() !== '');
  return above > 0 && isUnusualClosing((lines[above] ?? '').trim()) ? above : lines.length;
}

/** Lines after the closing that contain the sender's last name. */
export const senderLines = (content: string, sender: string): string[] =>
  linesBelow(content, sender).filter((line) => names(line, sender));

/** Whether a first and last name other than the sender's is directly below the closing. */
export function isSignedByOther(content: string, sender: string): boolean {
  const below = linesBelow(content, sender).find((line) => line.trim() !== '') ?? '';
  return /^\p{Lu}\p{L}+(?:[ -]\p{Lu}\p{L}+){1,3}$/u.test(below) && !names(below, sender);
}

function linesBelow(content: string, sender: string): string[] {
  const lines = content.split('\n');
  return lines.slice(closingLine(lines, sender) + 1);
}

/**
 * Removes the sender's name below the closing formula, for letters, because the template has the signature. The lines
 * directly after the name (position, company) and an `Ihr` before it are removed as well; a postscript is kept. Without a
 * formula, nothing is removed: a name may be part of the text.
 */
export function withoutSender(content: string, sender: string): string {
  const lines = content.split('\n');
  const end = formulaLine(lines) + 1;
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
