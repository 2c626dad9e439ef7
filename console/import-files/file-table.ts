import Papa from 'papaparse';

/** A file of records as a table of texts. */
export interface FileTable {
  readonly header: readonly string[];
  readonly rows: readonly FileRow[];
}

export interface FileRow {
  /** Where the row begins in the file, from 1; a cell can have several lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** UTF-8 with or without a mark, UTF-16 with one ("Unicode text" of Excel), otherwise Windows-1252, as Excel and Outlook export. */
function decodedText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Why a file is no table of text; null if it can be one. */
export function unreadableAs(bytes: Uint8Array): 'empty' | 'spreadsheet' | 'vcard' | 'binary' | null {
  const startsWith = (...start: number[]): boolean => start.every((byte, at) => bytes[at] === byte);
  // The archives of .xlsx and .ods, and the compound files of .xls.
  if (startsWith(0x50, 0x4b, 0x03, 0x04) || startsWith(0xd0, 0xcf, 0x11, 0xe0)) return 'spreadsheet';
  const text = decodedText(bytes);
  if (text.trim() === '') return 'empty';
  if (/^\s*BEGIN:VCARD/i.test(text)) return 'vcard';
  return text.includes('\0') ? 'binary' : null;
}

/** Separated by `;`, `,` or a tab. Rows without any text are left out. */
export function tableIn(bytes: Uint8Array): FileTable {
  const text = decodedText(bytes).replace(/^sep=.\r?\n/, '');
  const rows: FileRow[] = [];
  let line = 1;
  let read = 0;
  Papa.parse<string[]>(text, {
    delimiter: delimiterOf(text),
    step({ data, meta }) {
      const cells = data.map((cell) => cell.replaceAll(/\s+/g, ' ').trim());
      if (cells.some((cell) => cell !== '')) rows.push({ line, cells });
      for (; read < meta.cursor; read += 1) {
        if (text[read] === '\n') line += 1;
      }
    },
  });
  return { header: rows[0]?.cells ?? [], rows: rows.slice(1) };
}

/** The one that separates the most columns of the first row. Papa's own guess fails for few rows. */
function delimiterOf(text: string): string {
  const columnsWith = (delimiter: string): number =>
    Papa.parse<string[]>(text, { delimiter, preview: 1 }).data[0]?.length ?? 0;
  const [best = ';'] = [';', ',', '\t'].toSorted((one, other) => columnsWith(other) - columnsWith(one));
  return best;
}
