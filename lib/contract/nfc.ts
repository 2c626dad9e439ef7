import { because } from './faults.ts';
import { wellFormed } from './text.ts';

/**
 * The maximum length of a text that has at most `limit` UTF-16 code units in NFC. NFC shortens a text to a quarter at most
 * (UAX #15, table 6). Check it before normalizing: normalization takes quadratic time in the number of consecutive
 * combining marks, 46 s for 350,000 of them.
 */
export const longestBeforeNfc = (limit: number): number => 4 * limit;

/** A text that has at most `max` characters in NFC; checks only that normalizing it takes little time. */
export const textBeforeNfc = (max: number) =>
  wellFormed()
    .refine((text) => text.length <= longestBeforeNfc(max), {
      error: because('too_long'),
      params: { max },
      abort: true,
    })
    .meta({ maxLength: max });
