import { createHash } from 'node:crypto';
import { faultAt, ServiceError } from '../base/service-error.ts';

const checkLength = 8;

/**
 * The key of the last row of a page, with a checksum that detects a cursor of another list. A caller never sees it: the edge
 * encrypts it for the call (lib/http/sealed-cursor.ts).
 */
export const cursorAfterRow = (rowKey: string, list: string): string =>
  Buffer.concat([check(rowKey, list), Buffer.from(rowKey)]).toString('base64url');

/**
 * @param isPlace whether a key has the form and the range of this list
 * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
 */
export function rowKeyOfCursor(cursor: string, list: string, isPlace: (rowKey: string) => boolean): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const rowKey = bytes.subarray(checkLength).toString();
  if (cursorAfterRow(rowKey, list) === cursor && isPlace(rowKey)) return rowKey;
  throw foreignCursor();
}

export const foreignCursor = (): ServiceError =>
  new ServiceError('invalid_request', {
    detail: 'The cursor was not issued by this service for this list; send a nextCursor of the same query.',
    errors: [faultAt('query.cursor', 'foreign_cursor')],
  });

const check = (rowKey: string, list: string): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([list, rowKey]))
    .digest()
    .subarray(0, checkLength);
