import type { LetterMoment } from './letter-moment.ts';
import type { LetterValues } from './placeholders.ts';

/** What a letter consists of besides its template. */
export interface Letter {
  readonly values: LetterValues;
  readonly moment: LetterMoment;
}

/** A span of a template's XML that each letter has in its own way. Spans may be inside each other. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** @param inside returns the span itself, with the places inside it written */
  readonly write: (letter: Letter, inside: () => string) => string;
}

/** XML, split at its places. */
export type PreparedXml = readonly (string | PreparedPlace)[];

interface PreparedPlace {
  readonly write: Place['write'];
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
      pieces.push(xml.slice(at, place.start), {
        write: place.write,
        inside: split(place.start, place.end),
      });
      at = place.end;
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

/** A span of XML that is replaced. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly xml: string;
}

/** @param edits in the order of the XML */
export function edited(xml: string, edits: readonly Edit[]): string {
  let at = 0;
  const pieces = edits.flatMap(({ start, end, xml: written }) => {
    const before = xml.slice(at, start);
    at = end;
    return [before, written];
  });
  return pieces.join('') + xml.slice(at);
}
