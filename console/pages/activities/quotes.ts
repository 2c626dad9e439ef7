import type { components } from '../../openapi/openapi-types.ts';

export type Warning = components['schemas']['Warning'];

/** A warning and the words of the text that it quotes. */
export interface Quote {
  readonly warning: Warning;
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
 * Where the warnings belong in the text that the user has edited.
 *
 * @param written the text that the warnings are about. Words that it has and the edited one has not are settled, and so is
 * their warning.
 */
export function placed(warnings: readonly Warning[], written: string, edited: string): PlacedWarnings {
  const quotes: Quote[] = [];
  const general: Warning[] = [];
  for (const warning of warnings) {
    const words = warning.excerpt;
    if (words === undefined || !written.includes(words)) {
      general.push(warning);
      continue;
    }
    const start = placeOf(words, edited, quotes);
    if (start !== undefined) quotes.push({ warning, start, end: start + words.length });
  }
  return { quotes: quotes.toSorted((a, b) => a.start - b.start), general };
}

/** The first place of the words at which no other warning is. */
function placeOf(words: string, text: string, taken: readonly Quote[]): number | undefined {
  for (let start = text.indexOf(words); start !== -1; start = text.indexOf(words, start + 1)) {
    const end = start + words.length;
    if (taken.every((quote) => end <= quote.start || start >= quote.end)) return start;
  }
  return undefined;
}

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
