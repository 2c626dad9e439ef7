import { dateControls } from './date-fields.ts';
import { isPlaceholder } from '../filling/placeholders.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import { isStore } from './unfillable-places.ts';
import {
  below,
  child,
  type Document,
  type Element,
  elements,
  isOn,
  remove,
  textOf,
} from '../word/xml-tree.ts';

// What a template has besides its text. Each function returns sentences for people, and those that change something say why.

const settingsPath = 'word/settings.xml';

/** Removes a setting of the document, and the relationship it names. @returns the target, or an empty text */
function removeSetting(parts: TemplateParts, name: string): string | null {
  const settings = parts.tree(settingsPath);
  const found = settings === undefined ? [] : elements(settings, name);
  if (found.length === 0) return null;
  let target = '';
  for (const each of found) {
    for (const inside of [each, ...elements(each, 'w:dataSource', 'w:headerSource')]) {
      const id = inside.getAttribute('r:id') ?? '';
      target ||= parts.relationships(settingsPath).get(id)?.target ?? '';
      if (id !== '') parts.removeRelationship(settingsPath, id);
    }
    remove(each);
  }
  parts.markChanged(settingsPath);
  return target;
}

export const setting =
  (name: string, what: string, why: string) =>
  (parts: TemplateParts): string[] => {
    const target = removeSetting(parts, name);
    return target === null ? [] : [`${what}${target === '' ? '' : ` ${target}`} is removed: ${why}`];
  };

export const anyIn = (parts: TemplateParts, name: string): boolean =>
  parts.texts.some(([, tree]) => elements(tree, name).length > 0);

// --- Content controls.

interface Control {
  readonly path: string;
  readonly properties: Element;
  /** Its title or tag, in quotes; empty without one. */
  readonly name: string;
  readonly text: string;
}

function controlsIn(parts: TemplateParts): Control[] {
  return parts.texts.flatMap(([path, tree]) =>
    elements(tree, 'w:sdt').flatMap((element) => {
      const properties = child(element, 'w:sdtPr');
      if (properties === undefined) return [];
      const valueOf = (each: string): string | null | undefined =>
        child(properties, each)?.getAttribute('w:val');
      const name = valueOf('w:alias') || valueOf('w:tag') || '';
      const text = textOf(child(element, 'w:sdtContent') ?? element).trim();
      return [{ path, properties, name: name === '' ? '' : ` "${name}"`, text }];
    }),
  );
}

/**
 * Word and LibreOffice show the data of a bound control, not its text (ECMA-376 part 1, 17.5.2.6): letters would show what
 * the data had when the template was saved, or the letter's own properties.
 */
export function boundControls(parts: TemplateParts): string[] {
  return controlsIn(parts).flatMap(({ path: part, properties, name, text }) => {
    const bindings = elements(properties, 'w:dataBinding', 'w15:dataBinding');
    if (bindings.length === 0) return [];
    for (const each of bindings) remove(each);
    parts.markChanged(part);
    const path = bindings[0]!.getAttribute('w:xpath')?.replaceAll(/\[\d+\]|\w+:/g, '') ?? '';
    return [
      `the content control${name} is no longer bound to the data ${path}: letters have its text "${shortened(text)}"`,
    ];
  });
}

export function lockedControls(parts: TemplateParts): string[] {
  return controlsIn(parts).flatMap(({ path, properties, name, text }) => {
    const lock = child(properties, 'w:lock');
    if (lock === undefined || !/content/i.test(lock.getAttribute('w:val') ?? '')) return [];
    remove(lock);
    parts.markChanged(path);
    return [`the content control${name} is unlocked, so that the user can correct "${shortened(text)}"`];
  });
}

/** Which data hold placeholders: they are filled, but no control shows them. */
export function storedPlaceholders(parts: TemplateParts): string[] {
  return [...parts.trees]
    .filter(([name]) => isStore(name))
    .flatMap(([name, tree]) =>
      [...new Set(textOf(tree.documentElement!).match(/\{\{[^{}]{0,80}\}\}/g))].map((written) =>
        isPlaceholder(written.slice(2, -2).trim())
          ? `${written} in the data of content controls (${name}) is shown by none of them: type it into the control itself`
          : `${written} in the data of content controls (${name})`,
      ),
    );
}

export function fixedDates(parts: TemplateParts): string[] {
  const controls = parts.texts
    .flatMap(([, tree]) => dateControls(tree))
    .map(
      (shown) => `a date control shows "${shortened(shown)}" in each letter: put a date field in its place`,
    );
  const blocks = ['w:dayLong', 'w:dayShort', 'w:monthLong', 'w:monthShort', 'w:yearLong', 'w:yearShort'];
  return blocks.some((name) => anyIn(parts, name))
    ? [...controls, 'a date block shows the day on which the letter is opened: put a date field in its place']
    : controls;
}

// --- Files and pictures.

