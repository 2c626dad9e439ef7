import { ServiceError } from '../base/service-error.ts';

/** A cursor names the last row of its page. It is opaque to callers and valid only for its project. */
export const cursorOf = (partitionKey: string, rowKey: string): string =>
  Buffer.from(`${partitionKey} ${rowKey}`, 'latin1').toString('base64url');

/** @throws ServiceError `invalid_request` for a cursor that was not issued for this project */
export function rowKeyAfter(cursor: string, partitionKey: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = /^([0-9a-f]{15}) (list-\d{13}-[89ab][0-9a-f]{15})$/.exec(text);
  if (match?.[1] !== partitionKey || match[2] === undefined || cursorOf(partitionKey, match[2]) !== cursor) {
    throw new ServiceError('invalid_request', {
      detail: 'The cursor was not issued by this service for this project.',
      errors: [{ path: 'query.cursor', message: 'expected a nextCursor of this list' }],
    });
  }
  return match[2];
}
