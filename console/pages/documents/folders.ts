import type { Schemas } from '../../api/client.ts';

export type FolderName = Schemas['Document']['folderName'];

/** The folders of every project, in the order of the specification. */
export const folders = [
  '01_Angebote',
  '02_Aufträge',
  '03_Auftragsbestätigungen',
  '04_Rechnungen',
  '05_Verträge',
  '06_Subunternehmer',
  '07_Protokolle',
  '08_Ausschreibungen_Vergaben',
] as const satisfies readonly FolderName[];
