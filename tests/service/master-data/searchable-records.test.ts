import { randomInt } from 'node:crypto';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { beforeEach, describe, expect, test } from 'vitest';
import { type NewProject, projectKind } from '../../../lib/projects/project.ts';
import { SearchableRecords } from '../../../lib/master-data/searchable-records.ts';
import type { PageQuery } from '../../../lib/master-data/word-index.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { StorageWatch } from '../../support/storage-watch.ts';

let table: TableClient;
let watch: StorageWatch;
let records: SearchableRecords<NewProject>;

const recordsAt = (client: TableClient): SearchableRecords<NewProject> =>
  new SearchableRecords(client, projectKind);

beforeEach(async () => {
  const name = await newTable();
  watch = new StorageWatch();
  table = tableClient(name);
  records = recordsAt(tableClient(name, { additionalPolicies: watch.policies }));
});

const put = (id: string, number: string, name: string): Promise<{ isNew: boolean }> =>
  records.put(id, { number, name, externalId: null });

async function ids(query: Partial<PageQuery> = {}): Promise<string[]> {
  return (await records.list({ limit: 50, ...query })).items.map(({ id }) => id);
}

/** The ids of all pages, which have up to `limit` records each. */
async function idsPageByPage(search: string | undefined, limit: number): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await records.list({ search, limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items.map(({ id }) => id));
    if (page.nextCursor === null) return all;
    cursor = page.nextCursor;
  }
}

async function rowKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { rowKey = '' } of table.listEntities()) keys.push(rowKey);
  return keys;
}

async function requests(call: () => Promise<unknown>): Promise<number> {
  watch.reset();
  await call();
  return watch.calls.length;
}

