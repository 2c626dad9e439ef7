import { sampleLetters } from './sample-letters.ts';
import { type Finding, settleTemplate } from '../../lib/activities/letter/template/settled-template.ts';
import { TemplateParts } from '../../lib/activities/letter/word/template-parts.ts';
import { isComments, templateZip } from '../../lib/activities/letter/word/template-zip.ts';
import { checkIsDocument } from '../../lib/activities/letter/word/word-document.ts';
import { type Document, elements, textOf } from '../../lib/activities/letter/word/xml-tree.ts';
import { valueOf } from '../../lib/activities/letter/filling/letter-values.ts';
import type { LetterMoment } from '../../lib/activities/letter/filling/letter-moment.ts';
import { type Placeholder, placeholders } from '../../lib/activities/letter/filling/placeholders.ts';
import {
  InvalidTemplateError,
  type TemplateFault,
} from '../../lib/activities/letter/word/template-rejection.ts';
import { prepareTemplate, type WordTemplate } from '../../lib/activities/letter/word-template.ts';

/** Facts about a Word template that an operator needs before using it. */
export interface TemplateReport {
  /** Names in double braces by part of the file, in text order, including those that are not placeholders. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  readonly unused: readonly Placeholder[];
  readonly faults: readonly TemplateFault[];
  /** Date fields as they appear in the letter. */
  readonly dates: readonly string[];
  /** What letters have in another way than the template, and what recipients would have besides the text. */
  readonly findings: readonly Finding[];
  /** `null` if there are faults. */
  readonly template: WordTemplate | null;
}

export function templateReport(file: Buffer, moment: LetterMoment): TemplateReport {
  const parts = partsOf(file);
  const found = parts === null ? new Map<string, string[]>() : foundIn(parts);
  const findings = parts === null ? [] : settleTemplate(parts).findings;
  const dates = parts === null ? [] : datesOf(parts, moment);
  const all = new Set([...found.values()].flat());
  const unused = placeholders.filter((name) => !all.has(name));
  try {
    // The service requires {{content}} too.
    const template = prepareTemplate(file, ['content']);
    return { found, unused, faults: [], dates, findings, template };
  } catch (error) {
    if (!(error instanceof InvalidTemplateError)) throw error;
    return { found, unused, faults: error.faults, dates: [], findings, template: null };
  }
}

function partsOf(file: Buffer): TemplateParts | null {
  try {
    const parts = new TemplateParts(templateZip(file));
    checkIsDocument(parts);
    return parts;
  } catch (error) {
    // prepareTemplate reports faults of the package.
    if (error instanceof InvalidTemplateError) return null;
    throw error;
  }
}

// Searches the text itself by whole paragraphs, so that faults elsewhere and split runs hide nothing.
function foundIn(parts: TemplateParts): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, tree] of parts.trees) {
    // Not filled.
    if (isComments({ name })) continue;
    const names = textsIn(name, tree).flatMap((text) =>
      [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map(([, written = '']) => written),
    );
    if (names.length > 0) found.set(name, [...new Set(names)]);
  }
  return found;
}

function textsIn(name: string, tree: Document): string[] {
  if (name.endsWith('.rels')) {
    return elements(tree, 'Relationship').map((each) =>
      (each.getAttribute('Target') ?? '')
        .replaceAll(/%7B/gi, '{')
        .replaceAll(/%7D/gi, '}')
        .replaceAll('%20', ' '),
    );
  }
  const paragraphs = elements(tree, 'w:p');
  return (paragraphs.length === 0 ? [tree.documentElement!] : paragraphs).map(textOf);
}

/** @param parts as settled, in which date fields are placeholders */
function datesOf(parts: TemplateParts, moment: LetterMoment): string[] {
  const letter = { values: sampleLetters.full, moment };
  return parts.texts.flatMap(([name, tree]) =>
    elements(tree, 'w:t').flatMap((text) =>
      [...textOf(text).matchAll(/\{\{(\s*(?:DATE|TIME|CREATEDATE|SAVEDATE)[^{}]*)\}\}/gi)].map(
        ([, code = '']) => `${placeOf(name)}: ${valueOf(code)?.(letter)}`,
      ),
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
export function reportLines({ found, unused, faults, dates, findings }: TemplateReport): string[] {
  const those = (kind: Finding['kind']): string[] => [
    ...new Set(findings.filter((each) => each.kind === kind).map(({ message }) => message)),
  ];
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
    ...section('Changed in letters', those('changed')),
    ...section('Besides the text, recipients would have', those('kept')),
    ...section(
      faults.length === 1 ? 'One fault' : `${faults.length} faults`,
      faults.map(({ path, message }) => (path === 'template' ? message : `${placeOf(path)}: ${message}`)),
    ),
  ];
}
