/** The status with which the service rejected an Azure SDK call; undefined for other errors. */
export const rejectedWith = (error: unknown): number | undefined =>
  error instanceof Error && error.name === 'RestError'
    ? (error as { statusCode?: number }).statusCode
    : undefined;

/** The value, or null for a 404 of the service. */
export async function orNullIfMissing<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (rejectedWith(error) === 404) return null;
    throw error;
  }
}
