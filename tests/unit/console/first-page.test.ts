import { expect, test } from 'vitest';
import { withFirstPage } from '../../../console/pages/documents/project/first-page.ts';

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
