import { expect, test } from 'vitest';
import { fileMemory } from '../../../console/pages/documents/uploads/file-memory.ts';

const storage = () => {
  const values = new Map<string, string>();
  let writes = 0;
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => {
      writes += 1;
      values.set(key, value);
    },
    writes: () => writes,
  };
};
const plan = {
  projectId: 'p',
  folderName: '02_Aufträge',
  folderPath: '',
  fileName: 'Plan.pdf',
  size: 10,
};

test('the time of a file survives the page, until it is forgotten', () => {
  const store = storage();
  fileMemory(() => store).remember(plan, 1234);
  const later = fileMemory(() => store);
  expect(later.recall(plan)).toBe(1234);
  expect(later.recall({ ...plan, size: 11 })).toBeUndefined();
  expect(later.recall({ ...plan, folderPath: '2026' })).toBeUndefined();
  later.forget(plan);
  expect(fileMemory(() => store).recall(plan)).toBeUndefined();
});

test('each file is written once, however often its progress is reported', () => {
  const store = storage();
  const memory = fileMemory(() => store);
  for (let times = 0; times < 5; times += 1) memory.remember(plan, 1234);
  expect(store.writes()).toBe(1);
});

test('entries end after a day, and there are never more than a hundred', () => {
  const store = storage();
  let now = 0;
  const memory = fileMemory(
    () => store,
    () => now,
  );
  memory.remember(plan, 1);
  now = 24 * 3_600_000;
  memory.remember({ ...plan, fileName: 'neu.pdf' }, 1);
  expect(memory.recall(plan)).toBeUndefined();
  for (let number = 0; number < 150; number += 1) memory.remember({ ...plan, fileName: `${number}.pdf` }, 1);
  expect(memory.recall({ ...plan, fileName: 'neu.pdf' })).toBeUndefined();
  expect(memory.recall({ ...plan, fileName: '149.pdf' })).toBe(1);
  expect(Object.keys(JSON.parse(store.getItem('unfinished-uploads') ?? '{}') as object)).toHaveLength(100);
});

test.each(['null', '[1]', '7', '{"a":null,"b":{"at":0}}'])(
  'what another release may have stored, %s, is as good as nothing',
  (text) => {
    const store = storage();
    store.setItem('unfinished-uploads', text);
    const memory = fileMemory(() => store);
    expect(memory.recall(plan)).toBeUndefined();
    memory.remember(plan, 1234);
    expect(memory.recall(plan)).toBe(1234);
    const stored = JSON.parse(store.getItem('unfinished-uploads') ?? '{}') as object;
    expect(Object.values(stored)).toEqual([{ lastModified: 1234, at: expect.any(Number) }]);
  },
);

test('a storage that is broken or switched off only forgets', () => {
  const memory = fileMemory(() => {
    throw new Error('The storage is switched off.');
  });
  memory.remember(plan, 1);
  expect(memory.recall(plan)).toBeUndefined();
  const store = storage();
  store.setItem('unfinished-uploads', 'broken');
  expect(fileMemory(() => store).recall(plan)).toBeUndefined();
});
