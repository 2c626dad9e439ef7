import type { TableClient } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { isConflict, orNullIfMissing } from './rejections.ts';

export interface Written {
  /** Empty after a transaction, which has one for each row. */
  readonly etag: string;
}

/**
 * A write on the condition that its rows are as they were read, or absent.
 *
 * The client repeats a write whose response was lost. If the first attempt was written, the second finds a changed row and
 * fails. Only a trace in the row distinguishes this from a write of another request, hence `trace`.
 *
 * @param trace reads what the write left: its row if that has a value that only this write can have written, else null.
 * Without it, a lost response counts as a write of another request
 * @returns null if another request has written in between
 */
export async function conditionalWrite(
  write: Promise<{ readonly etag?: string } | object>,
  trace: () => Promise<Written | null> = () => Promise.resolve(null),
): Promise<Written | null> {
  try {
    const response = await write;
    return { etag: 'etag' in response ? response.etag : '' };
  } catch (error) {
    if (!isConflict(error)) throw error;
    return trace();
  }
}

/** The trace of a write whose row has a value that no other write can have written. */
export const columnWriter =
  (
    table: TableClient,
    { partitionKey, rowKey }: { readonly partitionKey: string; readonly rowKey: string },
    column: string,
    value: unknown,
  ) =>
  async (): Promise<Written | null> => {
    const row = await orNullIfMissing(table.getEntity(partitionKey, rowKey));
    return row?.[column] === value ? row : null;
  };

/**
 * Repeats `attempt`, which reads and then writes, as long as it returns null because another request has written in between.
 *
 * @param name of the record, for the error
 * @param maxCrossings more than 8 for a row that many requests write concurrently: each time, one of them succeeds
 * @throws ServiceError `storage_unavailable` after so many attempts
 */
export async function untilSettled<T>(
  name: string,
  attempt: () => Promise<T | null>,
  maxCrossings = 8,
): Promise<T> {
  for (let crossings = 0; crossings < maxCrossings; crossings += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new ServiceError('storage_unavailable', {
    detail: `The ${name} kept changing; try again.`,
    retryAfterSeconds: 1,
  });
}
