import * as z from 'zod';
import { because } from '../contract/faults.ts';
import { text, wellFormed } from '../contract/text.ts';

/**
 * A query parameter that is a whole number, without leading zeros.
 *
 * @param usual what its absence means, if that is a number
 */
export const wholeNumber = (min: number, max: number, usual: number | undefined, description: string) =>
  z
    .string()
    .transform((text, context) => {
      const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
      if (number >= min && number <= max) return number;
      context.addIssue({ code: 'custom', message: because('out_of_range'), params: { min, max } });
      return z.NEVER;
    })
    .optional()
    .meta({
      type: 'integer',
      minimum: min,
      maximum: max,
      ...(usual !== undefined && { default: usual }),
      description,
    });

export const defaultPageLimit = 50;

/** Query parameters of a list that is read page by page. */
export const pageLimit = wholeNumber(1, 200, defaultPageLimit, 'The most items of a page.');

/** @param maxLength of the cursors that the list issues */
export const pageCursor = (maxLength: number) =>
  wellFormed()
    .min(1, because('foreign_cursor'))
    .max(maxLength, because('foreign_cursor'))
    .optional()
    .meta({ description: 'nextCursor of the previous page.' });

/** For lists whose records are found by the beginnings of words. */
export const searchText = text(100)
  .regex(/[\p{L}\p{N}]/u, because('no_word'))
  .optional()
  .meta({
    minLength: 1,
    pattern: undefined,
    description: 'Words, or their beginnings; each has to begin a word of the record.',
  });
