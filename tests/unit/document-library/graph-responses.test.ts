import { expect, test } from 'vitest';
import { claimsChallenge, contentUrlOf } from '../../../lib/document-library/graph-responses.ts';

const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });

test.each([
  'https://contoso.sharepoint.com/_layouts/15/Throttle.htm',
  'https://contoso-my.sharepoint.com/_layouts/15/FraudThrottle.htm#2052',
  'https://contoso.sharepoint.com/sites/a/_layouts/15/AccessDenied.aspx?Source=https%3A%2F%2Fx',
  'https://contoso.sharepoint.com/_forms/default.aspx',
  'https://login.microsoftonline.com/common/oauth2/authorize?client_id=1',
  '/_layouts/15/Throttle.htm',
])('a redirect to a page is no content: %s', (location) => {
  expect(contentUrlOf(redirect(location))).toBeNull();
});

test.each([
  'https://contoso.sharepoint.com/sites/a/_layouts/15/download.aspx?UniqueId=1&tempauth=v1.x',
  'https://westeurope1-mediap.svc.ms/transform/pdf?provider=spo',
  'https://contoso.sharepoint.com/_api/v2.0/drives/b!1/items/01A/content?tempauth=x',
])('a redirect to content is one: %s', (location) => {
  expect(contentUrlOf(redirect(location))).toBe(location);
});

test.each([
  [401, ''],
  [403, ''],
  [400, undefined],
  [429, undefined],
])('the claims of a response with status %i: %j', (status, claims) => {
  const headers = { 'www-authenticate': 'Bearer error="insufficient_claims"' };
  expect(claimsChallenge(new Response(null, { status, headers }))).toBe(claims);
});
