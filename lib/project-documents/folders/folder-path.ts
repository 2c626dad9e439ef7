import { because, reason, type Reason } from '../../contract/faults.ts';
import { textBeforeNfc } from '../../contract/nfc.ts';
import { fileNameFault } from '../../document-library/file-name.ts';

// The library allows 400 characters for a whole path, with those of the library, the root folder and the file.
const maxPathLength = 300;
const maxFolders = 32;

/** The names of the folders of a path; none for an empty one. */
export const namesIn = (folderPath: string): readonly string[] =>
  folderPath === '' ? [] : folderPath.split('/');

/** The rule that a path of folders below a subfolder breaks, or null. Each name obeys the library's rules for names. */
function folderPathFault(path: string): Reason | null {
  const names = namesIn(path);
  if (path.length > maxPathLength) return reason('too_long', { max: maxPathLength });
  if (names.length > maxFolders) return reason('too_many', { max: maxFolders });
  for (const name of names) {
    if (name === '') return reason('path_empty_name', { part: 'folder' });
    if (name === '.' || name === '..') return reason('path_dots', { part: 'folder', name });
    const fault = fileNameFault(name);
    if (fault) return fault;
    // Drive rule A3: of a folder only.
    if (name.startsWith('~')) return reason('reserved_start', { start: '~' });
  }
  return null;
}

/** As a caller sends it: with umlauts in any Unicode form, and possibly a slash at its ends. */
export const givenFolderPath = textBeforeNfc(maxPathLength)
  .transform((path) => path.normalize('NFC').replaceAll(/^\/|\/$/g, ''))
  .superRefine((path, context) => {
    const fault = folderPathFault(path);
    if (fault) context.addIssue({ code: 'custom', message: because(fault.code), params: fault.params });
  })
  .meta({
    description: 'Folders below folderName, separated by /; those that do not exist are created.',
    example: '2026/Q1',
  });
