import { dateControls } from './date-fields.ts';
import { isPlaceholder } from '../filling/placeholders.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import { isStore } from './unfillable-places.ts';
import {
  around,
  below,
  child,
  type Document,
  type Element,
  elements,
  isOn,
  remove,
  textOf,
  walk,
} from '../word/xml-tree.ts';

// What a template has besides its text. Each function returns sentences for people, and those that change something say why.

const settingsPath = 'word/settings.xml';

/** Removes a setting of the document, and the relationship it names. @returns the target, or an empty text */
function removeSetting(parts: TemplateParts, name: string): string | null {
  const settings = parts.tree(settingsPath);
  const found = settings === undefined ? [] : elements(settings, name);
  if (found.length === 0) return null;
  const ids = new Set(
    found.flatMap((each) => [each, ...walk(each)].map((inside) => inside.getAttribute('r:id') ?? '')),
  );
  const related = parts.relationships(settingsPath);
  const external = [...ids].map((id) => related.get(id)).find((each) => each?.isExternal);
  parts.removeRelationships(settingsPath, ids);
  for (const each of found) remove(each);
  parts.markChanged(settingsPath);
  return external?.target ?? '';
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

/** Controls that show their prompt (`Click here …`), which Word takes for no text but prints. */
const promptsIn = (parts: TemplateParts): (Control & { readonly prompt: Element })[] =>
  controlsIn(parts).flatMap((control) => {
    const prompt = child(control.properties, 'w:showingPlcHdr');
    return prompt !== undefined && isOn(prompt) && control.text !== '' ? [{ ...control, prompt }] : [];
  });

const hasPlaceholder = ({ text }: Control): boolean => text.includes('{{');

export function filledPrompts(parts: TemplateParts): string[] {
  return promptsIn(parts)
    .filter(hasPlaceholder)
    .map(({ path, prompt, name, text }) => {
      remove(prompt);
      parts.markChanged(path);
      return `the text "${shortened(text)}" of the content control${name} is no longer its prompt: the first key in it would delete the value`;
    });
}

export const shownPrompts = (parts: TemplateParts): string[] =>
  promptsIn(parts)
    .filter((control) => !hasPlaceholder(control))
    .map(
      ({ name, text }) => `the content control${name} shows its prompt "${shortened(text)}" in each letter`,
    );

/** What the data of content controls have: it goes to recipients, and no control shows it. Placeholders in it are filled. */
export function storedData(parts: TemplateParts): string[] {
  return [...parts.trees]
    .filter(([name]) => isStore(name))
    .flatMap(([name, tree]) => {
      const text = textsOf(tree).replaceAll(/\s+/g, ' ').trim();
      const names = [...new Set(text.match(/\{\{[^{}]{0,80}\}\}/g))];
      if (names.length === 0)
        return text === '' ? [] : [`data of content controls (${name}): "${shortened(text)}"`];
      return names.map((written) =>
        isPlaceholder(written.slice(2, -2).trim())
          ? `${written} in the data of content controls (${name}) is shown by none of them: type it into the control itself`
          : `${written} in the data of content controls (${name})`,
      );
    });
}

/** With attributes that have words, which are not those of every document: its bibliography, and the ids of its data. */
function textsOf(tree: Document): string {
  const root = tree.documentElement!;
  if (/^(?:b:Sources|ds:datastoreItem)$/.test(root.nodeName)) return textOf(root);
  const attributes = [root, ...walk(root)].flatMap((each) =>
    [...each.attributes]
      .filter(({ name, value }) => !name.startsWith('xmlns') && /\p{L}{3}/u.test(value))
      .map(({ value }) => value),
  );
  return [textOf(root), ...attributes].join(' ');
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
  return parts.texts.flatMap(([path, tree]) => {
    const pictures = elements(tree, 'a:blip').filter(
      (each) => each.hasAttribute('r:embed') && each.hasAttribute('r:link'),
    );
    if (pictures.length === 0) return [];
    const ids = pictures.map((each) => each.getAttribute('r:link') ?? '');
    const related = parts.relationships(path);
    for (const each of pictures) each.removeAttribute('r:link');
    parts.markChanged(path);
    parts.removeRelationships(path, new Set(ids));
    return ids.map(
      (id) =>
        `the link of a picture to ${related.get(id)?.target ?? ''} is removed: the picture is in the letter`,
    );
  });
}

/** Of all parts: also of charts, and of pages that a template once was. */
export function linkedFiles(parts: TemplateParts): string[] {
  return parts.names.flatMap((path) =>
    [...parts.relationships(path).values()]
      .filter(({ type, target, isExternal }) => isExternal && (type !== 'hyperlink' || isOfMachine(target)))
      .map(({ type, target }) =>
        type === 'image'
          ? `a picture is a link to ${target}: recipients see it only if they can read that file`
          : `a link to the file ${target}`,
      ),
  );
}

/** A path of somebody's machine or network: `file:///C:/…`, `\\\\server\\…`, `C:\\…`. */
const isOfMachine = (target: string): boolean => /^(?:file:|\\\\|[a-z]:[\\/])/i.test(target);

export const embeddedFiles = (parts: TemplateParts): string[] =>
  parts.names.flatMap((path) => {
    const name = path.replace(/^.*\//, '');
    if (path.startsWith('word/embeddings/')) return [`the embedded file ${name}, which recipients can open`];
    return /^word\/activeX\/[^/]*\.bin$/.test(path)
      ? [`a control with a program (${name}), of which Word warns`]
      : [];
  });

/**
 * Parts that are no text of the letter and go to each recipient with it, by the last word of the type of the relationship
 * that names them: what they are, and why letters do not have them.
 */
const removedParts: readonly (readonly [type: string, what: string, why: string])[] = [
  ['thumbnail', 'the preview picture is', 'it shows the template'],
  ['glossaryDocument', 'the building blocks are', 'recipients would have all texts that are saved in them'],
  ['people', 'the list of authors is', 'it has their names and accounts'],
  ['printerSettings', 'the settings of a printer are', 'they have its name'],
  ['origin', 'the digital signature is', 'it is that of the template, and Word would call it invalid'],
  ['extensibility', 'the buttons are', 'letters do not have their macros'],
  ['keyMapCustomizations', 'the keys and toolbars are', 'letters do not have their macros'],
  ['webextensiontaskpanes', 'the panes of add-ins are', 'Word would open them at each recipient'],
];

export function partsBesideText(parts: TemplateParts): string[] {
  const lines = removedParts.flatMap(([type, what, why]) => {
    const found = ['', parts.mainPart!].filter((name) => {
      const related = [...parts.relationships(name)].filter(([, each]) => each.type === type);
      const ids = new Set(related.map(([id]) => id));
      parts.removeRelationships(name, ids);
      const tree = type === 'printerSettings' && ids.size > 0 ? parts.tree(name) : undefined;
      for (const each of tree === undefined ? [] : elements(tree, 'w:printerSettings')) {
        remove(each);
        parts.markChanged(name);
      }
      return ids.size > 0;
    });
    return found.length === 0 ? [] : [`${what} removed: ${why}`];
  });
  // With what only they name.
  parts.removeUnreachable();
  return lines;
}

/** By its own format, or by the style of the run or the paragraph. */
export function hiddenText(parts: TemplateParts): string[] {
  const styles = parts.tree('word/styles.xml');
  const hiding = new Set(
    (styles === undefined ? [] : elements(styles, 'w:style'))
      .filter((style) => isOn(below(style, 'w:rPr', 'w:vanish')))
      .map((style) => style.getAttribute('w:styleId')),
  );
  const isHidden = (run: Element): boolean => {
    const own = below(run, 'w:rPr', 'w:vanish');
    if (own !== undefined) return isOn(own);
    const paragraph = around(run, 'w:p');
    const named = [below(run, 'w:rPr', 'w:rStyle'), paragraph && below(paragraph, 'w:pPr', 'w:pStyle')];
    return named.some((each) => each !== undefined && hiding.has(each.getAttribute('w:val')));
  };
  const runs = parts.texts
    .flatMap(([, tree]) => elements(tree, 'w:r'))
    .filter((run) => isHidden(run) && textOf(run).trim() !== '');
  return runs.length === 0
    ? []
    : [`hidden text, which recipients can show: "${shortened(runs.map(textOf).join(''))}"`];
}

// --- People and properties.

const tracked =
  'ins del moveFrom moveTo cellIns cellDel cellMerge rPrChange pPrChange sectPrChange tblPrChange tblGridChange trPrChange tcPrChange tblPrExChange numberingChange'
    .split(' ')
    .map((name) => `w:${name}`);

export const authorsOfTrackedChanges = (parts: TemplateParts): string[] =>
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
  ['docProps/core.xml', 'dc:subject', 'subject'],
  ['docProps/core.xml', 'cp:category', 'category'],
  ['docProps/core.xml', 'cp:contentStatus', 'status'],
  ['docProps/app.xml', 'Company', 'company'],
  ['docProps/app.xml', 'Manager', 'manager'],
  ['docProps/app.xml', 'HyperlinkBase', 'base of links'],
  ['docProps/app.xml', 'Template', 'template'],
] as const;

/** Programs write dozens. */
const mostShown = 20;

export function properties(parts: TemplateParts): string[] {
  const valueOf = (part: string, name: string): string => {
    const tree = parts.tree(part);
    return (tree === undefined ? '' : elements(tree, name).map(textOf).join('')).trim();
  };
  const author = valueOf('docProps/core.xml', 'dc:creator');
  const shown = shownProperties.flatMap(([part, name, label]) => {
    const value = valueOf(part, name);
    // Word names its own template in each file.
    const isOrdinary = label === 'template' && /^Normal(?:\.dot[mx]?)?$/i.test(value);
    return value === '' || isOrdinary || value.includes('{{') ? [] : [`${label} "${value}"`];
  });
  const custom = parts.tree('docProps/custom.xml');
  const settings = parts.tree(settingsPath);
  const own = [
    ...(custom === undefined ? [] : elements(custom, 'property'))
      .filter((each) => !textOf(each).includes('{{'))
      .map((each) => `${each.getAttribute('name')} "${shortened(textOf(each).trim())}"`),
    ...(settings === undefined ? [] : elements(settings, 'w:docVar')).map(
      (each) => `${each.getAttribute('w:name')} "${shortened(each.getAttribute('w:val') ?? '')}"`,
    ),
  ];
  const more = own.splice(mostShown).length;
  return [
    ...(author === '' || author.includes('{{')
      ? []
      : [`the author "${author}" in the template itself; a letter has its sender as author`]),
    ...(shown.length === 0 ? [] : [`properties of the file: ${shown.join(', ')}`]),
    ...(own.length === 0
      ? []
      : [`properties and variables of programs: ${own.join(', ')}${more === 0 ? '' : `, and ${more} more`}`]),
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
