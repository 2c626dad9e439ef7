import { nameMatcher } from '../smb/index.ts';

/**
 * What programs and file servers leave in folders that they work in: locks of files that are open, thumbnails, recycle bins.
 * In a new project it would be debris, and a lock would say that somebody has a document open.
 */
const builtInSkipPatterns: readonly string[] = [
  // Locks and temporary files of Office, LibreOffice and AutoCAD
  '~$*',
  '~WRL*.tmp',
  '~WRD*.tmp',
  '.~lock.*#',
  '*.dwl',
  '*.dwl2',
  // Windows and macOS
  'Thumbs.db',
  'desktop.ini',
  '.DS_Store',
  '._*',
  '$RECYCLE.BIN',
  'System Volume Information',
  // NAS appliances and Samba
  '@eaDir',
  '#recycle',
  '.recycle',
];

/** The word that empties the list. */
const noBuiltIns = 'none';

export type IsSkipped = (name: string) => boolean;

/** @param given FOLDER_AGENT_TEMPLATE_SKIP: more patterns, or `none` first for these alone */
export function skipRule(given: readonly string[] = []): IsSkipped {
  const patterns = given[0] === noBuiltIns ? given.slice(1) : [...builtInSkipPatterns, ...given];
  const matchers = patterns.map(nameMatcher);
  return (name) => matchers.some((matches) => matches(name));
}
