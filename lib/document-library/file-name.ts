// docs/http-contract.md, "File names": the library's own rules, so that a bad name is refused before any byte is sent,
// with the rule it breaks. The library has the last word and may know more (its refusal is `invalid_request` too).
const forbidden = /["*:<>?/\\|]/;
const control = /\p{Cc}/u;
// They make a name read otherwise than it is: `exe.pdf` shown for `fdp.exe`.
const bidirectional = /\p{Bidi_Control}/u;
const device = /^(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(\.|$)/i;
export const maxNameLength = 255;

/**
 * The last part of what a client calls its file, in NFC: some browsers have sent whole paths.
 */
export function baseName(given: string): string {
  return given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1).normalize('NFC');
}

/** Which rule of the library the name breaks, or null. */
export function fileNameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (name.length > maxNameLength) return `must not be longer than ${maxNameLength} characters`;
  if (control.test(name)) return 'must not contain control characters';
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
