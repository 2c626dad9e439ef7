import { expect, test } from 'vitest';
import { senderName, signatureOf } from '../../../../lib/activities/letter/filling/signature.ts';
import type { User } from '../../../../lib/callers/caller.ts';
import { LibraryError } from '../../../../lib/document-library/library-error.ts';

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

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const signature = (get: () => Promise<unknown>): ReturnType<typeof signatureOf> => {
  const user = { name: 'Weber, Anna', email: 'anna@firma.example' } as User;
  return signatureOf({ get }, user, 'de', silent);
};

test('a profile of an unexpected form is replaced by the claims of the token, with a warning', async () => {
  const { signature: made, warnings } = await signature(async () => ({ businessPhones: '+49 431 1' }));
  expect(made).toMatchObject({
    userFirstName: 'Anna',
    userLastName: 'Weber',
    userEmail: 'anna@firma.example',
  });
  expect(warnings).toMatchObject([{ code: 'profile_unavailable' }]);
});

test('a user who must sign in again gets no letter', async () => {
  const error = new LibraryError('unauthenticated');
  await expect(signature(() => Promise.reject(error))).rejects.toBe(error);
});

test.each([
  [{ mail: 'anna@firma.example', userPrincipalName: 'a.weber@firma.example' }, 'anna@firma.example'],
  [{ mail: null, userPrincipalName: 'a.weber@firma.example' }, 'a.weber@firma.example'],
  // Of a guest: nobody could answer to it.
  [{ mail: null, userPrincipalName: 'anna_gmail.com#EXT#@firma.onmicrosoft.com' }, ''],
  [
    { mail: 'anna@gmail.com', userPrincipalName: 'anna_gmail.com#EXT#@firma.onmicrosoft.com' },
    'anna@gmail.com',
  ],
])('the address of %j is "%s"', async (profile, address) => {
  expect((await signature(async () => profile)).signature.userEmail).toBe(address);
});
