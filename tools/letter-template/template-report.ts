import { leftoversIn } from './leftovers.ts';
import type { TemplateXml } from './template-text.ts';
import { sampleLetters } from './sample-letters.ts';
import { templateZip, isXml } from '../../lib/activities/letter/template-zip.ts';
import { valueOf } from '../../lib/activities/letter/letter-values.ts';
import type { LetterMoment } from '../../lib/activities/letter/letter-moment.ts';
import { type Placeholder, placeholders } from '../../lib/activities/letter/placeholders.ts';
import { InvalidTemplateError, type TemplateFault } from '../../lib/activities/letter/template-rejection.ts';
import { prepareTemplate, type WordTemplate } from '../../lib/activities/letter/word-template.ts';

/** Facts about a Word template that an operator needs before using it. */
export interface TemplateReport {
  /** Names in double braces by part of the file, in text order, including those that are not placeholders. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  readonly unused: readonly Placeholder[];
  readonly faults: readonly TemplateFault[];
  /** Date fields as they appear in the letter. */
  readonly dates: readonly string[];
  /** What recipients of letters would have, besides the text. */
  readonly leftovers: readonly string[];
  /** `null` if there are faults. */
  readonly template: WordTemplate | null;
}

export function templateReport(file: Buffer, moment: LetterMoment): TemplateReport {
  const xmlByPart = xmlOf(file);
  const found = foundIn(xmlByPart);
  const leftovers = leftoversIn(xmlByPart);
  const all = new Set([...found.values()].flat());
  const unused = placeholders.filter((name) => !all.has(name));
  try {
    // The service requires {{content}} too.
    const template = prepareTemplate(file, ['content']);
    return {
      found,
      unused,
      faults: [],
      dates: datesOf(xmlOf(template.file), moment),
      leftovers,
      template,
    };
  } catch (error) {
    if (!(error instanceof InvalidTemplateError)) throw error;
    return { found, unused, faults: error.faults, dates: [], leftovers, template: null };
  }
}

// Searches the text itself by whole paragraphs, so that faults elsewhere and split runs hide nothing.
function foundIn(xmlByPart: TemplateXml): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, xml] of xmlByPart) {
    // Not filled.
    if (name.endsWith('/comments.xml')) continue;
    const text = name.endsWith('.rels')
      ? xml.replaceAll(/%7B/gi, '{').replaceAll(/%7D/gi, '}').replaceAll('%20', ' ')
      : xml.replaceAll('</w:p>', '\n').replaceAll(/<[^>]*>/g, '');
    const names = [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map(([, written = '']) => written);
    if (names.length > 0) found.set(name, [...new Set(names)]);
  }
  return found;
}

function xmlOf(file: Buffer): TemplateXml {
  try {
    const parts = Object.values(templateZip(file).files).filter(isXml);
    return new Map(parts.map((part) => [part.name, part.asText()]));
  } catch (error) {
    // prepareTemplate reports faults of the package.
    if (error instanceof InvalidTemplateError) return new Map();
    throw error;
  }
}

const textParts = (xmlByPart: TemplateXml): [name: string, xml: string][] =>
  [...xmlByPart].filter(([name]) => /^word\/[^/]*\.xml$/.test(name));

function datesOf(xmlByPart: TemplateXml, moment: LetterMoment): string[] {
  const letter = { values: sampleLetters.full, moment };
  return textParts(xmlByPart).flatMap(([name, xml]) =>
    [...xml.matchAll(/\{\{(\s*(?:DATE|TIME|CREATEDATE|SAVEDATE)[^{}]*)\}\}/gi)].map(
      ([, code = '']) => `${placeOf(name)}: ${valueOf(code.replaceAll('&quot;', '"'))?.(letter)}`,
    ),
  );
}

const placeNames: readonly (readonly [RegExp, string])[] = [
  [/^word\/document\.xml$/, 'text'],
  [/^word\/header\d*\.xml$/, 'header'],
  [/^word\/footer\d*\.xml$/, 'footer'],
  [/^word\/footnotes\.xml$/, 'footnotes'],
  [/^word\/endnotes\.xml$/, 'endnotes'],
  [/\.rels$/, 'addresses of links'],
  [/^docProps\//, 'properties of the file'],
];

function placeOf(path: string): string {
  const name = placeNames.find(([pattern]) => pattern.test(path))?.[1];
  return name === undefined || name === 'text' ? (name ?? path) : `${name} (${path})`;
}

/** The printed report. */
export function reportLines({ found, unused, faults, dates, leftovers }: TemplateReport): string[] {
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
  return [
    ...section(
      'Placeholders',
      [...found].map(([path, names]) => `${placeOf(path)}: ${names.map((name) => `{{${name}}}`).join(' ')}`),
    ),
    ...section(
      'Not in the template',
      unused.length === 0 || found.size === 0 ? [] : [unused.map((name) => `{{${name}}}`).join(' ')],
    ),
    ...section('Date fields, as letters show them', dates),
    ...section('Besides the text, recipients would have', leftovers),
    ...section(
      faults.length === 1 ? 'One fault' : `${faults.length} faults`,
      faults.map(({ path, message }) => (path === 'template' ? message : `${placeOf(path)}: ${message}`)),
    ),
  ];
}
