import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';

const aSecret = new Secret('p4ssw0rd');

test.each([
  ['a string', String(aSecret)],
  ['JSON', JSON.stringify({ aSecret })],
  ['inspect', inspect({ nested: { aSecret } }, { depth: 9, showHidden: true })],
  ['concatenation', ['', aSecret].join('')],
  ['its own properties', JSON.stringify(Object.entries(aSecret))],
])('a secret does not appear in %s', (_where, shown) => {
  expect(shown).not.toContain('p4ssw0rd');
});

test('the value is returned by reveal()', () => {
  expect(aSecret.reveal()).toBe('p4ssw0rd');
});
