/** The status with which the service rejected an Azure SDK call; undefined for other errors. */
export const rejectionStatus = (error: unknown): number | undefined =>
  error instanceof Error && error.name === 'RestError'
    ? (error as { statusCode?: number }).statusCode
    : undefined;

/** The code with which Table Storage rejected a call. Single calls name it in `details`, transactions in `code`. */
export function codeOf(error: unknown): string | undefined {
  const { code, details } = error as { code?: string; details?: { odataError?: { code?: string } } };
  return details?.odataError?.code ?? code;
}

/**
 * Whether a row of a table is not there. Any other 404, such as a page of a proxy or of a table that is gone, says nothing about
 * the row.
 */
export const isRowMissing = (error: unknown): boolean =>
  rejectionStatus(error) === 404 && codeOf(error) === 'ResourceNotFound';

/** Whether the rows of a table were not as expected, of which nothing was written. Any other 409 is a failure of the storage. */
export function isConflict(error: unknown): boolean {
  const status = rejectionStatus(error);
  return status === 412 || (status === 409 && codeOf(error) === 'EntityAlreadyExists') || isRowMissing(error);
}

/** The row, or null if it is not there. */
export async function orNullIfMissing<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isRowMissing(error)) return null;
    throw error;
  }
}
