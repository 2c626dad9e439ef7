import { expect, test } from 'vitest';
import { eventLog } from '../../../lib/base/event-log.ts';
import {
  LibraryError,
  libraryErrorOf,
  mayHaveTakenEffect,
} from '../../../lib/document-library/library-error.ts';

test("the log has the error's own class name, not its parent's", () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const error = new LibraryError('denied');
  eventLog({ info: write, warn: write, error: write }).error('request_failed', {}, error);
  expect(error.name).toBe('LibraryError');
  expect(JSON.parse(lines[0]!).error).toMatch(/^LibraryError: /);
});

const retained = /retention policy.*retention label.*hold/;

// Graph's text is for the log only: the detail has none of it.
test.each<[string, string, number, object, string, RegExp]>([
  [
    'a locked file',
    'PUT',
    423,
    { code: 'notAllowed', innerError: { code: 'resourceLocked' } },
    'document_locked',
    /open in an editor\.$/,
  ],
  ['a locked site, for a reader', 'GET', 423, { code: 'notAllowed' }, 'library_locked', /archived/],
  [
    'a locked site, in its text',
    'POST',
    423,
    { code: 'notAllowed', message: 'Access to this site has been blocked.' },
    'library_locked',
    /archived/,
  ],
  ['a lock of something', 'PUT', 423, { code: 'notAllowed' }, 'document_locked', /without saying of what/],
  [
    'a locked file, in its inner code',
    'PUT',
    409,
    { innerError: { code: 'resourceLocked' } },
    'document_locked',
    /./,
  ],
  [
    'a locked file, in its text',
    'PUT',
    403,
    { message: 'Lock token does not match' },
    'document_locked',
    /./,
  ],
  [
    'a file that is checked out',
    'PUT',
    423,
    {
      code: 'accessDenied',
      message: 'The file is currently checked out or locked for editing by another user.',
    },
    'document_locked',
    /open in an editor\.$/,
  ],
  [
    'a library that requires a check-out',
    'PATCH',
    423,
    { message: 'The file is not checked out. You must first check out this document.' },
    'document_locked',
    /without saying of what/,
  ],
  [
    'a locked site, as missing rights',
    'POST',
    403,
    { code: 'accessDenied', message: 'Additions to this Web site have been blocked.' },
    'library_locked',
    /archived/,
  ],
  [
    'an address of before the tenant got another name',
    'GET',
    400,
    { code: 'invalidRequest', message: 'Provided id has an invalid hostname for this tenancy' },
    'library_error',
    /another address/,
  ],
  ['a full library', 'POST', 507, {}, 'library_full', /quota/],
  ['a full library, in its code', 'POST', 400, { code: 'quotaLimitReached' }, 'library_full', /quota/],
  ['missing rights', 'POST', 403, { code: 'accessDenied' }, 'library_access_denied', /API permissions/],
  ['a policy, by its code', 'PUT', 403, { code: 'notAllowed' }, 'library_access_denied', /policy of the org/],
  [
    'a policy, in its text',
    'GET',
    403,
    { code: 'accessDenied', message: 'Access is blocked by a policy of your organization.' },
    'library_access_denied',
    /policy of the org/,
  ],
  [
    'too many items, in its text',
    'GET',
    429,
    { code: 'throttledRequest', message: 'It exceeds the list view threshold.' },
    'library_error',
    /list view threshold/,
  ],
  [
    'missing rights to delete',
    'DELETE',
    403,
    { message: 'Access denied.' },
    'library_access_denied',
    /API perm/,
  ],
  [
    'a hold',
    'DELETE',
    403,
    { message: "it's possible that it's on hold" },
    'library_access_denied',
    retained,
  ],
  ['a hold as 409', 'DELETE', 409, { message: 'The item is on hold.' }, 'library_access_denied', retained],
  [
    'a retention label',
    'DELETE',
    403,
    { message: 'It has a retention label' },
    'library_access_denied',
    retained,
  ],
  [
    'another conflict',
    'DELETE',
    409,
    { message: 'Save conflict.' },
    'library_error',
    /does not delete.*conflict/,
  ],
  [
    'a change at the same time',
    'DELETE',
    409,
    { code: 'resourceModified' },
    'library_error',
    /changed.*same time/,
  ],
  ['another tag', 'DELETE', 412, {}, 'library_error', /changed.*same time/],
  [
    'malware',
    'DELETE',
    403,
    { code: 'x', innerError: { code: 'malwareDetected' } },
    'library_error',
    /malware/,
  ],
  [
    'a suspected virus',
    'GET',
    403,
    { innerError: { code: 'virusSuspicious' } },
    'library_error',
    /malware scan/,
  ],
  ['a bad request', 'GET', 400, { code: 'invalidRequest' }, 'library_error', /does not know/],
  ['a bad request to delete', 'DELETE', 400, { code: 'invalidRequest' }, 'library_error', /does not know/],
  [
    'a bad request to upload',
    'POST',
    400,
    { code: 'UnknownError', message: '' },
    'library_error',
    /does not know/,
  ],
  [
    'a bad name',
    'POST',
    400,
    { code: 'invalidRequest', innerError: { code: 'invalidPath' } },
    'invalid_request',
    /name/,
  ],
  [
    'a reserved name',
    'PUT',
    400,
    { code: 'invalidRequest', message: 'Name is reserved for list forms folder.' },
    'invalid_request',
    /name/,
  ],
  [
    'a column with a default',
    'POST',
    400,
    { code: 'invalidRequest', message: 'One of the provided arguments is not acceptable' },
    'library_rule',
    /default value of a column/,
  ],
  [
    'a validation',
    'PATCH',
    500,
    { message: 'List data validation failed.' },
    'library_rule',
    /validation of the list/,
  ],
  [
    'an expired token, which a validation has rejected, too',
    'GET',
    401,
    { code: 'InvalidAuthenticationToken', message: 'Lifetime validation failed, the token is expired.' },
    'sign_in_again',
    /sign-in/,
  ],
  [
    'a required column',
    'POST',
    400,
    { message: 'You must fill out all required properties before checking in this document.' },
    'library_rule',
    /required column/,
  ],
  [
    'no license',
    'GET',
    400,
    { code: 'BadRequest', message: 'Tenant does not have a SPO license.' },
    'library_access_denied',
    /license/,
  ],
  [
    'a path that is too long',
    'POST',
    400,
    { innerError: { code: 'pathIsTooLong' } },
    'invalid_request',
    /400/,
  ],
  ['a file that is too large', 'PUT', 413, {}, 'file_too_large', /larger/],
  ['a fragment that does not fit', 'PUT', 416, { code: 'invalidRange' }, 'library_error', /a part/],
  ['a name that is taken', 'POST', 409, { code: 'nameAlreadyExists' }, 'library_error', /already has/],
  [
    'another conflict of an upload',
    'POST',
    409,
    { code: 'generalException' },
    'library_error',
    /does not know/,
  ],
  ['an expired token', 'GET', 401, {}, 'sign_in_again', /sign in/],
  ['a site that has moved', 'GET', 308, {}, 'library_error', /another address/],
  ['a missing item', 'GET', 404, { code: 'itemNotFound' }, 'library_error', /no longer/],
  ['a busy library', 'GET', 503, {}, 'library_throttled', /busy/],
  ['a feature that the library lacks', 'GET', 501, {}, 'library_error', /does not know/],
])('%s (%s, %i) is told with its cause', (_what, method, status, error, code, detail) => {
  const body = JSON.stringify({ error: { message: 'text of Graph', ...error } });
  const told = libraryErrorOf({ status, headers: new Headers(), body }, { method });
  expect(told.code).toBe(code);
  expect(told.facts.detail).toMatch(detail);
  expect(told.facts.detail).not.toContain((error as { message?: string }).message || 'text of Graph');
});

test('a failed request may have taken effect without a response, or with one of a gateway; no other may', () => {
  const rejected = (status: number) =>
    libraryErrorOf({ status, headers: new Headers(), body: '' }, { method: 'PUT' });
  expect(mayHaveTakenEffect(new LibraryError('busy'))).toBe(true);
  expect([500, 502, 504].map((status) => mayHaveTakenEffect(rejected(status)))).toEqual([true, true, true]);
  expect([400, 404, 409, 429, 499].some((status) => mayHaveTakenEffect(rejected(status)))).toBe(false);
  expect(mayHaveTakenEffect(new Error('a bug'))).toBe(false);
});
