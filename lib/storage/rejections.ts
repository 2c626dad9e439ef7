/** The status with which the service rejected an Azure SDK call; undefined for other errors. */
export const rejectedWith = (error: unknown): number | undefined =>
  error instanceof Error && error.name === 'RestError'
    ? (error as { statusCode?: number }).statusCode
    : undefined;

/** A fault of the service, not the absence of a row. */
export function isTableMissing(error: unknown): boolean {
  // Single calls name the error in `details`, transactions in `code`.
  const { code, details } = error as { code?: string; details?: { odataError?: { code?: string } } };
  return code === 'TableNotFound' || details?.odataError?.code === 'TableNotFound';
}

/** The value, or null for a 404 of the service. */
export async function orNullIfMissing<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (rejectedWith(error) === 404 && !isTableMissing(error)) return null;
    throw error;
  }
}
