import { createHash } from 'node:crypto';
import { faultAt, ServiceError } from '../base/service-error.ts';

const checkLength = 8;

/** Opaque: the key of the last row of a page, and a checksum that ties it to this service and this list. */
export const cursorAfterRow = (rowKey: string, list: string): string =>
  Buffer.concat([check(rowKey, list), Buffer.from(rowKey)]).toString('base64url');

/** @throws ServiceError `invalid_request` for a cursor that was not issued for this list */
export function rowKeyOfCursor(cursor: string, list: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const rowKey = bytes.subarray(checkLength).toString();
  if (cursorAfterRow(rowKey, list) === cursor) return rowKey;
  throw new ServiceError('invalid_request', {
    detail: 'The cursor was not issued by this service for this list; send a nextCursor of the same query.',
    errors: [faultAt('query.cursor', 'foreign_cursor')],
  });
}

// No secret is needed: a cursor grants nothing. The checksum detects foreign cursors.
const check = (rowKey: string, list: string): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([list, rowKey]))
    .digest()
    .subarray(0, checkLength);
