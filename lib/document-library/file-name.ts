// docs/http-contract.md, "File names": the library's own rules. A bad name is rejected before any byte is sent, with the
// rule that it breaks. The library may have further rules; its rejection is `invalid_request` too.
const forbidden = /["*:<>?/\\|]/;
// Line and paragraph separators (U+2028, U+2029) end a line in some programs that show a name.
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;
// They change how a name is displayed: `fdp.exe` appears as `exe.pdf`.
const bidirectional = /\p{Bidi_Control}/u;
const device = /^(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(\.|$)/i;
export const maxNameLength = 255;

/** The last segment of a client's file name, in NFC: some browsers have sent whole paths. */
export function baseName(given: string): string {
  return given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1).normalize('NFC');
}

/** The rule of the library that the name breaks, or null. */
export function fileNameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (name.length > maxNameLength) return `must not be longer than ${maxNameLength} characters`;
  if (control.test(name)) return 'must not contain control characters or line separators';
  if (bidirectional.test(name)) return 'must not contain bidirectional control characters';
  if (!name.isWellFormed()) return 'must not contain half of a surrogate pair';
  if (forbidden.test(name)) return 'must not contain any of " * : < > ? / \\ |';
  if (name.startsWith(' ') || name.endsWith(' ')) return 'must not start or end with a space';
  if (name.endsWith('.')) return 'must not end with a dot';
  return reservedNameFault(name);
}

function reservedNameFault(name: string): string | null {
  const lower = name.toLowerCase();
  if (device.test(name)) return 'must not be a device name such as CON, PRN, AUX, NUL, COM1 or LPT1';
  if (lower === '.lock' || lower === 'desktop.ini' || lower === 'forms') return `must not be ${lower}`;
  if (lower.includes('_vti_')) return 'must not contain _vti_';
  if (name.startsWith('~$')) return 'must not start with ~$';
  return null;
}
