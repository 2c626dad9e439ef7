import { expect, test } from 'vitest';
import { addressWarnings } from '../../../lib/activities/document-activity.ts';
import type { Contact } from '../../../lib/contacts/contact.ts';

const street = 'Hafenstraße 1';
const zip = '20457';
const city = 'Hamburg';

// Large companies have a postal code and no street.
test.each<[Partial<Contact>, readonly string[]]>([
  [{ street, zip, city }, []],
  [{ street, city }, []],
  [{ zip, city }, []],
  [{ city }, ['address_missing']],
  [{ street, zip }, ['address_missing']],
  [{}, ['address_missing']],
])('the address of a contact with %j', (contact, codes) => {
  expect(addressWarnings(contact as Contact, 'de').map(({ code }) => code)).toEqual(codes);
});
