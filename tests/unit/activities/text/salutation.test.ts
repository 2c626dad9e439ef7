import { expect, test } from 'vitest';
import { salutation } from '../../../../lib/activities/text/salutation.ts';
import { contact } from './writing-task.ts';

test.each([
  ['Frau Dr.', 'Anna', 'Weber', 'Sehr geehrte Frau Dr. Weber,', 'Dear Dr. Weber,'],
  ['Herr', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Herrn Prof. Dr.', 'Max', 'Meier', 'Sehr geehrter Herr Prof. Dr. Meier,', 'Dear Prof. Dr. Meier,'],
  ['frau', null, 'von der Heide', 'Sehr geehrte Frau von der Heide,', 'Dear Ms von der Heide,'],
  ['Familie', null, 'Schulz', 'Sehr geehrte Familie Schulz,', 'Dear Schulz family,'],
  ['Dr.', 'Kim', 'Yilmaz', 'Guten Tag Dr. Kim Yilmaz,', 'Dear Dr. Kim Yilmaz,'],
  [null, 'Kim', 'Yilmaz', 'Guten Tag Kim Yilmaz,', 'Dear Kim Yilmaz,'],
  ['Frauke', 'F.', 'Y', 'Guten Tag Frauke F. Y,', 'Dear Frauke F. Y,'],
  ['Herr', 'Max', null, 'Sehr geehrte Damen und Herren,', 'Dear Sir or Madam,'],
  [null, null, null, 'Sehr geehrte Damen und Herren,', 'Dear Sir or Madam,'],
])('%s %s %s: %s', (title, firstName, lastName, german, english) => {
  const to = { ...contact, title, firstName, lastName };
  expect(salutation(to, 'de-AT')).toBe(german);
  expect(salutation(to, 'en-GB')).toBe(english);
  expect(salutation(to, 'fr')).toBeNull();
});
