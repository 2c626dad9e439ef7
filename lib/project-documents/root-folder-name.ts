// In UTF-16 units, which is what the library's path limit counts.
const maxLength = 80;
const characters = new Intl.Segmenter('de', { granularity: 'grapheme' });

// Reserved with any extension: a number such as `CON.1` would make one.
const deviceName = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)(?=\.)\./i;

/**
 * `<project_number>_<sanitized_project_name>`, e.g. `4711_Neubau Brücke`. Never contains `_vti_` and is never a name
 * that the library reserves, whatever number and name are.
 */
export function rootFolderName({ number, name }: { number: string; name: string }): string {
  // The number takes part: `7` and `vti_x` meet as `7_vti_x`.
  const joined = `${number}_${sanitizedName(name)}`.replaceAll(
    /_vti_/gi,
    (found) => `${found.slice(0, -1)}-`,
  );
  return joined.replace(deviceName, (found) => `${found.slice(0, -1)}_`);
}

/** Names are case-insensitive in the library: two that share this key are one folder. */
export const rootFolderKey = (name: string): string => name.normalize('NFC').toLowerCase();

/** docs/http-contract.md, "Project folders", in its order. */
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
