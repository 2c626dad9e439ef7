import { expect, test } from 'vitest';
import {
  familyPseudonym,
  givenPseudonym,
  Pseudonyms,
} from '../../../../lib/activities/text/names/pseudonyms.ts';

test('a name has one pseudonym, and no other name has it', () => {
  const pseudonyms = new Pseudonyms('');
  const names = ['Weber', 'Schulz', 'Groß'].map((name) => pseudonyms.of(name, false));
  expect(new Set(names).size).toBe(3);
  expect(['Weber', 'Schulz', 'Groß'].map((name) => pseudonyms.of(name, false))).toEqual(names);
  expect(pseudonyms.restored(`Herr ${names[0]} und Frau ${names[2]}`)).toBe('Herr Weber und Frau Groß');
});

test.each([true, false])('a word of the order is no pseudonym (given name: %j)', (isGiven) => {
  const next = isGiven ? givenPseudonym : familyPseudonym;
  const pseudonyms = new Pseudonyms(`Die Firma ${next(0)} und ${next(1).toUpperCase()} liefern.`);
  const own = pseudonyms.of('Weber', isGiven);
  expect([next(0), next(1)]).not.toContain(own);
  expect(pseudonyms.restored(`${next(0)} liefert an ${own}`)).toBe(`${next(0)} liefert an Weber`);
});

test('a word of the order is no pseudonym, however many there are', () => {
  // All that can look unlike words.
  const data = Array.from({ length: 400 }, (_, index) => familyPseudonym(index)).join(' ');
  const pseudonyms = new Pseudonyms(data);
  expect(data.toLowerCase().split(' ')).not.toContain(pseudonyms.of('Weber', false).toLowerCase());
});

test('given and family names do not share one', () => {
  const pseudonyms = new Pseudonyms('');
  const all = Array.from({ length: 60 }, (_, index) => pseudonyms.of(`Name ${index}`, index % 2 === 0));
  expect(new Set(all.map((each) => each.toLowerCase())).size).toBe(60);
});
