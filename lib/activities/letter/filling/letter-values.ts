import type { Letter } from './letter-module.ts';
import { momentAs } from './letter-moment.ts';
import { isPlaceholder, placeholders } from './placeholders.ts';

const dateField = /^\s*(DATE|TIME|CREATEDATE|SAVEDATE)(?![A-Z])(?:.*?\\@\s*(?:"([^"]*)"|([^\s"\\]+)))?/is;

/** Whether the code of a field is that of a date, which changes with the day. */
export const isDateField = (code: string): boolean => dateField.test(code);

/** What the text between `{{` and `}}` stands for; `null` if there is no such placeholder. */
export function valueOf(tag: string): ((letter: Letter) => string) | null {
  const name = tag.trim();
  if (isPlaceholder(name)) return ({ values }) => values[name];
  const [, field, quoted, bare] = dateField.exec(name) ?? [];
  if (field === undefined) return null;
  const kind = field.toUpperCase() as 'DATE';
  return ({ moment }) => momentAs(kind, quoted ?? bare ?? null, moment);
}

/** Characters of no width, and spaces, which an editor or a copied text may have put into a name. */
const invisible = /[\s\p{Cf}]/gu;

export function unknownPlaceholder(name: string): string {
  const plain = name.replaceAll(invisible, '').toLowerCase();
  const meant = placeholders.find((placeholder) => placeholder.toLowerCase() === plain);
  const isAlike =
    meant !== undefined && name.replaceAll(invisible, '') === meant && name.length > meant.length;
  const hint =
    meant === undefined
      ? `known placeholders are ${placeholders.join(', ')}`
      : `${isAlike ? 'it has spaces or invisible characters inside; ' : ''}did you mean {{${meant}}}?`;
  return `{{${name.length > 80 ? `${name.slice(0, 80)}…` : name}}} is not a placeholder: ${hint}`;
}
