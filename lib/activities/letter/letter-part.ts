import { corePropertiesPath, languagePlaces, propertyPlaces } from './core-properties.ts';
import { dateFields } from './date-fields.ts';
import { boxPlaces } from './fixed-boxes.ts';
import { joinedPlaceholders, slotOf, slotPattern, unknownPlaceholder } from './joined-placeholders.ts';
import { lineElements, linePlaces } from './letter-lines.ts';
import { contentPlace } from './letter-paragraphs.ts';
import { escaped, oneLine } from './letter-text.ts';
import { isPlaceholder, type Placeholder } from './placeholders.ts';
import { type Place, type PreparedXml, preparedXml, type Write } from './places.ts';
import { type XmlElement, xmlTree } from './xml-tree.ts';

interface PreparedPart {
  readonly prepared: PreparedXml;
  readonly namesInText: readonly Placeholder[];
  /** As sentences. */
  readonly faults: readonly string[];
}

/**
 * Splits one part of a template where letters differ.
 * @param stylesXml `word/styles.xml` of the template, or the empty string
 */
export function preparedPart(path: string, xml: string, stylesXml: string): PreparedPart {
  if (path.endsWith('.rels')) return linkTargets(xml);
  // What the author of the template noted in a comment is not filled.
  const isComments = path.endsWith('/comments.xml');
  const { xml: joined, faults } = isComments ? { xml, faults: [] } : joinedPlaceholders(xml);
  const slots = slotsIn(joined);
  return {
    prepared: preparedXml(joined, [...slots.flatMap(shortPlace), ...placesOf(path, joined, stylesXml)]),
    namesInText: slots.filter(({ isWordText }) => isWordText).map(({ name }) => name),
    faults,
  };
}

interface Slot {
  readonly name: Placeholder;
  readonly start: number;
  readonly end: number;
  readonly isWordText: boolean;
}

const slotsIn = (xml: string): Slot[] =>
  [...xml.matchAll(slotPattern)].map(({ index: start, 0: { length }, 1: name }) => ({
    name: name as Placeholder,
    start,
    end: start + length,
    isWordText: /^<w:t[\s>]/.test(xml.slice(xml.lastIndexOf('<', start), start)),
  }));

// Outside of Word's text: in document properties and drawings.
const shortPlace = ({ name, start, end, isWordText }: Slot): Place[] =>
  isWordText ? [] : [{ start, end, write: ({ values }) => escaped(oneLine(values[name])) }];

function placesOf(path: string, xml: string, stylesXml: string): Place[] {
  if (path === corePropertiesPath) return propertyPlaces(xml);
  if (path === 'word/styles.xml') return languagePlaces(xml);
  if (!path.startsWith('word/')) return [];
  const tree = xmlTree(xml);
  const paragraphs = Map.groupBy(tree.all(...lineElements), ({ paragraph }) => paragraph);
  return [
    ...[...paragraphs].flatMap(([paragraph, elements]) => paragraphPlaces(xml, paragraph, elements)),
    ...dateFields(tree),
    ...boxPlaces(tree, stylesXml),
  ];
}

function paragraphPlaces(
  xml: string,
  paragraph: XmlElement | undefined,
  elements: readonly XmlElement[],
): Place[] {
  const text = elements.map(({ name, content }) => (name === 'w:t' ? content : '')).join('');
  if (paragraph === undefined || !text.includes('\uE000')) return [];
  const content = text.trim() === slotOf('content') ? contentPlace(paragraph) : null;
  return content === null ? linePlaces(xml, paragraph, elements) : [content];
}

// Word percent-encodes the braces in a link's address, LibreOffice does not.
const linkTarget = /(?:\{\{|%7B%7B)(?:\s|%20)*(.*?)(?:\s|%20)*(?:\}\}|%7D%7D)/gi;

function linkTargets(xml: string): PreparedPart {
  const places: Place[] = [];
  const faults: string[] = [];
  for (const { index, 0: whole, 1: name = '' } of xml.matchAll(linkTarget)) {
    if (isPlaceholder(name)) {
      const write: Write = ({ values }) => inAddress(values[name]);
      places.push({ start: index, end: index + whole.length, write });
    } else faults.push(unknownPlaceholder(name));
  }
  return { prepared: preparedXml(xml, places), namesInText: [], faults };
}

// `@` is kept: programs that show the address of a mailto link do not decode it.
const inAddress = (value: string): string =>
  encodeURIComponent(oneLine(value)).replaceAll("'", '%27').replaceAll('%40', '@');
