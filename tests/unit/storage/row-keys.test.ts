import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from '../../../lib/master-data/search-words.ts';
import { rowKeys as ofRecords, scopes, seenKeys } from '../../../lib/master-data/row-keys.ts';
import { indexedWords, keyWordOf } from '../../../lib/master-data/word-index.ts';
import { documentKey } from '../../../lib/project-documents/document-records/document-key.ts';
import { rowKeys as ofProjects } from '../../../lib/project-documents/folders/row-keys.ts';
import type { KeyKind } from '../../../lib/storage/row-keys.ts';
import { anyCharacter } from '../../support/any-character.ts';

const id = fc.uuid();
const anyText = fc.string({ unit: anyCharacter });
const itemKey = anyText.map((itemId) => documentKey('any', itemId).itemKey);
const word = anyText.map((text) => indexedWords(foldText(text))[0] ?? 'wort');
const sort = anyText.map((text) => keyWordOf(foldText(text)));
const number = (digits: number) =>
  fc.nat({ max: 10 ** digits - 1 }).map((value) => String(value).padStart(digits, '0'));

const values = {
  file: fc.record({ itemKey }),
  list: fc.record({ uploadedAtMs: fc.nat({ max: 9_999_999_999_999 }), itemKey }),
  aside: fc.record({ itemKey }),
  upload: fc.record({ uploadId: id }),
  ofUser: fc.record({ userId: id, uploadId: id }),
  names: fc.record({ projectId: id, row: fc.oneof(number(2), fc.constant('complete')) }),
  sharedWords: fc.record({
    start: word.map((text) => text.slice(0, 2).toWellFormed()),
    batch: id,
    number: number(4),
  }),
  record: fc.record({ id }),
  listed: fc.record({ sort, id }),
  word: fc.record({ word, id }),
  listedById: fc.record({ id }),
} satisfies Record<keyof typeof ofProjects | keyof typeof ofRecords, fc.Arbitrary<object>>;

const kinds = Object.entries({ ...ofProjects, ...ofRecords }) as [keyof typeof values, KeyKind<any>][];
const anyKey = fc
  .constantFrom(...kinds)
  .chain(([name, kind]) =>
    values[name].map((parts: object) => ({ name, kind, parts, key: kind.of(parts as never) })),
  );

test('every key of a project and of a record is read as what it was built from, and as no other kind', () => {
  fc.assert(
    fc.property(anyKey, ({ name, kind, parts, key }) => {
      expect(kind.parse(key)).toEqual(parts);
      const others = kinds.filter(([other]) => other !== name);
      expect(others.filter(([, each]) => each.parse(key) !== undefined)).toEqual([]);
      const { from, to } = kind.all;
      expect(key >= from && key < to).toBe(true);
    }),
  );
});

test('keys with the first values of another are a range of their own', () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      fc.pre(one !== other);
      const { from, to } = ofProjects.ofUser.within({ userId: one });
      const key = (userId: string) => ofProjects.ofUser.of({ userId, uploadId: other });
      expect([key(one) >= from && key(one) < to, key(other) >= from && key(other) < to]).toEqual([
        true,
        false,
      ]);
    }),
  );
});

test('the list has the newest first, words before longer ones, and scopes apart', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), id, (one, other, uploadId) => {
      fc.pre(one !== other);
      const key = (uploadedAtMs: number) => ofProjects.list.of({ uploadedAtMs, itemKey: 'a'.repeat(16) });
      expect(key(one) < key(other)).toBe(one > other);
      const seen = seenKeys(uploadId);
      expect(seen.parse(seen.of({ name: 'a'.repeat(22) }))).toEqual({ name: 'a'.repeat(22) });
    }),
  );
  const words = ['bau', 'bauer', 'baum'].map((each) => ofRecords.word.of({ word: each, id: 'z' }));
  expect(words.toSorted()).toEqual(words);
  expect(scopes.external('R!"\\/')).toMatch(/^E![\w-]{22}!$/);
});

// Tables of earlier releases have them.
test('the keys are those of 1.0', () => {
  const item = '9abcdef012345678';
  expect([
    ofProjects.file.of({ itemKey: item }),
    ofProjects.list.of({ uploadedAtMs: 1_750_000_000_000, itemKey: item }),
    ofProjects.aside.of({ itemKey: item }),
    ofProjects.upload.of({ uploadId: 'u' }),
    ofProjects.ofUser.of({ userId: 'p', uploadId: 'u' }),
    ofProjects.names.of({ projectId: 'p', row: '07' }),
    ofProjects.sharedWords.of({ start: 'ba', batch: 'b', number: '0001' }),
    ofRecords.record.of({ id: '1' }),
    ofRecords.listed.of({ sort: 'muster bau', id: '1' }),
    ofRecords.word.of({ word: 'bau', id: '1' }),
    `${scopes.archived}${ofRecords.listedById.of({ id: '1' })}`,
  ]).toEqual([
    'file-9abcdef012345678',
    'list-8249999999999-9abcdef012345678',
    'aside-9abcdef012345678',
    'upload-u',
    'of-p-u',
    'names!p!07',
    'B!ba!b!0001',
    'R!1',
    'L!muster bau!1',
    'W!bau!1',
    'A!L!1',
  ]);
});
