/** The names a Word template may use, each written `{{name}}` (docs/http-contract.md, "Word template"). */
export const placeholders = [
  'company',
  'title',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'zip',
  'city',
  'subject',
  'content',
  'userFirstName',
  'userLastName',
  'userEmail',
  'userPhone',
  'userFax',
  'userCompany',
  'userStreet',
  'userPostalCode',
  'userCity',
] as const;

export type Placeholder = (typeof placeholders)[number];

/** One text per placeholder; an unknown value is the empty string. */
export type LetterValues = Record<Placeholder, string>;

export function isPlaceholder(name: string): name is Placeholder {
  return (placeholders as readonly string[]).includes(name);
}
