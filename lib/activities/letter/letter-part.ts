import { corePropertiesPath, languagePlaces, ownProperties, propertyPlaces } from './core-properties.ts';
import { dateFields, type MomentPlace } from './date-fields.ts';
import { type FixedBox, fixedBoxes, type SizePlace } from './fixed-boxes.ts';
import { slotPattern, unknownPlaceholder } from './docx-placeholders.ts';
import type { TemplateFault } from './template-fault.ts';
import type { LetterMoment } from './letter-moment.ts';
import {
  type LetterLines,
  paragraphLines,
  type PlacedLines,
  writtenLines,
  type WrittenLines,
  writtenText,
} from './letter-lines.ts';
import { contentParagraphs, type ParagraphShape, paragraphsXml } from './letter-paragraphs.ts';
import { lines, oneLine, xmlLines } from './letter-text.ts';
import { isPlaceholder, type LetterValues, type Placeholder } from './placeholders.ts';
import { scaledPt, typeScale } from './type-size.ts';
import { xmlTree } from './xml-tree.ts';

/** One part of a Word template, split at its placeholders: a literal before, between and after the slots. */
export interface PreparedPart {
  readonly literals: readonly Buffer[];
  readonly slots: readonly Slot[];
}

/**
 * - `line`: text outside a `w:t` (document properties, drawings).
 * - `target`: the address of a link.
 * - `paragraphs`: `{{content}}` alone in its paragraph.
 * - `piece`: a piece of a line in a `w:t`, where a line break is an element of its own.
 * - `opening`, `closing`: the ends of a paragraph that is removed when it has no text.
 * - `moment`: a date field, or a property of the file.
 * - `size`: the type size of a run in a box.
 */
type Slot =
  | { readonly kind: 'line' | 'target'; readonly name: Placeholder }
  | { readonly kind: 'paragraphs'; readonly shape: ParagraphShape }
  | {
      readonly kind: 'piece';
      readonly lines: LetterLines;
      readonly index: number;
      readonly name: Placeholder | null;
      readonly isFirst: boolean;
      readonly xml: string;
    }
  | { readonly kind: 'opening'; readonly lines: LetterLines }
  | { readonly kind: 'closing'; readonly lines: LetterLines }
  | { readonly kind: 'moment'; readonly xml: (moment: LetterMoment) => string }
  | { readonly kind: 'size'; readonly box: FixedBox; readonly place: SizePlace; readonly xml: string };

interface PlacedSlot {
  readonly start: number;
  readonly end: number;
  /** A string is text that is the same in every letter. */
  readonly slot: Slot | string;
}

/**
 * Splits XML whose placeholders docxtemplater has joined; a `.rels` part is split at the placeholders in link targets.
 * @param stylesXml `word/styles.xml` of the template, or the empty string
 */
export function preparedPart(
  path: string,
  joined: string,
  stylesXml: string,
): { prepared: PreparedPart; faults: TemplateFault[] } {
  const xml = path === corePropertiesPath ? ownProperties(joined) : joined;
  const { placed, faults } = path.endsWith('.rels')
    ? linkTargetSlots(path, xml)
    : { placed: textSlots(path, xml, stylesXml), faults: [] };
  const literals: Buffer[] = [];
  const slots: Slot[] = [];
  let literal = '';
  let at = 0;
  for (const { start, end, slot } of placed) {
    literal += xml.slice(at, start);
    at = end;
    if (typeof slot === 'string') literal += slot;
    else {
      literals.push(Buffer.from(literal));
      slots.push(slot);
      literal = '';
    }
  }
  literals.push(Buffer.from(literal + xml.slice(at)));
  return { prepared: { literals, slots }, faults };
}

export function filledPart(part: PreparedPart, values: LetterValues, moment: LetterMoment): Buffer {
  const written = new Map<string, Buffer>();
  const writtenParagraphs = new Map<LetterLines, WrittenLines>();
  const linesOf = (lines: LetterLines): WrittenLines => {
    const known = writtenParagraphs.get(lines) ?? writtenLines(lines, values);
    writtenParagraphs.set(lines, known);
    return known;
  };
  const scales = new Map<FixedBox, number>();
  const scaleOf = (box: FixedBox): number => {
    const known = scales.get(box) ?? boxScale(box, linesOf);
    scales.set(box, known);
    return known;
  };
  const write = (slot: Exclude<Slot, { kind: 'opening' | 'closing' }>): Buffer => {
    if (slot.kind === 'piece') {
      const text = linesOf(slot.lines).pieces.get(slot.index);
      if (text === null || text === undefined) return Buffer.from(slot.xml);
      return Buffer.from(slot.isFirst ? valueXml.lines(text) : '');
    }
    if (slot.kind === 'size') return Buffer.from(sizeXml(slot.place, slot.xml, scaleOf(slot.box)));
    if (slot.kind === 'paragraphs') return Buffer.from(paragraphsXml(slot.shape, values.content));
    if (slot.kind === 'moment') return Buffer.from(slot.xml(moment));
    const key = `${slot.kind} ${slot.name}`;
    const known = written.get(key) ?? Buffer.from(valueXml[slot.kind](values[slot.name]));
    written.set(key, known);
    return known;
  };
  const chunks: Buffer[] = [];
  let isLeftOut = false;
  for (const [index, literal] of part.literals.entries()) {
    if (!isLeftOut) chunks.push(literal);
    const slot = part.slots[index];
    if (slot === undefined) continue;
    if (slot.kind === 'opening') isLeftOut = linesOf(slot.lines).isRemoved;
    else if (slot.kind === 'closing') isLeftOut = false;
    else if (!isLeftOut) chunks.push(write(slot));
  }
  return Buffer.concat(chunks);
}

