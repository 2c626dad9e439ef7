import Papa from 'papaparse';

type Cell = string | number | null | undefined;

const hasFormulaInside = (value: unknown): boolean =>
  typeof value === 'string' && /[,;\t|]\s*[=+@-]/.test(value);

/**
 * Rows as a file that spreadsheet programs open with a double click: with a byte order mark, because they would take it for
 * the code page of the system. A text that a program would calculate as a formula gets an apostrophe, and one that would
 * become a formula in a program with another separator is quoted.
 *
 * @param delimiter `;` for German programs, which expect it because their numbers have commas
 */
export const csvOf = (rows: readonly (readonly Cell[])[], delimiter: ',' | ';'): string =>
  `\uFEFF${Papa.unparse(rows as Cell[][], { delimiter, escapeFormulae: true, quotes: hasFormulaInside })}\r\n`;
