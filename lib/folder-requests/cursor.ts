import { createHash } from 'node:crypto';

/** What a list is narrowed to; a cursor is good for the list it was issued for only. */
export interface ListFilter {
  readonly status?: string | undefined;
  readonly agentId?: string | undefined;
}

const checkLength = 8;

/** Opaque: the inverted id of the last entry shown, and a check that ties it to this service and this filter. */
export function cursorAfter(invertedId: string, filter: ListFilter): string {
  return Buffer.concat([Buffer.from(invertedId, 'hex'), check(invertedId, filter)]).toString('base64url');
}

/** The inverted id in a cursor, or undefined when it was not issued for this list. */
export function invertedIdOf(cursor: string, filter: ListFilter): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== 16 + checkLength || bytes.toString('base64url') !== cursor) return undefined;
  const invertedId = bytes.subarray(0, 16).toString('hex');
  return check(invertedId, filter).equals(bytes.subarray(16)) ? invertedId : undefined;
}

// No secret is needed: a cursor grants nothing, the check is there to name a foreign one instead of guessing with it.
const check = (invertedId: string, { status, agentId }: ListFilter): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(['folder-requests', invertedId, status ?? null, agentId ?? null]))
    .digest()
    .subarray(0, checkLength);
