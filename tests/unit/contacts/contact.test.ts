import { expect, test } from 'vitest';
import { contactKind, newContact } from '../../../lib/contacts/contact.ts';

test('a last name or a company is enough; an absent, null or empty field is null', () => {
  expect(newContact.parse({ lastName: 'Müller', title: null, city: ' ' })).toEqual({
    externalId: null,
    company: null,
    title: null,
    firstName: null,
    lastName: 'Müller',
    street: null,
    houseNumber: null,
    zip: null,
    city: null,
    email: null,
  });
  expect(newContact.parse({ company: 'Bau GmbH' }).company).toBe('Bau GmbH');
});

test('text is trimmed and normalized to NFC', () => {
  expect(newContact.parse({ lastName: ' Mu\u0308ller ' }).lastName).toBe('M\u00fcller');
});

test.each([
  [{ firstName: 'Anna' }, /name_or_company_required/],
  [{ lastName: 'x'.repeat(201) }, /200/],
  [{ lastName: 'A', phone: '1' }, /phone/],
])('rejects %j', (body, reason) => {
  const { error } = newContact.safeParse(body);
  expect(error?.message).toMatch(reason);
});

test('an email address is one address, and stays as it was entered', () => {
  expect(newContact.parse({ lastName: 'A', email: ' müller@straße.de ' }).email).toBe('müller@straße.de');
  const two = { lastName: 'A', email: 'a@x.de,b@x.de' };
  expect(newContact.safeParse(two).error?.message).toMatch(/not_email/);
});

test('contacts are sorted by last name, or by company if there is none', () => {
  const sortText = (body: object) => contactKind.sortText(newContact.parse(body));
  expect(sortText({ lastName: 'Weber', firstName: 'Anna', company: 'Bau GmbH' })).toBe('Weber Anna');
  expect(sortText({ company: 'Bau GmbH' })).toBe('Bau GmbH ');
});
