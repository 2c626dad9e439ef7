import { faultAt, ServiceError } from '../base/service-error.ts';

/**
 * The place of a list after which a page begins: the key of the last row of the page before. A caller never sees it: the edge
 * seals it for the operation, the caller, and the filters (lib/http/sealed-cursor.ts), so nobody can make one for another
 * list.
 *
 * @param isPlace whether a key has the form and the range of this list
 * @throws ServiceError `invalid_request` for another key
 */
export function placeOfCursor(cursor: string, isPlace: (rowKey: string) => boolean): string {
  if (isPlace(cursor)) return cursor;
  throw foreignCursor();
}

export const foreignCursor = (): ServiceError =>
  new ServiceError('invalid_request', {
    detail: 'The cursor was not issued by this service for this list; send a nextCursor of the same query.',
    errors: [faultAt('query.cursor', 'foreign_cursor')],
  });
