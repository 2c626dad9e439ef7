import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { subfolders } from '../../lib/contract/subfolders.ts';

// The project template of a construction company on its file server: beside the subfolders that the document library also
// has, a few sheets to fill in, and directories for plans and photographs. A path that ends with / is an empty directory.
const template: Record<string, string> = {
  '00_Projektinfo/LIESMICH.txt':
    'Diese Ordnerstruktur wurde aus der Projektvorlage angelegt.\r\nBitte keine Ordner der ersten Ebene umbenennen.\r\n',
  '00_Projektinfo/Projektstammblatt.csv':
    'Feld;Wert\r\nProjektnummer;\r\nBauherr;\r\nBauort;\r\nArchitekt;\r\nBaubeginn;\r\nFertigstellung;\r\n',
  '00_Projektinfo/Ansprechpartner.csv': 'Rolle;Name;Firma;Telefon;E-Mail\r\nBauleitung;;;;\r\nStatik;;;;\r\n',
  '01_Angebote/Kalkulation/Angebotskalkulation.csv':
    'Position;Leistung;Menge;Einheit;Einzelpreis;Gesamtpreis\r\n01;Baustelleneinrichtung;1;psch;;\r\n',
  '01_Angebote/Eingegangene Angebote/': '',
  '04_Rechnungen/Eingang/': '',
  '04_Rechnungen/Ausgang/': '',
  '04_Rechnungen/Abschlagszahlungen.csv': 'Nummer;Datum;Netto;USt;Brutto;bezahlt am\r\n',
  '05_Verträge/Bürgschaften/': '',
  '06_Subunternehmer/Freistellungsbescheinigungen/': '',
  '07_Protokolle/Baubesprechungen/Vorlage Besprechungsprotokoll.txt':
    'Besprechungsprotokoll Nr.\r\nDatum:\r\nTeilnehmer:\r\n\r\nTOP 1\r\n',
  '07_Protokolle/Abnahmen/Checkliste Übergabe.txt':
    '[ ] Mängel aufgenommen\r\n[ ] Schlüssel übergeben\r\n[ ] Revisionsunterlagen vollständig\r\n',
  '09_Pläne/Architektur/': '',
  '09_Pläne/Statik/': '',
  '09_Pläne/Haustechnik (Heizung, Sanitär, Elektro)/': '',
  '10_Fotos/': '',
};

/** Fills `folder` with the project template if it is empty; a kept template can have been edited. */
export async function seedProjectTemplate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) return;
  for (const name of subfolders) await mkdir(join(folder, name));
  for (const [path, content] of Object.entries(template)) {
    const full = join(folder, path);
    await mkdir(path.endsWith('/') ? full : dirname(full), { recursive: true });
    if (path.endsWith('/')) continue;
    await writeFile(full, content);
    // An old date, which shows that copies keep timestamps.
    await utimes(full, templateDate, templateDate);
  }
}

const templateDate = new Date('2024-03-01T08:00:00Z');
