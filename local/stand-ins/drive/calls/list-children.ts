import { z } from 'zod';
import type { Drive } from '../state/drives.ts';
import type { Item } from '../state/item.ts';
import { itemProperties } from '../state/drive-item.ts';
import { type Emulator, itemJson } from '../state/emulator.ts';
import type { GraphRequest, GraphResponse } from '../base/exchange.ts';
import { invalidRequest } from '../base/graph-error.ts';
import { queryOptions, select } from '../base/query-options.ts';
import { isVisibleTo } from '../state/visibility.ts';

const defaultPageSize = 200;
/** A5: an employee of the service named this ceiling; a larger `$top` returns this many items. */
const maxPageSize = 1000;

/** GET …/children (A5): ordered by name; a page continues after the last name, not at an item count. */
export function listChildren(
  emulator: Emulator,
  request: GraphRequest,
  drive: Drive,
  folder: Item,
): GraphResponse {
  const options = queryOptions(request.query, ['select', 'top', 'skiptoken']);
  if (folder.file !== null) throw invalidRequest('A file has no children.');
  const top = pageSize(options.top);
  const children = drive.tree
    .children(folder)
    .filter((child) => isVisibleTo(request.caller.id, child))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const start =
    options.skiptoken === undefined ? 0 : startAfter(emulator, folder, options.skiptoken, children);
  const isEmptyPage = emulator.faults.take('empty-page', request.subject) !== undefined;
  const end = isEmptyPage ? start : start + top;
  const isRepeated = emulator.faults.take('page-repeated', request.subject) !== undefined;
  const value = children
    .slice(start, end)
    .map((each) => select(itemJson(emulator, request, drive, each), options.select, itemProperties));
  return {
    status: 200,
    json: {
      '@odata.context': `${request.root}/$metadata#drives('${encodeURIComponent(drive.id)}')/root/children`,
      ...(isRepeated
        ? { '@odata.nextLink': nextLink(start, children[start - 1]) }
        : end < children.length
          ? { '@odata.nextLink': nextLink(end, children[end - 1]) }
          : {}),
      value,
    },
  };

  function nextLink(position: number, last: Item | undefined): string {
    const query = new URLSearchParams(request.query);
    query.delete('$skiptoken');
    query.delete('$skipToken');
    const after = position === 0 ? '' : (last?.name ?? '');
    query.set('$skiptoken', emulator.signed.write('skip', { folder: folder.id, after }));
    return `${request.root}${request.path}?${query.toString()}`;
  }
}

function pageSize(text: string | undefined): number {
  if (text === undefined) return defaultPageSize;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw invalidRequest(`The value '${text}' of $top is not a positive number.`);
  return Math.min(Number(text), maxPageSize);
}

const skipToken = z.object({ folder: z.string(), after: z.string() });

function startAfter(emulator: Emulator, folder: Item, text: string, children: Item[]): number {
  const parsed = skipToken.safeParse(emulator.signed.read('skip', text));
  if (!parsed.success || parsed.data.folder !== folder.id)
    throw invalidRequest('The $skiptoken is not valid.');
  const { after } = parsed.data;
  if (after === '') return 0;
  const index = children.findIndex(({ name }) => name > after);
  return index === -1 ? children.length : index;
}
