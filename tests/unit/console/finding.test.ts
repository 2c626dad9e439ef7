import { expect, test } from 'vitest';
import {
  knownProjectsIn,
  maxRecent,
  withOpened,
  withPinned,
} from '../../../console/pages/documents/finding/known-projects.ts';
import { byName } from '../../../console/pages/documents/project/people.ts';

const project = (id: string) => ({ id, number: `2026-${id}`, name: `Haus ${id}` });

test('a project that is opened comes first once; the oldest go, pinned ones stay and stay pinned', () => {
  let known = withPinned(withOpened([], project('alt')), 'alt', true);
  for (let index = 0; index < maxRecent + 3; index += 1) known = withOpened(known, project(String(index)));
  expect(known).toHaveLength(maxRecent + 1);
  expect(known[0]).toEqual({ ...project(String(maxRecent + 2)), isPinned: false });
  expect(known.at(-1)).toEqual({ ...project('alt'), isPinned: true });

  const again = withOpened(known, { ...project('alt'), name: 'Umbenannt' });
  expect(again[0]).toEqual({ ...project('alt'), name: 'Umbenannt', isPinned: true });
  expect(again.filter(({ id }) => id === 'alt')).toHaveLength(1);
  expect(withPinned(again, 'alt', false)[0]).toMatchObject({ id: 'alt', isPinned: false });
});

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['no list', '{"id":"a"}'],
  ['other entries', '[null, 1, {"id":"a"}, {"id":1,"number":"n","name":"x","isPinned":false}]'],
])('of a storage with %s, no project is known', (_name, text) => {
  expect(knownProjectsIn(text)).toEqual([]);
});

test('what was stored is read again', () => {
  const known = withOpened([], project('1'));
  expect(knownProjectsIn(JSON.stringify(known))).toEqual(known);
});

test.each([
  ['anna', '1'],
  ['BEISPIEL anna', '1'],
  ['omer', '2'],
  ['rechnung', undefined],
  ['anna yildiz', undefined],
])('“%s” is the name of %s', (search, userId) => {
  const people = [
    { userId: '1', name: 'Anna Beispiel' },
    { userId: '2', name: 'Ömer Yıldız' },
  ];
  expect(byName(people, search)?.userId).toBe(userId);
});
