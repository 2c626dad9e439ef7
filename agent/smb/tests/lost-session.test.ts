import { expect, test } from 'vitest';
import { LostSession } from '../session/lost-session.ts';

const id = Buffer.alloc(8, 7);

test('a lost session is named by two logons, and by none after one that succeeded', () => {
  const lost = new LostSession();
  expect(lost.next()).toBeUndefined();
  lost.remember(id);
  expect([lost.next(), lost.next(), lost.next()]).toEqual([id, id, undefined]);
  lost.remember(id);
  expect(lost.next()).toEqual(id);
  lost.forget();
  expect(lost.next()).toBeUndefined();
});
