import { expect, test } from 'vitest';
import { storedChoice } from '../../../console/base/stored-choice.ts';

const storageOf = (entries: Record<string, string>) => {
  const map = new Map(Object.entries(entries));
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
};

test('a choice is stored, announced, and read by the next page; undefined removes it', () => {
  const storage = storageOf({});
  const theme = storedChoice('theme', ['light', 'dark'], () => storage);
  let announced = 0;
  const stop = theme.subscribe(() => (announced += 1));
  expect(theme.current()).toBeUndefined();
  theme.choose('dark');
  expect([theme.current(), announced]).toEqual(['dark', 1]);
  expect(storedChoice('theme', ['light', 'dark'], () => storage).current()).toBe('dark');
  stop();
  theme.choose(undefined);
  expect([theme.current(), announced, storage.map.size]).toEqual([undefined, 1, 0]);
});

test('an unknown value in the storage is no choice', () => {
  expect(
    storedChoice('theme', ['light', 'dark'], () => storageOf({ theme: 'pink' })).current(),
  ).toBeUndefined();
});

test('without a storage the choice lasts as long as the page', () => {
  const theme = storedChoice('theme', ['light'], () => {
    throw new Error('The storage is switched off.');
  });
  expect(theme.current()).toBeUndefined();
  theme.choose('light');
  expect(theme.current()).toBe('light');
});
