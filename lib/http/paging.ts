import { z } from 'zod';

/** Query parameters of a list that is read page by page. */
export const pageLimit = z
  .string()
  .regex(/^([1-9]\d?|1\d\d|200)$/, 'expected a whole number from 1 to 200')
  .transform(Number)
  .optional()
  .meta({ type: 'integer', minimum: 1, maximum: 200, default: 50, pattern: undefined });

export const defaultPageLimit = 50;

/** @param maxLength of the cursors that the list issues */
export const pageCursor = (maxLength: number) =>
  z.string().min(1).max(maxLength).optional().meta({ description: 'nextCursor of the previous page.' });

/** For lists whose records are found by the beginnings of words. */
export const searchText = z
  .string()
  .max(100, 'must not be longer than 100 characters')
  .regex(/[\p{L}\p{N}]/u, 'must contain a letter or a digit')
  .optional()
  .meta({
    minLength: 1,
    pattern: undefined,
    description: 'Words, or their beginnings; each has to begin a word of the record.',
  });
