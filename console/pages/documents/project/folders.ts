import type { components } from '../../../openapi/openapi-types.ts';
import { valuesOf } from '../../../api/values-of.ts';

export type FolderName = components['schemas']['Document']['folderName'];

/** The folders of every project, in the order of their numbers. */
export const folders = valuesOf<FolderName>({
  '01_Angebote': true,
  '02_Aufträge': true,
  '03_Auftragsbestätigungen': true,
  '04_Rechnungen': true,
  '05_Verträge': true,
  '06_Subunternehmer': true,
  '07_Protokolle': true,
  '08_Ausschreibungen_Vergaben': true,
});

/** One of these folders, or a folder below it. */
export interface Folder {
  readonly folderName: FolderName;
  /** Empty at the top. */
  readonly folderPath: string;
}

export const topFolders: readonly Folder[] = folders.map((folderName) => ({ folderName, folderPath: '' }));

/** The folder's path in the project. */
export const pathOf = ({
  folderName,
  folderPath,
}: {
  readonly folderName: string;
  readonly folderPath: string;
}): string => (folderPath === '' ? folderName : `${folderName}/${folderPath}`);
