import { z } from 'zod';
import { because } from '../contract/faults.ts';
import { textBeforeNfc } from '../contract/nfc.ts';
import type { RecordKind, SearchableRecords } from '../storage/searchable-records.ts';
import { mailRecipient } from './mail-recipient.ts';

// Of any version and variant, since the system of record generates them.
const uuid = z.string().regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, because('not_uuid'));

export const contactId = uuid.transform((id) => id.toLowerCase());

export const contactParams = z.strictObject({ contactId });

const maxLength = 200;

// Letters and addresses are single lines; a line break in one would break the letter's layout. An empty text
// is the same as an absent one, for the convenience of the system of record.
const line = textBeforeNfc(maxLength)
  .nullish()
  .transform((text) => text?.normalize('NFC').trim() || null)
  .pipe(
    z
      .string()
      .max(maxLength)
      .regex(/^\P{Cc}*$/u, because('control_characters'))
      .nullable(),
  );

const email = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null)
  // Any address that an email can be sent to, including internationalized ones; stored as given.
  .refine((text) => text === null || mailRecipient(text) !== null, because('not_email'));

export const newContact = z
  .strictObject({
    company: line,
    title: line,
    firstName: line,
    lastName: line,
    street: line,
    houseNumber: line,
    zip: line,
    city: line,
    email,
  })
  .refine((contact) => contact.lastName !== null || contact.company !== null, {
    message: because('name_or_company_required'),
  })
  .meta({ id: 'NewContact' });

const text = z.string().nullable();

export const contact = z
  .object({
    id: uuid,
    company: text,
    title: text,
    firstName: text,
    lastName: text,
    street: text,
    houseNumber: text,
    zip: text,
    city: text,
    email: text,
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact' });

export const contactPage = z
  .object({ items: z.array(contact), nextCursor: z.string().nullable() })
  .meta({ id: 'ContactPage' });

export type NewContact = z.output<typeof newContact>;
/** Absent values are null. */
export type Contact = z.output<typeof contact>;

/** In the order of last names, with the company if there is none. */
export const contactKind: RecordKind<NewContact> = {
  name: 'contact',
  fields: newContact.keyof().options,
  sortText: ({ lastName, company, firstName }) => [lastName ?? company, firstName].join(' '),
  searchText: ({ lastName, firstName, company, city, email }) =>
    [lastName, firstName, company, city, email].join(' '),
};

/** The contacts as the system of record has written them. */
export type ContactRecords = SearchableRecords<NewContact>;
