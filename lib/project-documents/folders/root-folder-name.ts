// In UTF-16 code units, in which the library measures paths.
const maxLength = 80;
const characters = new Intl.Segmenter('de', { granularity: 'grapheme' });

// Reserved with any extension: a number such as `CON.1` would produce one.
const deviceName = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)(?=\.)\./i;

/**
 * `<project_number>_<sanitized_project_name>`, e.g. `4711_Neubau Brücke`. For any number and name, it neither contains
 * `_vti_` nor is a name that the library reserves.
 */
export function rootFolderName({ number, name }: { number: string; name: string }): string {
  // Includes the number: `7` and `vti_x` become `7_vti_x`.
  const joined = `${number}_${sanitizedName(name)}`.replaceAll(
    /_vti_/gi,
    (found) => `${found.slice(0, -1)}-`,
  );
  return joined.replace(deviceName, (found) => `${found.slice(0, -1)}_`);
}

/** docs/http-contract.md, "Project folders", says what callers see of it. */
function sanitizedName(name: string): string {
  const replaced = name
    .normalize('NFC')
    .replaceAll(/["*:<>?/\\|#%~]|\p{Cc}|\p{Cs}/gu, '_')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/_+/g, '_');
  // Again, because the cut name may end with a space or a dot.
  return trimName(cutName(trimName(replaced))) || 'Projekt';
}

const trimName = (name: string): string => name.replaceAll(/^[ ._]+|[ ._]+$/g, '');

function cutName(name: string): string {
  let kept = '';
  for (const { segment } of characters.segment(name)) {
    if (kept.length + segment.length > maxLength) break;
    kept += segment;
  }
  return kept;
}
