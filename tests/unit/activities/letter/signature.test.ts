import { expect, test } from 'vitest';
import { senderName } from '../../../../lib/activities/letter/signature.ts';
import type { User } from '../../../../lib/callers/caller.ts';

test.each([
  [{ givenName: 'Anna', familyName: 'Weber', name: 'Büro' }, 'Anna Weber'],
  [{ familyName: 'Weber', name: 'Anna Weber' }, 'Weber'],
  [{ name: 'Weber, Anna Maria' }, 'Anna Maria Weber'],
  [{ name: 'Anna Maria Weber' }, 'Anna Maria Weber'],
  [{ name: 'Weber' }, 'Weber'],
  [{}, ''],
])('the name of an account with %j is "%s"', (account, name) => {
  expect(senderName(account as User)).toBe(name);
});
