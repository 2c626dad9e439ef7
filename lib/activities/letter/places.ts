import type { LetterMoment } from './letter-moment.ts';
import type { LetterValues } from './placeholders.ts';

/** What a letter consists of besides its template. */
export interface Letter {
  readonly values: LetterValues;
  readonly moment: LetterMoment;
}

export type Write = (letter: Letter, inside: () => string) => string;

/** A span of a template's XML that is replaced, in general by each letter in its own way. Spans may be inside each other. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** The same in each letter, or a function; its `inside` returns the span itself, with the places inside it written. */
  readonly write: string | Write;
}

/** XML, split at its places. */
export type PreparedXml = readonly (string | PreparedPlace)[];

interface PreparedPlace {
  readonly write: Write;
  readonly inside: PreparedXml;
}

export function preparedXml(xml: string, places: readonly Place[]): PreparedXml {
  const sorted = places.toSorted((one, other) => one.start - other.start || other.end - one.end);
  let next = 0;
  const split = (from: number, to: number): PreparedXml => {
    const pieces: (string | PreparedPlace)[] = [];
    let at = from;
    for (let place = sorted[next]; place !== undefined && place.start < to; place = sorted[next]) {
      next++;
      const { start, end, write } = place;
      const inside = split(start, end);
      pieces.push(xml.slice(at, start), typeof write === 'string' ? write : { write, inside });
      at = end;
    }
    pieces.push(xml.slice(at, to));
    return pieces;
  };
  return split(0, xml.length);
}

export function writtenXml(prepared: PreparedXml, letter: Letter): string {
  let xml = '';
  for (const piece of prepared)
    xml += typeof piece === 'string' ? piece : piece.write(letter, () => writtenXml(piece.inside, letter));
  return xml;
}

/** The function, which computes its result again only for another letter: several places of a paragraph share it. */
export function oncePerLetter<Result>(compute: (letter: Letter) => Result): (letter: Letter) => Result {
  let last: { readonly letter: Letter; readonly result: Result } | undefined;
  return (letter) => {
    if (last?.letter !== letter) last = { letter, result: compute(letter) };
    return last.result;
  };
}

/** The XML, with places that are the same in each letter. */
export const edited = (xml: string, places: readonly Place[]): string =>
  preparedXml(xml, places)
    .filter((piece) => typeof piece === 'string')
    .join('');
