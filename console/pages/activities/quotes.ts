import type { components } from '../../openapi/openapi-types.ts';

export type Warning = components['schemas']['Warning'];
/** A value of the text that follows from the order in one step, and how. */
export type Derived = components['schemas']['Derived'];

/** The words of the text that a warning quotes, or that follow from the order. */
export interface Quote {
  readonly note: { readonly warning: Warning } | { readonly derived: Derived };
  readonly start: number;
  readonly end: number;
}

export interface PlacedWarnings {
  /** In the order of the text, without overlaps. */
  readonly quotes: readonly Quote[];
  /** Warnings about no particular words. */
  readonly general: readonly Warning[];
}

/**
 * Where the warnings, and what follows from the order, belong in the text that the user has edited.
 *
 * @param written the text that the warnings are about. Words that it has and the edited one has not are settled, and so is
 * their warning.
 * @param derived of the content alone: `start` is an index of `written`
 */
export function placeWarnings(
  warnings: readonly Warning[],
  written: string,
  edited: string,
  derived: readonly Derived[] = [],
): PlacedWarnings {
  const quotes: Quote[] = [];
  const general: Warning[] = [];
  for (const warning of warnings) {
    const words = warning.excerpt;
    if (words === undefined || !written.includes(words)) {
      general.push(warning);
      continue;
    }
    const start = placeOf(words, edited, quotes);
    if (start !== undefined) quotes.push({ note: { warning }, start, end: start + words.length });
  }
  for (const each of derived) {
    const start = placeOf(each.excerpt, edited, quotes, each.start);
    if (start !== undefined)
      quotes.push({ note: { derived: each }, start, end: start + each.excerpt.length });
  }
  return { quotes: quotes.toSorted((a, b) => a.start - b.start), general };
}

/** The place of the words that is nearest to `near` and at which no other note is. */
function placeOf(words: string, text: string, taken: readonly Quote[], near = 0): number | undefined {
  let found: number | undefined;
  for (let start = text.indexOf(words); start !== -1; start = text.indexOf(words, start + 1)) {
    const end = start + words.length;
    const isFree = taken.every((quote) => end <= quote.start || start >= quote.end);
    if (isFree && (found === undefined || Math.abs(start - near) < Math.abs(found - near))) found = start;
  }
  return found;
}

/** What is derived in the subject, and in the content, with the places that it has there. */
export function inParts(
  derived: readonly Derived[],
  subject: string,
): { subject: readonly Derived[]; content: readonly Derived[] } {
  const beginning = subject.length + 1;
  return {
    subject: derived.filter(({ start }) => start < beginning),
    content: derived
      .filter(({ start }) => start >= beginning)
      .map((each) => ({ ...each, start: each.start - beginning })),
  };
}

/** `7.378,00 EUR = 6.200 + 19 %`; `anbei: „Foto dabei“`. */
export const stepText = ({ excerpt, from }: Derived): string =>
  /\d/.test(excerpt + from) ? `${excerpt} = ${from}` : `${excerpt}: „${from}“`;

/** The text in pieces: each is between two quotes or in one. */
export function pieces(text: string, quotes: readonly Quote[]): readonly { text: string; quote?: Quote }[] {
  const found: { text: string; quote?: Quote }[] = [];
  let from = 0;
  for (const quote of quotes) {
    found.push({ text: text.slice(from, quote.start) }, { text: text.slice(quote.start, quote.end), quote });
    from = quote.end;
  }
  return [...found, { text: text.slice(from) }];
}

/**
 * The tops of notes beside their words: each at its words, but below the note before it.
 *
 * @param notes in the order of the text, in pixels
 */
export function topsOf(notes: readonly { readonly wanted: number; readonly height: number }[], gap: number) {
  let free = 0;
  return notes.map(({ wanted, height }) => {
    const top = Math.max(wanted, free);
    free = top + height + gap;
    return top;
  });
}
