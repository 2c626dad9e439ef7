import { reason, type Reason } from '../contract/faults.ts';

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
export function fileNameFault(name: string): Reason | null {
  if (name === '') return reason('empty');
  if (name.length > maxNameLength) return reason('too_long', { max: maxNameLength });
  if (control.test(name)) return reason('control_characters');
  if (bidirectional.test(name)) return reason('bidirectional_characters');
  if (!name.isWellFormed()) return reason('half_character');
  if (forbidden.test(name)) return reason('forbidden_characters', { characters: '" * : < > ? / \\ |' });
  if (name.startsWith(' ') || name.endsWith(' ')) return reason('space_around');
  if (name.endsWith('.')) return reason('dot_at_end');
  if (device.test(name)) return reason('device_name');
  const lower = name.toLowerCase();
  const reserved = ['.lock', 'desktop.ini', 'forms'].find((whole) => lower === whole);
  if (reserved !== undefined) return reason('reserved_name', { name: reserved });
  if (lower.includes('_vti_')) return reason('reserved_name', { name: '_vti_' });
  return name.startsWith('~$') ? reason('reserved_start', { start: '~$' }) : null;
}

const inAscii: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '€': 'EUR',
  '–': '-',
  '—': '-',
  '’': "'",
};

/**
 * A name for programs that cannot read `filename*`: `Plaene.pdf` for `Pläne.pdf`. A letter without an equivalent is `_`, and
 * so is a percent sign that some programs would decode.
 */
export const asciiFileName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[^ -~]/gu, (letter) => {
      const lower = letter.toLowerCase();
      const ascii = inAscii[lower] ?? lower.normalize('NFKD').replace(/\p{M}/gu, '');
      if (!/^[ -~]+$/.test(ascii) || forbidden.test(ascii)) return '_';
      return lower === letter ? ascii : ascii.charAt(0).toUpperCase() + ascii.slice(1);
    })
    .replace(/%(?=[\da-f]{2})/gi, '_');
