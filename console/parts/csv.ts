type Cell = string | number | null | undefined;

/**
 * Rows as a file that spreadsheet programs open with a double click: with a byte order mark, because they would take it for
 * the code page of the system. A text that a program would calculate as a formula gets an apostrophe.
 *
 * @param separator `;` for German programs, which expect it because their numbers have commas
 */
export function csvOf(rows: readonly (readonly Cell[])[], separator: ',' | ';'): string {
  const field = (cell: Cell): string => {
    const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell ?? '');
    return /["\r\n;,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\uFEFF${rows.map((row) => row.map(field).join(separator)).join('\r\n')}\r\n`;
}
