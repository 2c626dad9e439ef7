import { fixedBoxTexts } from '../../lib/activities/letter/text-boxes.ts';
import { changingFields } from './changing-fields.ts';
import { plain, type TemplateXml, textOf } from './template-text.ts';

/**
 * What a template has besides its text, and every recipient of a letter would have: notes, tracked changes, connections
 * and properties of its author, and what looks different in a letter than in Word's view of the template.
 */
export function leftoversIn(xmlByPart: TemplateXml): string[] {
  const text = [...xmlByPart].filter(([name]) => /^word\/[^/]*\.xml$/.test(name)).map(([, xml]) => xml);
  const all = text.join('\n');
  const settings = xmlByPart.get('word/settings.xml') ?? '';
  return [
    ...comments(xmlByPart.get('word/comments.xml') ?? ''),
    ...counted('tracked change', authorsOf(all, tracked)),
    ...changingFields(all),
    ...fixedBoxTexts(all).map(
      (text) =>
        `a text box of a fixed height, in which a long value is cut off: "${shortened(text)}". Let it lie in front of the text, or resize to fit its text`,
    ),
    ...mailMerge(settings, xmlByPart.get('word/_rels/settings.xml.rels') ?? ''),
    ...(/<w:altChunk\s/.test(all)
      ? ['an embedded document (altChunk), in which placeholders are not filled']
      : []),
    ...properties(xmlByPart),
    ...stretchedLines(
      xmlByPart.get('word/document.xml') ?? '',
      xmlByPart.get('word/styles.xml') ?? '',
      settings,
    ),
  ];
}

const tracked =
  /<w:(?:ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge|\w+Change)\s[^>]*?w:author="([^"]*)"/g;

const authorsOf = (xml: string, pattern: RegExp): string[] =>
  [...xml.matchAll(pattern)].map(([, author = '']) => plain(author));

function counted(what: string, authors: readonly string[]): string[] {
  if (authors.length === 0) return [];
  return [
    `${authors.length} ${what}${authors.length === 1 ? '' : 's'}, by ${[...new Set(authors)].join(', ')}`,
  ];
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function comments(xml: string): string[] {
  const each = [...xml.matchAll(/<w:comment\s.*?<\/w:comment>/gs)].map(([comment]) => textOf(comment));
  const quoted = each.map((text) => `"${shortened(text)}"`);
  return counted('comment', authorsOf(xml, /<w:comment\s[^>]*?w:author="([^"]*)"/g)).map(
    (line) => `${line}: ${quoted.join(', ')}`,
  );
}

function mailMerge(settings: string, relationships: string): string[] {
  if (!/<w:mailMerge[\s>/]/.test(settings)) return [];
  const source = [...relationships.matchAll(/<Relationship\s[^>]*>/g)]
    .filter(([relationship]) => /Type="[^"]*\/mailMergeSource"/.test(relationship))
    .map(([relationship]) => plain(/Target="([^"]*)"/.exec(relationship)?.[1] ?? ''));
  return [`the connection of a mail merge${source.length === 0 ? '' : ` to ${source.join(', ')}`}`];
}

const shownProperties = [
  ['docProps/core.xml', 'dc:description', 'comments'],
  ['docProps/core.xml', 'cp:keywords', 'keywords'],
  ['docProps/app.xml', 'Company', 'company'],
  ['docProps/app.xml', 'Manager', 'manager'],
] as const;

function properties(xmlByPart: TemplateXml): string[] {
  const valueOf = (part: string, name: string): string =>
    plain(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</`).exec(xmlByPart.get(part) ?? '')?.[1] ?? '').trim();
  const author = valueOf('docProps/core.xml', 'dc:creator');
  const shown = shownProperties.flatMap(([part, name, label]) => {
    const value = valueOf(part, name);
    return value === '' || value.includes('{{') ? [] : [`${label} "${value}"`];
  });
  return [
    ...(author === '' || author.includes('{{')
      ? []
      : [`the author "${author}" in the template itself; a letter has its sender as author`]),
    ...(shown.length === 0 ? [] : [`properties of the file: ${shown.join(', ')}`]),
  ];
}

/** A line break in a justified paragraph stretches its line, unless a setting of Word prevents it. */
function stretchedLines(document: string, stylesXml: string, settings: string): string[] {
  if (/<w:doNotExpandShiftReturn(?:\s+w:val="(?:1|true|on)")?\s*\/>/.test(settings)) return [];
  const styles = new Map(
    [...stylesXml.matchAll(/<w:style\s([^>]*)>(.*?)<\/w:style>/gs)].map(([, attributes = '', style = '']) => {
      const [id = '', isDefault] = [
        /w:styleId="([^"]*)"/.exec(attributes)?.[1],
        /w:type="paragraph"/.test(attributes) && /w:default="(?:1|true)"/.test(attributes),
      ];
      const basedOn = /<w:basedOn\s+w:val="([^"]*)"/.exec(style)?.[1];
      return [id, { isDefault, basedOn, alignment: alignmentIn(style) }] as const;
    }),
  );
  const defaultId = [...styles].find(([, { isDefault }]) => isDefault)?.[0];
  const ofStyle = (id: string | undefined, depth = 0): string | undefined => {
    const style = styles.get(id ?? '');
    return style === undefined || depth > 10
      ? undefined
      : (style.alignment ?? ofStyle(style.basedOn, depth + 1));
  };
  const isJustified = (paragraph: string): boolean => {
    const id = /<w:pStyle\s+w:val="([^"]*)"/.exec(paragraph)?.[1] ?? defaultId;
    return /^(?:both|distribute)$/.test(alignmentIn(paragraph) ?? ofStyle(id) ?? '');
  };
  const found = [...document.matchAll(/<w:p(?:\s[^>]*)?>(?:(?!<w:p[\s>]).)*?<\/w:p>/gs)]
    .map(([paragraph]) => paragraph)
    .filter((paragraph) => /\{\{\s*content\s*\}\}/.test(textOf(paragraph)) && isJustified(paragraph));
  return found.length === 0
    ? []
    : [
        'justified text with line breaks: its lines are stretched. Align {{content}} left, or enable the layout option "Don\'t expand character spaces on a line that ends with SHIFT-RETURN"',
      ];
}

const alignmentIn = (xml: string): string | undefined => /<w:jc\s+w:val="(\w+)"/.exec(xml)?.[1];
