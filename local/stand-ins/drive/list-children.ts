import { z } from 'zod';
import type { Drive } from './drives.ts';
import type { Item } from './item.ts';
import { eTag, itemProperties } from './drive-item.ts';
import { type Emulator, itemJson } from './emulator.ts';
import type { GraphRequest, GraphResponse } from './exchange.ts';
import { GraphError, invalidRequest } from './graph-error.ts';
import { queryOptions, select } from './query-options.ts';
import { isVisibleTo } from './visibility.ts';

const defaultPageSize = 200;
/** A5: an employee of the service named this ceiling; a larger `$top` returns this many items. */
const maxPageSize = 1000;

/** GET …/children (A5): ordered by name; a page continues after the last name, not at an item count. */
export function listChildren(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  folder: Item,
  byPath: boolean,
): GraphResponse {
  const options = queryOptions(request.query, ['select', 'top', 'skiptoken', 'orderby']);
  if (folder.file !== null) throw invalidRequest('A file has no children.');
  if (request.headers['if-none-match'] === eTag(folder)) return { status: 304 };
  const top = pageSize(options.top);
  const descending = isDescending(options.orderby);
  const children = drive.tree
    .children(folder)
    .filter((child) => isVisibleTo(request.caller.id, child))
    .sort((a, b) => (descending ? -compare(a, b) : compare(a, b)));
  const start =
    options.skiptoken === undefined ? 0 : startAfter(emulator, folder, options.skiptoken, children);
  const isEmptyPage = emulator.faults.take('empty-page', request.subject) !== undefined;
  const end = isEmptyPage ? start : start + top;
  const value = children
    .slice(start, end)
    .map((each) => select(itemJson(emulator, request, drive, each), options.select, itemProperties));
  return {
    status: 200,
    json: {
      '@odata.context': `${request.root}/$metadata#drives('${encodeURIComponent(drive.id)}')/root/children`,
      ...(end < children.length ? { '@odata.nextLink': nextLink(end, children[end - 1]) } : {}),
      value,
    },
  };

  function nextLink(position: number, last: Item | undefined): string {
    // A5: nextLinks of listings by path once led to the root.
    const isWrong = byPath && emulator.faults.take('next-link-root', request.subject) !== undefined;
    const path = isWrong ? `/drives/${drive.id}/root/children` : request.path;
    const query = new URLSearchParams(request.query);
    query.delete('$skiptoken');
    query.delete('$skipToken');
    const of = isWrong ? drive.tree.root : folder;
    const after = position === 0 ? '' : (last?.name ?? '');
    query.set(
      '$skiptoken',
      emulator.signed.write('skip', { folder: of.id, after: isWrong ? '' : after, descending }),
    );
    return `${request.root}${path}?${query.toString()}`;
  }
}

const compare = (a: Item, b: Item) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function pageSize(text: string | undefined): number {
  if (text === undefined) return defaultPageSize;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw invalidRequest(`The value '${text}' of $top is not a positive number.`);
  return Math.min(Number(text), maxPageSize);
}

/** Business drives support ordering only by name and url (A5); here both result in the same order. */
function isDescending(text: string | undefined): boolean {
  if (text === undefined) return false;
  const match = /^(?:name|url)(?: (?<direction>asc|desc))?$/.exec(text);
  if (!match) throw new GraphError(400, 'notSupported', `$orderby '${text}' is not supported.`);
  return match.groups?.direction === 'desc';
}

const skipToken = z.object({ folder: z.string(), after: z.string(), descending: z.boolean() });

function startAfter(emulator: Emulator, folder: Item, text: string, children: Item[]): number {
  const parsed = skipToken.safeParse(emulator.signed.read('skip', text));
  if (!parsed.success || parsed.data.folder !== folder.id)
    throw invalidRequest('The $skiptoken is not valid.');
  const { after, descending } = parsed.data;
  if (after === '') return 0;
  const index = children.findIndex(({ name }) => (descending ? name < after : name > after));
  return index === -1 ? children.length : index;
}
