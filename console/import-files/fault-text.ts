import { faultText, type Language } from '../texts/text-of-code.ts';
import type { PlannedRecord, RowFault } from './plan.ts';

/** The fault with its place in the file. */
export function rowFaultText({ line, column, code, params }: RowFault, language: Language): string {
  const [place, same] =
    language === 'de'
      ? [`Zeile ${line}`, `Steht schon in Zeile ${params?.['line']}.`]
      : [`Line ${line}`, `Is already in line ${params?.['line']}.`];
  const own: Readonly<Record<string, string | undefined>> =
    language === 'de'
      ? {
          same_line: same,
          exchange_address: 'Das ist eine interne Adresse von Exchange; sie wird weggelassen.',
          short_zip: `Vier Ziffern: ${params?.['zip']}?`,
          private_address: `Ist leer; übernommen wird die private Adresse: ${params?.['address']}.`,
        }
      : {
          same_line: same,
          exchange_address: 'This is an internal address of Exchange; it is left out.',
          short_zip: `Four digits: ${params?.['zip']}?`,
          private_address: `Is empty; the private address is used: ${params?.['address']}.`,
        };
  const text = own[code] ?? faultText({ path: '', code, params }, language);
  return `${column === undefined ? place : `${place}, „${column}“`}: ${text}`;
}

/** Why a file cannot be imported, and what to do. */
export function fileFaultText(
  fault: 'empty' | 'spreadsheet' | 'vcard' | 'binary',
  language: Language,
): string {
  const [what, how] =
    language === 'de'
      ? [
          {
            empty: 'Die Datei ist leer.',
            spreadsheet: 'Das ist eine Arbeitsmappe.',
            vcard: 'Das ist eine vCard.',
            binary: 'Das ist keine Textdatei.',
          },
          'Speichern Sie die Tabelle als „CSV UTF-8“ und wählen Sie diese Datei.',
        ]
      : [
          {
            empty: 'The file is empty.',
            spreadsheet: 'This is a workbook.',
            vcard: 'This is a vCard.',
            binary: 'This is not a text file.',
          },
          'Save the table as “CSV UTF-8” and choose that file.',
        ];
  return `${what[fault]} ${how}`;
}

function nameAndAddress(record: Readonly<Record<string, unknown>>): string {
  const textIn = (fields: readonly string[]): string =>
    fields
      .map((field) => record[field])
      .filter((value) => typeof value === 'string' && value !== '')
      .join(' ');
  const parts = [
    ['title', 'firstName', 'lastName'],
    ['company'],
    ['street', 'houseNumber'],
    ['zip', 'city'],
    ['email'],
  ];
  return parts
    .map(textIn)
    .filter((text) => text !== '')
    .join(', ');
}

/** A row and the stored contacts that it resembles, with both addresses. */
export function resemblanceText({ line, item, resembling }: PlannedRecord, language: Language): string {
  const stored = resembling.map(nameAndAddress).join('; ');
  return language === 'de'
    ? `Zeile ${line}: ${nameAndAddress(item)} – gespeichert ist ${stored}`
    : `Line ${line}: ${nameAndAddress(item)} – stored is ${stored}`;
}
