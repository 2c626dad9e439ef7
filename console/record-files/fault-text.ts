import { faultText, type Language } from '../texts/text-of-code.ts';
import type { RowFault } from './plan.ts';

/** The fault with its place in the file. */
export function rowFaultText({ line, column, code, params }: RowFault, language: Language): string {
  const [place, same] =
    language === 'de'
      ? [`Zeile ${line}`, `Steht schon in Zeile ${params?.['line']}.`]
      : [`Line ${line}`, `Is already in line ${params?.['line']}.`];
  const text = code === 'same_line' ? same : faultText({ path: '', code, params }, language);
  return `${column === undefined ? place : `${place}, „${column}“`}: ${text}`;
}
