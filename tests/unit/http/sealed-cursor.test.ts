import { expect, test } from 'vitest';
import type { Agent } from '../../../lib/callers/caller.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { SealedCursors } from '../../../lib/http/sealed-cursor.ts';
import { SealedText } from '../../../lib/storage/sealed-text.ts';

const agent = (id: string): Agent => ({ kind: 'agent', id, logName: id });
const sealedText = new SealedText(new Secret('a secret of the application'), 'cursors');
const first = {
  operation: 'list-things',
  caller: agent('berlin'),
  params: { projectId: 'p' },
  query: { search: 'x', sort: 'name', limit: '5' },
};
const page = new SealedCursors(() => sealedText, first).sealed({ jsonBody: { nextCursor: 'after 5' } });
const { nextCursor } = page.jsonBody as { nextCursor: string };

const opened = (changes: Partial<typeof first> = {}, cursor = nextCursor): unknown => {
  const call = { ...first, ...changes };
  return new SealedCursors(() => sealedText, { ...call, query: { ...call.query, cursor } }).opened();
};

test('a cursor is encrypted, and opens for the next page, whatever the limit and the order of the query are', () => {
  expect(Buffer.from(nextCursor, 'base64url').toString('latin1')).not.toContain('after');
  expect(opened()).toEqual({ ...first.query, cursor: 'after 5' });
  const query = { limit: '9', sort: 'name', search: 'x' };
  expect(opened({ query })).toEqual({ ...query, cursor: 'after 5' });
});

test.each([
  ['another operation', () => opened({ operation: 'list-others' })],
  ['another caller', () => opened({ caller: agent('hamburg') })],
  ['another list', () => opened({ params: { projectId: 'q' } })],
  ['other filters', () => opened({ query: { ...first.query, search: 'y' } })],
  ['a character that is not of its alphabet', () => opened({}, `${nextCursor}*`)],
  [
    'another first character',
    () => opened({}, (nextCursor.startsWith('A') ? 'B' : 'A') + nextCursor.slice(1)),
  ],
])('a cursor is foreign with %s', (_what, open) => {
  expect(open).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
