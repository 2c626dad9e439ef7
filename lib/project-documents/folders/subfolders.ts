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

/** The subfolder of that name, with umlauts in any Unicode form; or undefined. */
export const subfolderNamed = (name: string): Subfolder | undefined =>
  subfolders.find((subfolder) => subfolder === name.normalize('NFC'));
