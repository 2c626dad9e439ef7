import * as z from 'zod';
import { because } from './faults.ts';

/** The mandatory subfolders of every project, by their exact names (docs/http-contract.md, "Project folders"). */
export const subfolders = [
  '01_Angebote',
  '02_Aufträge',
  '03_Auftragsbestätigungen',
  '04_Rechnungen',
  '05_Verträge',
  '06_Subunternehmer',
  '07_Protokolle',
  '08_Ausschreibungen_Vergaben',
] as const;

export type Subfolder = (typeof subfolders)[number];

export const folderName = z.enum(subfolders, because('unknown_folder')).meta({
  id: 'FolderName',
  description: 'One of the subfolders of a project.',
});

/** As a caller sends it: with umlauts in any Unicode form. Any other name is `unknown_folder`. */
export const givenFolderName = z.preprocess(
  (name) => (typeof name === 'string' ? name.normalize('NFC') : name),
  folderName,
);
