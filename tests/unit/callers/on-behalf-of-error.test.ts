import { ServerError, type AuthError } from '@azure/msal-node';
import { expect, test } from 'vitest';
import { onBehalfOfError } from '../../../lib/callers/on-behalf-of-error.ts';

const rejected = (code: string, number = '', subError = '', message = ''): AuthError =>
  new ServerError(code, '', message, subError, number, 400);

// learn.microsoft.com/entra/identity-platform/reference-error-codes; the pairs of error and number vary.
test.each([
  ['a second factor by its number alone', rejected('invalid_grant', '50076'), 'interaction_required'],
  ['a second factor by its OAuth error alone', rejected('interaction_required'), 'interaction_required'],
  ['consent by its number', rejected('invalid_grant', '65001'), 'consent_missing'],
  ['consent by its OAuth error', rejected('consent_required'), 'consent_missing'],
  ['consent by its sub-error', rejected('invalid_grant', '', 'consent_required'), 'consent_missing'],
  ['a number before its OAuth error', rejected('interaction_required', '53003'), 'forbidden'],
  ['an unlisted number of conditional access', rejected('invalid_grant', '530084'), 'forbidden'],
  ['the same by another OAuth error', rejected('interaction_required', '53009'), 'forbidden'],
  ['a sign-in by device code that is blocked', rejected('invalid_grant', '530036'), 'sign_in_again'],
  ['a restriction of tenants', rejected('access_denied', '500021'), 'forbidden'],
  ['a guest who is not in the tenant', rejected('interaction_required', '90072'), 'forbidden'],
  ['a disabled API', rejected('invalid_resource', '500014'), 'identity_provider_unavailable'],
  [
    'a signature that this service accepted, for which a new sign-in is no help',
    rejected('invalid_grant', '50013', '', 'AADSTS50013: Assertion failed signature validation.'),
    'identity_provider_error',
  ],
  [
    'an assertion that has expired',
    rejected('invalid_grant', '50013', '', 'AADSTS50013: Assertion is not within its valid time range.'),
    'sign_in_again',
  ],
  ['an unknown number by its OAuth error', rejected('invalid_grant', '4711'), 'sign_in_again'],
  ['an unknown number and error', rejected('sesame', '4711'), 'identity_provider_error'],
])('%s', (_what, error, code) => {
  expect(onBehalfOfError(error, { status: 400, retryAfterSeconds: undefined, scopes: [] }).code).toBe(code);
});

test.each([
  ['a second factor', rejected('invalid_grant')],
  ['an unlisted number of conditional access', rejected('interaction_required', '530084')],
  ['a registered device', rejected('invalid_grant', '50097')],
])('%s with claims, which a new sign-in can meet, is interaction_required', (_what, error) => {
  const facts = { status: 400, retryAfterSeconds: undefined, scopes: [], claims: '{}' };
  expect(onBehalfOfError(error, facts).code).toBe('interaction_required');
});

test.each([
  [undefined, 'identity_provider_unavailable'],
  [429, 'identity_provider_unavailable'],
  [503, 'identity_provider_unavailable'],
  [200, 'identity_provider_error'],
  [400, 'identity_provider_error'],
] as const)('an error that is none of the provider, after a response with %s, is %s', (status, code) => {
  const facts = { status, retryAfterSeconds: undefined, scopes: ['Files.ReadWrite.All'] };
  expect(onBehalfOfError(new TypeError('no JSON'), facts)).toMatchObject({ code });
});
