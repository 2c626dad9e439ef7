// In UTF-16 units, which is what the library's path limit counts.
const maxLength = 80;
const characters = new Intl.Segmenter('de', { granularity: 'grapheme' });

/** `<project_number>_<sanitized_project_name>`, e.g. `4711_Neubau Brücke`. */
export const rootFolderName = ({ number, name }: { number: string; name: string }): string =>
  `${number}_${sanitizedName(name)}`;

/** contract.md, "Root folder", in its order. */
function sanitizedName(name: string): string {
  const replaced = name
    .normalize('NFC')
    .replaceAll(/["*:<>?/\\|#%~]|\p{Cc}|\p{Cs}/gu, '_')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/_+/g, '_');
  // Once more after the cut, which may have bared a space or a dot.
  return trimmed(cut(trimmed(replaced))) || 'Projekt';
}

const trimmed = (name: string): string => name.replaceAll(/^[ ._]+|[ ._]+$/g, '');

function cut(name: string): string {
  let kept = '';
  for (const { segment } of characters.segment(name)) {
    if (kept.length + segment.length > maxLength) break;
    kept += segment;
  }
  return kept;
}
