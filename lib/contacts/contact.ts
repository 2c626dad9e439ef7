import * as z from 'zod';
import { optionalLine } from '../base/line.ts';
import { because } from '../contract/faults.ts';
import { textBeforeNfc } from '../contract/nfc.ts';
import { givenUuid } from '../contract/text.ts';
import type { RecordKind, SearchableRecords } from '../master-data/searchable-records.ts';
import { mailRecipient, maxRecipientLength } from './mail-recipient.ts';

// The system of record generates it.
export const contactId = givenUuid;

// Letters and addresses are single lines; a line break in one would break the letter's layout.
const line = optionalLine(200);

const email = textBeforeNfc(maxRecipientLength)
  .nullish()
  .transform((text) => text?.trim() || null)
  // Any address that an email can be sent to, including internationalized ones; stored as given.
  .refine((text) => text === null || mailRecipient(text) !== null, because('not_email'));

export const newContact = z
  .strictObject({
    externalId: line,
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

export const contactItem = newContact.safeExtend({ id: contactId.optional() }).meta({ id: 'ContactItem' });

const text = z.string().nullable();
const fields = newContact.keyof().options;
const texts = Object.fromEntries(fields.map((name) => [name, text])) as Record<
  (typeof fields)[number],
  typeof text
>;

export const contact = z
  .object({ id: z.string(), ...texts, updatedAt: z.iso.datetime() })
  .meta({ id: 'Contact' });

export type NewContact = z.output<typeof newContact>;
/** What activities use of it. Absent values are null. */
export type Contact = Omit<z.output<typeof contact>, 'externalId'>;

/** In the order of last names, with the company if there is none. */
export const contactKind: RecordKind<NewContact> = {
  name: 'contact',
  fields,
  sortText: ({ lastName, company, firstName }) => [lastName ?? company, firstName].join(' '),
  searchText: ({ lastName, firstName, company, city, email }) =>
    [lastName, firstName, company, city, email].join(' '),
};

/** The contacts as the system of record has written them. */
export type ContactRecords = SearchableRecords<NewContact>;
