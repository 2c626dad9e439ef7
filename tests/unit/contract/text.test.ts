import { expect, test } from 'vitest';
import { libraryId, text } from '../../../lib/contract/text.ts';

test.each(['.', '..', '', 'a/b', '../x', 'a\\b', 'a b', '%2e', 'ä', 'a\n', '\ud800', 'x'.repeat(301)])(
  '%j is no id of the library, which would be another path',
  (id) => {
    expect(libraryId.safeParse(id).error?.issues[0]?.message).toBe('not_library_id');
  },
);

test.each(['01ABCDEF', 'b!x-_.', '...', 'ABC!123', 'x'.repeat(300)])('%j is an id of the library', (id) => {
  expect(libraryId.parse(id)).toBe(id);
});

test('a text is well-formed and bounded, and is kept as given', () => {
  expect(
    text(3)
      .safeParse('a\udc00')
      .error?.issues.map(({ message }) => message),
  ).toEqual(['half_character']);
  expect(text(3).safeParse('abcd').error?.issues).toMatchObject([{ code: 'too_big', maximum: 3 }]);
  expect(text(3).parse('A\u0308 ')).toBe('A\u0308 ');
});
