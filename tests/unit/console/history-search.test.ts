import { describe, expect, test } from 'vitest';
import {
  enoughMatches,
  idIn,
  searchContinues,
} from '../../../console/pages/folder-requests/history-search.ts';

describe('the search of folder requests', () => {
  const state = { search: '2026', found: 3, nextCursor: 'older', isStopped: false, hasFailed: false };

  test('goes on with older requests while it has found little', () => {
    expect(searchContinues(state)).toBe(true);
    expect(searchContinues({ ...state, found: enoughMatches - 1 })).toBe(true);
  });

  test.each([
    ['there is nothing to search for', { search: '' }],
    ['all requests are loaded', { nextCursor: null }],
    ['it has found enough', { found: enoughMatches }],
    ['the user stops it', { isStopped: true }],
    ['a page could not be loaded', { hasFailed: true }],
  ])('ends when %s', (_when, change) => {
    expect(searchContinues({ ...state, ...change })).toBe(false);
  });

  test.each([
    [' 5C0C1A52-9F2F-4B5E-8F0A-0D1C5A6A1001\n', '5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1001'],
    ['5c0c1a52', undefined],
    ['5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a1001 2026', undefined],
    ['', undefined],
  ])('%j has the id %s', (search, id) => expect(idIn(search)).toBe(id));
});
