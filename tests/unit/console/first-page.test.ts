import { expect, test } from 'vitest';
import { withAdded, withFirstPage } from '../../../console/pages/documents/project/first-page.ts';
import { partFormsOf } from '../../../lib/master-data/search-words.ts';
import type { ListedName } from '../../../lib/project-documents/document-records/document-names.ts';
import { pageInOrder, sorts } from '../../../lib/project-documents/document-records/document-order.ts';
import { seededRandom } from '../../support/folder-queue.ts';

const pageSize = 3;

interface Item {
  readonly id: string;
  readonly uploadedAt: string;
}
interface Page {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

const itemsTo = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `d${count - index}`,
    uploadedAt: `2026-11-${28 - index}`,
  }));

const pagesOf = (items: readonly Item[]): readonly Page[] =>
  Array.from({ length: Math.ceil(items.length / pageSize) }, (_, page) => {
    const end = (page + 1) * pageSize;
    const inPage = items.slice(page * pageSize, end);
    return { items: inPage, nextCursor: end < items.length ? inPage.at(-1)!.id : null };
  });

const idsIn = (pages: readonly Page[] | undefined): readonly string[] | undefined =>
  pages?.flatMap(({ items }) => items.map(({ id }) => id));

test('the first page brings new, replaced and missing documents, and of ten loaded ones each is listed once', () => {
  const items = itemsTo(10);
  const loaded = pagesOf(items);
  const [replaced] = items.splice(8, 1);
  items.splice(0, 1);
  items.unshift({ ...replaced!, uploadedAt: '2026-11-30' }, { id: 'new', uploadedAt: '2026-11-29' });
  const pages = withFirstPage(loaded, pagesOf(items)[0]!);
  expect(idsIn(pages)).toEqual(items.map(({ id }) => id));
  // The last one still says where the list ends, and a later reading of all pages reads as many.
  expect(pages).toHaveLength(4);
  expect(pages?.at(-1)?.nextCursor).toBeNull();
});

test('a first page that is all new does not reach the loaded ones; one that is the last is the list', () => {
  const items = itemsTo(7);
  const loaded = pagesOf(items);
  const added = [3, 2, 1].map((at) => ({ id: `new${at}`, uploadedAt: `2026-12-0${at}` }));
  expect(withFirstPage(loaded, pagesOf([...added, ...items])[0]!)).toBeUndefined();
  const [only] = pagesOf(items.slice(5));
  expect(withFirstPage(loaded, only!)).toEqual([only]);
});

/** Documents with names, sizes, times and people that meet in every order. */
function documentsTo(count: number, seed: number): readonly ListedName[] {
  const random = seededRandom(seed);
  const oneOf = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  return Array.from({ length: count }, () => {
    const fileName = `${oneOf('Plan', 'plan', 'Äpfel', 'Zaun', 'ß')} ${Math.floor(random() * 20)}.pdf`;
    return {
      id: `00000000-0000-4000-8000-${String(Math.floor(random() * 1e12)).padStart(12, '0')}`,
      folderName: '01_Angebote',
      folderPath: '',
      uploadedByUserId: 'u',
      uploadedByName: oneOf(null, 'Özlem Berg', 'anna 9', 'Anna 10'),
      fileName,
      size: oneOf(0, 9, 10, 1e9),
      uploadedAt: new Date(1.8e12 + Math.floor(random() * 50) * 1000).toISOString(),
      forms: partFormsOf(fileName),
    };
  });
}

test.each(sorts)(
  'in the order %s, what is new comes where the service has it, as far as pages are loaded',
  async (sort) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const all = documentsTo(40, seed);
      const [replaced, ...before] = all.slice(0, 30);
      const present = [...before, ...all.slice(30), { ...replaced!, uploadedAt: '2099-01-01T00:00:00.000Z' }];
      const pagesFor = async (names: readonly ListedName[], count: number) => {
        const pages = [];
        let cursor: string | undefined;
        do {
          const page = await pageInOrder(names, { sort, limit: 8, cursor });
          pages.push({ ...page, refreshedAt: 0 });
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined && pages.length < count);
        return pages;
      };
      const newest = await pageInOrder(present, { limit: 20 });
      for (const count of [2, 9]) {
        const loaded = await pagesFor([replaced!, ...before], count);
        const shown = withAdded(loaded, { ...newest, refreshedAt: 1 }, sort);
        expect(shown.map(({ nextCursor }) => nextCursor)).toEqual(loaded.map(({ nextCursor }) => nextCursor));
        expect(shown[0]).toMatchObject({ refreshedAt: 1 });
        const { items } = await pageInOrder(present, { sort, limit: 100 });
        const known = new Set([...before, ...newest.items].map(({ id }) => id));
        // What is neither loaded nor among the newest is not known.
        const last = loaded.at(-1)!.nextCursor === null ? undefined : loaded.at(-1)!.items.at(-1)!;
        const end = last ? items.findIndex(({ id }) => id === last.id) : items.length - 1;
        if (last?.id === replaced!.id) continue;
        const expected = items.slice(0, end + 1).filter(({ id }) => known.has(id));
        expect(shown.flatMap((page) => page.items.map(({ id }) => id))).toEqual(expected.map(({ id }) => id));
      }
    }
  },
);
