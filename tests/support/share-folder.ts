import { parseShareFolder, type ShareFolder } from '../../agent/share-folder.ts';

/** A directory on a file server by its UNC path, as the agent's settings name it. */
export function shareFolder(unc: string): ShareFolder {
  const parsed = parseShareFolder(unc);
  if ('faults' in parsed) throw new Error(`${unc} ${parsed.faults.map(({ message }) => message).join('; ')}`);
  return parsed.folder;
}
