import { expect, test } from 'vitest';
import { withText } from '../../../lib/activities/document-activity.ts';
import { explainRejection } from '../../../lib/activities/explained-rejection.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';
import { LibraryError } from '../../../lib/document-library/library-error.ts';

const text = { subject: 'Abnahme', content: 'Text' };
const bug = new TypeError('a bug');

test('a failure after the text is written carries the text; a bug is no failure of the letter', () => {
  expect(withText(new LibraryError('full'), text)).toMatchObject({
    code: 'library_full',
    facts: { members: text },
  });
  expect(withText(bug, text)).toBe(bug);
});

test.each([
  ['a bug', bug],
  ['a failure of another part', new ServiceError('ai_provider_error')],
  ['an end of the sign-in', new LibraryError('unauthenticated')],
])('%s has its own words', (_what, error) => {
  expect(explainRejection(error, [], 'The drive of the signed-in user')).toBe(error);
});