function boxScale(
  { room, paragraphs }: FixedBox,
  linesOf: (lines: LetterLines) => ReturnType<typeof writtenLines>,
): number {
  const shown = paragraphs.flatMap(({ format, content }) => {
    const text = typeof content === 'string' ? content : writtenText(content, linesOf(content));
    return text === null ? [] : [{ text, format }];
  });
  return typeScale(room, shown);
}

function sizeXml({ sizePt, xml }: SizePlace, original: string, scale: number): string {
  return scale === 1 ? original : xml(`<w:sz w:val="${2 * scaledPt(sizePt, scale)}"/>`);
}

const valueXml = {
  lines: (value: string) => xmlLines(lines(value)),
  line: (value: string) => xmlLines([oneLine(value)]),
  // `@` is kept: programs that show the address of a mailto link do not decode it.
  target: (value: string) => encodeURIComponent(oneLine(value)).replaceAll("'", '%27').replaceAll('%40', '@'),
};

function textSlots(path: string, xml: string, stylesXml: string): PlacedSlot[] {
  const tree = xmlTree(xml.includes('\uE000') ? xml : '');
  const alone = contentParagraphs(tree);
  const moments = momentPlaces(path, xml);
  const taken = [...alone, ...moments];
  const isTaken = (at: number): boolean => taken.some(({ start, end }) => start <= at && at < end);
  const inline = [...xml.matchAll(slotPattern)].flatMap(
    ({ index, 0: { length }, 1: name = '' }): PlacedSlot[] => {
      if (!isPlaceholder(name) || isTaken(index)) return [];
      const isWordText = /^<w:t[\s>]/.test(xml.slice(xml.lastIndexOf('<', index), index));
      return isWordText ? [] : [{ start: index, end: index + length, slot: { kind: 'line', name } }];
    },
  );
  const paragraphsWithLines = paragraphLines(xml, taken);
  const lines = paragraphsWithLines.flatMap(lineSlots);
  const linesByStart = new Map(paragraphsWithLines.map((placed) => [placed.start, placed.lines]));
  const { boxes, rules } = fixedBoxes(tree, stylesXml, (start) => linesByStart.get(start));
  const heights = rules.map((place): PlacedSlot => ({ ...place, slot: 'atLeast' }));
  const sizes = boxes.flatMap(({ box, sizes: places }) =>
    places
      .filter(({ start }) => !isTaken(start))
      .map((place): PlacedSlot => {
        const { start, end } = place;
        return { start, end, slot: { kind: 'size', box, place, xml: xml.slice(start, end) } };
      }),
  );
  const paragraphs = alone.map(({ start, end, shape }): PlacedSlot => ({
    start,
    end,
    slot: { kind: 'paragraphs', shape },
  }));
  const fields = moments.map(({ start, end, xml: written }): PlacedSlot => ({
    start,
    end,
    slot: { kind: 'moment', xml: written },
  }));
  return [...inline, ...lines, ...paragraphs, ...fields, ...heights, ...sizes].sort(
    (one, other) => one.start - other.start || one.end - other.end,
  );
}

function lineSlots({ start, end, lines, places }: PlacedLines): PlacedSlot[] {
  const inside = places.map(({ piece: { kind, text, index }, isFirst, xml, ...place }): PlacedSlot => {
    const name = kind === 'slot' && isPlaceholder(text) ? text : null;
    return { ...place, slot: { kind: 'piece', lines, index, name, isFirst, xml } };
  });
  if (!lines.isRemovable) return inside;
  return [
    { start, end: start, slot: { kind: 'opening', lines } },
    ...inside,
    { start: end, end, slot: { kind: 'closing', lines } },
  ];
}

function momentPlaces(path: string, xml: string): MomentPlace[] {
  if (path === corePropertiesPath) return propertyPlaces(xml);
  if (path === 'word/styles.xml') return languagePlaces(xml);
  return path.startsWith('word/') ? dateFields(xml) : [];
}

// Word percent-encodes the braces in a link's address, LibreOffice does not.
const linkTarget = /(?:\{\{|%7B%7B)(?:\s|%20)*(.*?)(?:\s|%20)*(?:\}\}|%7D%7D)/gi;

function linkTargetSlots(path: string, xml: string): { placed: PlacedSlot[]; faults: TemplateFault[] } {
  const placed: PlacedSlot[] = [];
  const faults: TemplateFault[] = [];
  for (const {
    index,
    0: { length },
    1: name = '',
  } of xml.matchAll(linkTarget)) {
    if (isPlaceholder(name))
      placed.push({ start: index, end: index + length, slot: { kind: 'target', name } });
    else faults.push({ path, message: unknownPlaceholder(name) });
  }
  return { placed, faults };
}
