/** The status an Azure SDK call was refused with, if it was a refusal of the service at all. */
export const refusedWith = (error: unknown): number | undefined =>
  error instanceof Error && error.name === 'RestError'
    ? (error as { statusCode?: number }).statusCode
    : undefined;

/** The value, or null where the service says that there is no such thing. */
export async function orNullIfMissing<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (refusedWith(error) === 404) return null;
    throw error;
  }
}
