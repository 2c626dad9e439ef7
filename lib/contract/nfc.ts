/**
 * How long a text may be that has at most `limit` UTF-16 code units in NFC, which shortens a text to a quarter at most
 * (UAX #15, table 6). To be held before NFC is made of it: that takes time with the square of the combining marks in a
 * row, 46 s for 350,000 of them.
 */
export const longestBeforeNfc = (limit: number): number => 4 * limit;
