const contactNames = [
  'company',
  'title',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'zip',
  'city',
] as const;
const userNames = [
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

/** The names a Word template may use, each written `{{name}}` (tools/letter-template/README.md says what each is). */
export const placeholders = [...contactNames, 'subject', 'content', ...userNames] as const;

export type Placeholder = (typeof placeholders)[number];

/** One text per placeholder; an unknown value is the empty string. */
export type LetterValues = Record<Placeholder, string>;

/** The part about the user who creates the letter. */
export type Signature = Record<(typeof userNames)[number], string>;

type ContactName = (typeof contactNames)[number];

/** The part about the recipient. */
export const contactValues = (contact: Readonly<Record<ContactName, string | null>>) =>
  Object.fromEntries(contactNames.map((name) => [name, contact[name] ?? ''])) as Record<ContactName, string>;

export function isPlaceholder(name: string): name is Placeholder {
  return (placeholders as readonly string[]).includes(name);
}
