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
  // A joint venture of 168 characters, and a long name that fits.
  [
    {
      company:
        'Arbeitsgemeinschaft Neubau der Ortsumgehung Neukirchen-Vluyn, bestehend aus Ingenieurgemeinschaft für Hoch- und Tiefbau Schleswig-Holstein mbB und Straßenbau Nord GmbH',
      title: 'Frau Dr.',
      firstName: 'Anna',
      lastName: 'Weber',
      street,
      zip,
      city,
    },
    ['address_too_long'],
  ],
  [
    {
      company: 'Ingenieurgemeinschaft für Hoch- und Tiefbau Schleswig-Holstein mbB, Niederlassung Kiel',
      lastName: 'Weber',
      street,
      zip,
      city,
    },
    [],
  ],
  [{ company: 'Fassadensanierungsarbeitsgemeinschaften'.repeat(3), street, zip, city }, []],
  // A word of three lines, which is broken anywhere.
  [
    {
      company: 'Fassadensanierungsarbeitsgemeinschaften'.repeat(3),
      lastName: 'Weber',
      street,
      zip,
      city,
    },
    ['address_too_long'],
  ],
  // A line for each line of the address.
  [{ company: 'A\nB\nC\nD\nE', street, zip, city }, ['address_too_long']],
])('the address of a contact with %j', (contact, codes) => {
  expect(addressWarnings(contact, 'de').map(({ code }) => code)).toEqual(codes);
});
