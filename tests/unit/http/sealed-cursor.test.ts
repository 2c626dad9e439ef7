import { expect, test } from 'vitest';
import type { Agent, Caller } from '../../../lib/callers/caller.ts';
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
const page = new SealedCursors(sealedText, first).sealed({ jsonBody: { nextCursor: 'after 5' } });
const { nextCursor } = page.jsonBody as { nextCursor: string };

const opened = (changes: Partial<typeof first> = {}, cursor = nextCursor): unknown => {
  const call = { ...first, ...changes };
  return new SealedCursors(sealedText, { ...call, query: { ...call.query, cursor } }).opened();
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

test('a call without a cursor keeps its query, and a last page its body', () => {
  const call = new SealedCursors(sealedText, first);
  expect(call.opened()).toBe(first.query);
  for (const jsonBody of [{ nextCursor: null }, { items: [] }, undefined]) {
    const response = { jsonBody };
    expect(call.sealed(response)).toBe(response);
  }
});

test('callers of different kinds are different, also with one id', () => {
  const application: Caller = { kind: 'application', clientId: 'berlin' };
  const user = { kind: 'user', oid: 'berlin' } as const;
  const callers = [agent('berlin'), application, user, undefined];
  const isOpen = callers.map((caller) => {
    try {
      const query = { ...first.query, cursor: nextCursor };
      // Of a user, only the id counts.
      new SealedCursors(sealedText, { ...first, caller: caller as Caller, query }).opened();
      return true;
    } catch {
      return false;
    }
  });
  expect(isOpen).toEqual([true, false, false, false]);
});
