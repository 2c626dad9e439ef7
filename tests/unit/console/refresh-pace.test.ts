import { expect, test } from 'vitest';
import { ApiProblem } from '../../../console/openapi/api-problem.ts';
import { mayRefresh, namesRetryTime, refreshEvery } from '../../../console/api/refresh-pace.ts';

const busy = new ApiProblem(503, { code: 'storage_unavailable' }, 60);
const broken = new ApiProblem(502);
const lost = new TypeError('Failed to fetch');

test.each([
  ['no error', null, 5000],
  ['a shorter demand', new ApiProblem(429, {}, 2), 5000],
  ['a longer demand', busy, 60_000],
  ['an error without a demand', broken, 5000],
  ['no response', lost, 5000],
])('the next refresh after %s', (_name, error, expected) => {
  expect(refreshEvery(5000)({ state: { error } })).toBe(expected);
});

test('a demand also holds when the window is shown again, and is not repeated at once', () => {
  expect(mayRefresh({ state: { error: busy, errorUpdatedAt: 1000 } }, 60_999)).toBe(false);
  expect(mayRefresh({ state: { error: busy, errorUpdatedAt: 1000 } }, 61_000)).toBe(true);
  expect(mayRefresh({ state: { error: broken, errorUpdatedAt: 1000 } }, 1000)).toBe(true);
  expect(mayRefresh({ state: { error: null, errorUpdatedAt: 0 } }, 1000)).toBe(true);
  expect([busy, broken, lost].map(namesRetryTime)).toEqual([true, false, false]);
});