export function pathsOfEmbeddedPictures(parts: TemplateParts): string[] {
  return parts.texts.flatMap(([path, tree]) =>
    elements(tree, 'a:blip')
      .filter((each) => each.hasAttribute('r:embed') && each.hasAttribute('r:link'))
      .map((each) => {
        const id = each.getAttribute('r:link') ?? '';
        const target = parts.relationships(path).get(id)?.target ?? '';
        each.removeAttribute('r:link');
        parts.markChanged(path);
        parts.removeRelationship(path, id);
        return `the link of a picture to ${target} is removed: the picture is in the letter`;
      }),
  );
}

export function linkedFiles(parts: TemplateParts): string[] {
  return parts.texts.flatMap(([path]) =>
    [...parts.relationships(path).values()]
      .filter(({ type, isExternal }) => isExternal && type !== 'hyperlink')
      .map(({ type, target }) =>
        type === 'image'
          ? `a picture is a link to ${target}: recipients see it only if they can read that file`
          : `a link to the file ${target}`,
      ),
  );
}

export const embeddedFiles = (parts: TemplateParts): string[] =>
  parts.names
    .filter((name) => name.startsWith('word/embeddings/'))
    .map((name) => `the embedded file ${name.replace(/^.*\//, '')}, which recipients can open`);

/** A picture of the template's first page, which file managers show for each letter. */
export function thumbnail(parts: TemplateParts): string[] {
  const found = [...parts.relationships('')].filter(([, { type }]) => type === 'thumbnail');
  for (const [id, { target }] of found) {
    parts.removeRelationship('', id);
    parts.removePart(target.replace(/^\//, ''));
  }
  return found.map(() => 'the preview picture is removed: it shows the template');
}

export function hiddenText(parts: TemplateParts): string[] {
  const runs = parts.texts
    .flatMap(([, tree]) => elements(tree, 'w:r'))
    .filter((run) => isOn(below(run, 'w:rPr', 'w:vanish')) && textOf(run).trim() !== '');
  return runs.length === 0
    ? []
    : [`hidden text, which recipients can show: "${shortened(runs.map(textOf).join(''))}"`];
}

// --- People and properties.

const tracked =
  'ins del moveFrom moveTo cellIns cellDel cellMerge rPrChange pPrChange sectPrChange tblPrChange tblGridChange trPrChange tcPrChange tblPrExChange numberingChange'
    .split(' ')
    .map((name) => `w:${name}`);

export const trackedBy = (parts: TemplateParts): string[] =>
  parts.texts.flatMap(([, tree]) =>
    elements(tree, ...tracked).map((each) => each.getAttribute('w:author') ?? ''),
  );

export function counted(what: string, authors: readonly string[]): string[] {
  if (authors.length === 0) return [];
  return [
    `${authors.length} ${what}${authors.length === 1 ? '' : 's'}, by ${[...new Set(authors)].join(', ')}`,
  ];
}

export function comments(tree: Document | undefined): string[] {
  const each = tree === undefined ? [] : elements(tree, 'w:comment');
  const quoted = each.map((comment) => `"${shortened(textOf(comment).trim())}"`);
  return counted(
    'comment',
    each.map((comment) => comment.getAttribute('w:author') ?? ''),
  ).map((line) => `${line}: ${quoted.join(', ')}`);
}

const shownProperties = [
  ['docProps/core.xml', 'dc:description', 'comments'],
  ['docProps/core.xml', 'cp:keywords', 'keywords'],
  ['docProps/app.xml', 'Company', 'company'],
  ['docProps/app.xml', 'Manager', 'manager'],
] as const;

export function properties(parts: TemplateParts): string[] {
  const valueOf = (part: string, name: string): string => {
    const tree = parts.tree(part);
    return (tree === undefined ? '' : elements(tree, name).map(textOf).join('')).trim();
  };
  const author = valueOf('docProps/core.xml', 'dc:creator');
  const shown = shownProperties.flatMap(([part, name, label]) => {
    const value = valueOf(part, name);
    return value === '' || value.includes('{{') ? [] : [`${label} "${value}"`];
  });
  const custom = parts.tree('docProps/custom.xml');
  const settings = parts.tree(settingsPath);
  const own = [
    ...(custom === undefined
      ? []
      : elements(custom, 'property').map((each) => each.getAttribute('name') ?? '')),
    ...(settings === undefined
      ? []
      : elements(settings, 'w:docVar').map((each) => each.getAttribute('w:name') ?? '')),
  ];
  return [
    ...(author === '' || author.includes('{{')
      ? []
      : [`the author "${author}" in the template itself; a letter has its sender as author`]),
    ...(shown.length === 0 ? [] : [`properties of the file: ${shown.join(', ')}`]),
    ...(own.length === 0 ? [] : [`properties and variables of programs: ${shortened(own.join(', '))}`]),
  ];
}

/** A document that is marked as final opens for reading. */
export function finalMark(parts: TemplateParts): string[] {
  const path = 'docProps/custom.xml';
  const tree = parts.tree(path);
  const found = (tree === undefined ? [] : elements(tree, 'property')).filter(
    (each) => each.getAttribute('name') === '_MarkAsFinal',
  );
  for (const each of found) remove(each);
  if (found.length > 0) parts.markChanged(path);
  return found.map(() => 'the mark as final is removed: the user could not correct the letter');
}

export const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
