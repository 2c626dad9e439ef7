import { expect, test } from 'vitest';
import { rejection } from '../../kerberos/krb-error.ts';

const response = (code: number) => ({
  code,
  serverTime: 0,
  clientRealm: undefined,
  text: undefined,
  data: undefined,
});

// Active Directory sends errors 12 and 14 for Protected Users: a policy of their silo, or no key except AES.
test.each([
  [12, 'POLICY', /Protected Users.*ProtectedUserFailures-DomainController/],
  [14, 'ENCRYPTION_UNSUPPORTED', /allow AES for the account and set its password again.*Protected Users/],
  [18, 'ACCOUNT_REVOKED', /disabled, locked or expired/],
  [23, 'PASSWORD_EXPIRED', /must be changed/],
])('the message of error %i states what to do', (code, meaning, says) => {
  const error = rejection(response(code), 'svc@FIRMA.LOCAL');
  expect(error).toMatchObject({ code: meaning, krbError: code });
  expect(error.message).toMatch(says);
});
