import { GraphError, invalidRequest } from '../base/graph-error.ts';

// A3: rejected anywhere in a name. SharePoint has allowed '#' and '%' since 2018.
const forbiddenCharacters = /["*:<>?/\\|]/;
// In reports, control characters and unpaired surrogates broke queries or caused a 500 (A3); here, a clear error.
// eslint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f]/;
// A3: with or without an extension, according to abraunegg/onedrive (CON.txt, NUL.tar.gz).
const deviceName = /^(?:CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(?:\.|$)/i;
const reservedNames = new Set(['.lock', 'desktop.ini']);
// A3: commonly quoted, without an official source; counted in UTF-16 units like the path limit.
const maxNameLength = 255;
// A3: the entire decoded path, file name included.
const maxPathLength = 400;
/** A3: a session first writes `~tmpXX_<name>` next to the target, which takes seven characters of the path. */
export const temporaryPrefixLength = 7;

/** Throws SharePoint's error for an invalid name (A3). `path` is only for the message. */
export function checkName(name: string, kind: 'file' | 'folder', path = `/${name}`): void {
  if (name === '' || name === '.' || name === '..') throw badName('is empty or a relative segment');
  if (forbiddenCharacters.test(name)) throw badName('contains a forbidden character');
  if (unprintable.test(name) || !name.isWellFormed()) throw badName('contains an unprintable character');
  if (name.startsWith(' ') || name.endsWith(' ')) throw badName('starts or ends with a space');
  if (name.endsWith('.')) {
    throw invalidRequest(`Path (${path}) contains invalid trailing character.`, 'invalidPath');
  }
  if (name.toLowerCase() === 'forms') throw invalidRequest('Name is reserved for list forms folder.');
  if (deviceName.test(name) || reservedNames.has(name.toLowerCase())) throw badName('is reserved');
  if (name.toLowerCase().includes('_vti_') || name.startsWith('~$')) throw badName('is reserved');
  if (kind === 'folder' && name.startsWith('~')) throw badName('is a folder that starts with a tilde');
  if (name.length > maxNameLength) throw pathTooLong();
}

/** `reserved` is the additional length: the library's own path and, in a session, the temporary prefix. */
export function checkPathLength(path: string, reserved: number): void {
  if (path.length + reserved > maxPathLength) throw pathTooLong();
}

const badName = (reason: string) =>
  // SharePoint sends only the first sentence; the second is for developers who debug against the emulator.
  invalidRequest(`One of the provided arguments is not acceptable. The name ${reason}.`, 'invalidPath');

const pathTooLong = () =>
  new GraphError(400, 'invalidRequest', 'The specified file or folder name is too long.', {
    inner: ['pathIsTooLong'],
  });

/**
 * The map key of a name, identical for equal names. Names are case-insensitive (A2). Whether SharePoint treats NFC and NFD
 * as equal is unknown (A3), so there is a mode for each: compare with {@link sameName}.
 */
export const nameKey = (name: string) => name.normalize('NFC').toLowerCase();

export const sameName = (a: string, b: string, unicode: 'nfc' | 'exact') =>
  unicode === 'nfc' ? nameKey(a) === nameKey(b) : a.toLowerCase() === b.toLowerCase();

/** `Plan.pdf`, 2 → `Plan 2.pdf`; a folder name has the number at its end (A4). */
export function numberedName(name: string, number: number, kind: 'file' | 'folder'): string {
  const dot = kind === 'file' ? name.lastIndexOf('.') : -1;
  return dot > 0 ? `${name.slice(0, dot)} ${number}${name.slice(dot)}` : `${name} ${number}`;
}
