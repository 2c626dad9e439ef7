import { createHash } from 'node:crypto';

/** The filter of a list. A cursor is valid only for the filter it was issued for. */
export interface ListFilter {
  readonly status?: string | undefined;
  readonly agentId?: string | undefined;
}

const checkLength = 8;

/** Opaque: the inverted id of the last entry of the page, and a checksum that ties it to this service and filter. */
export function cursorAfter(invertedId: string, filter: ListFilter): string {
  return Buffer.concat([Buffer.from(invertedId, 'hex'), check(invertedId, filter)]).toString('base64url');
}

/** The inverted id in a cursor, or undefined if it was not issued for this list. */
export function invertedIdOf(cursor: string, filter: ListFilter): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== 16 + checkLength || bytes.toString('base64url') !== cursor) return undefined;
  const invertedId = bytes.subarray(0, 16).toString('hex');
  return check(invertedId, filter).equals(bytes.subarray(16)) ? invertedId : undefined;
}

// No secret is needed: a cursor grants nothing. The checksum detects foreign cursors.
const check = (invertedId: string, { status, agentId }: ListFilter): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(['folder-requests', invertedId, status ?? null, agentId ?? null]))
    .digest()
    .subarray(0, checkLength);