/** The ids of all pages from the end of the list. */
async function idsBackwards(limit: number): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await records.listBackwards({ limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items.map(({ record }) => record.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

test('rows that somebody has added are in no list, and are no records of a scan', async () => {
  await put('a', 'P-10', 'Bau');
  for (const rowKey of ['L!0x', 'L!zx', 'W!0x', 'R!0x', 'R!zx'])
    await table.createEntity({ partitionKey: '~', rowKey, note: 'typed' });
  expect(await ids()).toEqual(['a']);
  expect(await ids({ search: 'bau' })).toEqual(['a']);
  expect(await idsBackwards(1)).toEqual(['a']);
  const scanned = (await Array.fromAsync(records.scan())).flat();
  expect(scanned.map(({ saved }) => saved.id)).toEqual(['a']);
  expect(await records.find('0x')).toBeNull();
});

test('2,500 records from the end of the list: of 13 pages, two read the keys of all rows before them', async () => {
  const numbers = Array.from({ length: 2500 }, (_, at) => `P-${10_000 + at}`);
  // Only their rows of the list.
  for (let first = 0; first < numbers.length; first += 100) {
    const some = numbers.slice(first, first + 100);
    await table.submitTransaction(
      some.map((id) => ['create', { partitionKey: '~', rowKey: `L!${id}!${id}`, id, number: id }]),
    );
  }
  const costs: number[] = [];
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    watch.reset();
    const page = await records.listBackwards({ limit: 200, cursor });
    costs.push(watch.calls.length);
    all.push(...page.items.map(({ record }) => record.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(all).toEqual(numbers.toReversed());
  // The keys of 1,000 rows, and the page; all keys when fewer than a page of those is left.
  expect(costs).toEqual([4, 2, 2, 2, 2, 4, 2, 2, 2, 2, 3, 2, 3]);
}, 60_000);

test('a record that is added or deleted between the two requests of a backward page takes no other one out of it', async () => {
  const numbers = ['P-10', 'P-20', 'P-30', 'P-40'];
  for (const number of numbers) await put(number, number, 'Bau');
  const other = recordsAt(table);
  const pageWith = async (change: () => Promise<unknown>) => {
    watch.reset();
    watch.gate = ({ index }) => (index === 1 ? change().then(() => undefined) : undefined);
    const page = await records.listBackwards({ limit: 2 });
    watch.gate = () => undefined;
    const rest = await records.listBackwards({ limit: 50, cursor: page.nextCursor ?? undefined });
    return [page, rest].map(({ items }) => items.map(({ record }) => record.id));
  };
  const bau = (number: string) => ({ number, name: 'Bau', externalId: null });
  expect(await pageWith(() => other.put('P-35', bau('P-35')))).toEqual([
    ['P-40', 'P-35'],
    ['P-30', 'P-20', 'P-10'],
  ]);
  expect(await pageWith(() => other.delete('P-40'))).toEqual([['P-35'], ['P-30', 'P-20', 'P-10']]);
  for (const number of ['P-20', 'P-10']) await records.delete(number);
  // All that were counted are on the page, and one more.
  expect(await pageWith(() => other.put('P-33', bau('P-33')))).toEqual([['P-35', 'P-33'], ['P-30']]);
  for (const limit of [1, 2, 3, 50]) expect(await idsBackwards(limit)).toEqual(['P-35', 'P-33', 'P-30']);
});

test('the list is sorted, page by page, without gaps or repetitions', async () => {
  const numbers = Array.from({ length: 23 }, (_, at) => `P-${100 + at}`);
  for (const number of numbers.toSorted(() => Math.random() - 0.5)) await put(`id-${number}`, number, 'Bau');
  const expected = numbers.map((number) => `id-${number}`);
  expect(await ids()).toEqual(expected);
  for (const limit of [1, 5, 22, 23, 24]) expect(await idsPageByPage(undefined, limit)).toEqual(expected);
});

describe('a search', () => {
  beforeEach(async () => {
    await put('1', '2026-0412', 'Neubau Brücke Müllerstraße');
    await put('2', '2026-0413', 'Umbau Büro Mueller & Söhne');
    await put('3', '2025-0007', 'Brandschutz, Bau und Brücken (Nord)');
  });

  test.each([
    ['brücke', ['1', '3']],
    ['BRUECKE', ['1', '3']],
    ['muller', ['2', '1']],
    ['2026', ['1', '2']],
    ['0412', ['1']],
    ['2026-0412', ['1']],
    ['2026.04', ['1', '2']],
    ['bau b', ['3']],
    ['b 2025', ['3']],
    ['nord', ['3']],
    ['söhne mueller', ['2']],
    ['ücke', []],
    ["o'neil", []],
    ['brückenpfeiler', []],
    ['~', ['3', '1', '2']],
  ])('for %j finds %j', async (search, found) => {
    expect(await ids({ search })).toEqual(found);
  });

  test('lists a record once, even if its words match several times and on several pages', async () => {
    for (const limit of [1, 2, 3]) {
      expect((await idsPageByPage('b', limit)).toSorted()).toEqual(['1', '2', '3']);
    }
  });

  test('finds a record by its current name only', async () => {
    await put('1', '2026-0412', 'Neubau Steg');
    expect(await ids({ search: 'brücke' })).toEqual(['3']);
    expect(await ids({ search: 'steg' })).toEqual(['1']);
    await records.delete('3');
    expect(await ids({ search: 'brücke' })).toEqual([]);
    expect(await ids()).toEqual(['1', '2']);
  });
});

test('any text can be stored and found: long words, many words, every script and all punctuation', async () => {
  const texts = [
    `${'x'.repeat(60)}Ende`,
    `${'x'.repeat(39)}\u{20BB7}\u{20BB7}野家`,
    Array.from({ length: 200 }, (_, at) => (at % 36).toString(36)).join(' '),
    `a/b\\c#d?e%f'g"h&i=j+k~l|m`,
    'Ελλάδα Κύπρος 東京 Київ',
    '\u{FDFA}'.repeat(100),
  ];
  for (const [at, text] of texts.entries()) {
    await put(`id-${at}`, String(at), text);
    const [start] = text.split(' ');
    expect(await ids({ search: start!.slice(0, 62) }), text).toContain(`id-${at}`);
    await put(`id-${at}`, String(at), 'anders');
    await records.delete(`id-${at}`);
  }
  expect(await rowKeys()).toEqual([]);
});

test.each([
  ['of another search', 'bau', 'büro'],
  ['of the list', undefined, 'bau'],
  ['of a search', 'bau', undefined],
])('a cursor %s is rejected', async (_, search, other) => {
  await put('1', '1', 'Bau Büro');
  await put('2', '2', 'Bau Büro');
  const { nextCursor } = await records.list({ search, limit: 1 });
  expect(nextCursor).not.toBeNull();
  await expect(records.list({ search: other, limit: 1, cursor: nextCursor! })).rejects.toMatchObject({
    code: 'invalid_request',
    facts: { errors: [{ path: 'query.cursor' }] },
  });
});

test('each call costs a fixed number of requests', async () => {
  expect(await requests(() => put('1', '2026-1', 'Neubau Brücke'))).toBe(2);
  expect(await requests(() => put('1', '2026-1', 'Umbau Brücke'))).toBe(2);
  expect(await requests(() => records.find('1'))).toBe(1);
  expect(await requests(() => records.find('2'))).toBe(1);
  expect(await requests(() => records.list({ limit: 50 }))).toBe(1);
  expect(await requests(() => records.list({ search: 'bau', limit: 50 }))).toBe(1);
  expect(await requests(() => records.list({ search: 'umb brü', limit: 50 }))).toBe(1);
  expect(await requests(() => records.delete('1'))).toBe(2);
});

/** Writes the same rows as `put`, a hundred per transaction. */
async function addMany(count: number): Promise<void> {
  const missing = { name: 'RestError', statusCode: 404, code: 'ResourceNotFound' };
  const recorder = recordsAt(
    Object.assign(tableClient('unused'), {
      getEntity: () => Promise.reject(Object.assign(new Error('none'), missing)),
      submitTransaction: (some: TransactionAction[]) =>
        Promise.resolve({ status: 202, added: actions.push(...some) }),
    }),
  );
  const actions: TransactionAction[] = [];
  for (let at = 0; at < count; at += 1) {
    await recorder.put(`${at}`, {
      number: `2026-${at}`,
      name: at % 100 === 0 ? 'Neubau Steg' : 'Neubau Halle',
      externalId: null,
    });
  }
  while (actions.length > 0) await table.submitTransaction(actions.splice(0, 100));
}

test('a page of a search costs at most four requests, and paging through a search terminates', async () => {
  await addMany(2_500);
  expect(await requests(() => records.list({ limit: 200 }))).toBe(1);
  expect(await requests(() => records.list({ search: 'neubau', limit: 200 }))).toBe(1);
  expect(await requests(() => records.list({ search: '2026-24', limit: 200 }))).toBe(1);
  // Nearly every record has the first two words.
  expect(await requests(() => records.list({ search: 'neubau hal 9', limit: 200 }))).toBe(3);
  expect(await idsPageByPage('neubau steg', 10)).toHaveLength(25);
});

test('an empty page from the storage does not end the list', async () => {
  await put('1', '1', 'Bau');
  watch.reset();
  watch.fault = ({ index }) => (index === 0 ? 'empty page' : undefined);
  expect(await ids()).toEqual(['1']);
});

test('one of several concurrent writes is complete, and only its words are found', async () => {
  for (let round = 0; round < 5; round += 1) {
    const names = Array.from({ length: 4 }, () => String(randomInt(1e8, 1e9)));
    await Promise.allSettled(names.map((name) => put('1', '1', name)));
    const last = (await records.find('1'))?.name;
    expect(names).toContain(last);
    for (const name of names) expect(await ids({ search: name })).toEqual(name === last ? ['1'] : []);
    expect((await rowKeys()).toSorted()).toEqual(['L!1!1', 'R!1', 'W!1!1', `W!${last}!1`].toSorted());
  }
});

test('a manually deleted row does no harm', async () => {
  await put('1', '1', 'Bau');
  await table.deleteEntity('~', 'W!bau!1');
  await put('1', '1', 'Steg');
  expect(await ids({ search: 'steg' })).toEqual(['1']);
  await table.deleteEntity('~', 'W!steg!1');
  await records.delete('1');
  expect(await rowKeys()).toEqual([]);
});

test('a record of which a tool has retyped columns has its texts, and the next write of them repairs it', async () => {
  const record = { number: '4711', name: '2026', externalId: '17' };
  await records.write([{ id: '1', record, isArchived: true }]);
  const columns = { number: 4711, name: { value: '2026', type: 'Double' }, is_archived: true };
  await table.updateEntity({ partitionKey: '~', rowKey: 'R!1', ...columns }, 'Merge');
  expect(await records.find('1')).toMatchObject({ ...record, isArchived: true });
  expect(await records.write([{ id: '1', record, isArchived: true }])).toEqual(['updated']);
  expect(await table.getEntity('~', 'R!1')).toMatchObject({ number: '4711', is_archived: 'true' });
});
