import { changingFields } from './changing-fields.ts';
import { openContentPlaces } from './content-places.ts';
import { datesAsPlaceholders } from './date-fields.ts';
import { declareProperties } from '../filling/letter-properties.ts';
import { otherBrackets } from './other-brackets.ts';
import { hasStretchedLines } from './stretched-lines.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import {
  anyIn,
  boundControls,
  comments,
  counted,
  embeddedFiles,
  finalMark,
  filledPrompts,
  fixedDates,
  hiddenText,
  linkedFiles,
  lockedControls,
  partsBesideText,
  pathsOfEmbeddedPictures,
  properties,
  setting,
  shortened,
  shownPrompts,
  storedData,
  authorsOfTrackedChanges,
} from './template-findings.ts';
import type { TemplateFault } from '../word/template-rejection.ts';
import { accountsAndTags, notesInPictures, notesOfArchive, pathsInPictures, unnamedFiles } from './traces.ts';
import { growBoxes } from '../word/text-boxes.ts';
import { type Document, elements } from '../word/xml-tree.ts';

/** What a letter has in another way than its template, or has besides its text. */
export interface Finding {
  /** `changed`: letters have it no more. `kept`: recipients have it, or see something else than the template shows. */
  readonly kind: 'changed' | 'kept';
  /** For people: what it is and, if it is changed, why. */
  readonly message: string;
}

/** Everything that a template is settled by: each step says what it has found. */
interface Step {
  readonly kind: Finding['kind'];
  readonly find: (parts: TemplateParts) => readonly string[];
}

/**
 * Changes what every letter of a template has in another way than the template itself, and finds what recipients would
 * have besides the text. The one pass over a template, whose findings `check-template` prints and the service logs.
 */
export function settleTemplate(parts: TemplateParts): { findings: Finding[]; faults: TemplateFault[] } {
  const faults: TemplateFault[] = [];
  const findings: Finding[] = [];
  // Word rejects a .docx whose content type is that of a template, and docxtemplater knows a document by its own type.
  const main = parts.mainPart!;
  parts.setContentType(main, parts.contentType(main).replace('.template.main+xml', '.document.main+xml'));
  // What people see of the template, before it is changed.
  for (const step of steps) {
    for (const message of step.find(parts)) findings.push({ kind: step.kind, message });
  }
  for (const [path, tree] of parts.texts) {
    const dates = datesAsPlaceholders(tree);
    for (const code of dates.faults) {
      faults.push({
        path,
        message: `The date field ${code} is inside the code of another field or across paragraphs, where it would change with the day: move it out, or write the date as text.`,
      });
    }
    for (const code of dates.locked) {
      findings.push({
        kind: 'kept',
        message: `the date field ${code} is locked: each letter shows the same date`,
      });
    }
    const opened = openContentPlaces(tree);
    for (const message of opened.messages) findings.push({ kind: 'changed', message });
    const boxes = growBoxes(tree);
    for (const text of boxes.fixed) {
      findings.push({
        kind: 'kept',
        message: `a text box of a fixed height, in which a long value is cut off: "${shortened(text)}". Let it lie in front of the text, or resize to fit its text`,
      });
    }
    const rows = growRows(tree);
    if (dates.changed + opened.changed + boxes.changed + rows > 0) parts.markChanged(path);
  }
  declareProperties(parts);
  return { faults, findings };
}

/** In the letter, rows and frames may grow, so a long value is not cut off. */
function growRows(tree: Document): number {
  const fixed = elements(tree, 'w:trHeight', 'w:framePr').filter(
    (each) => each.getAttribute('w:hRule') === 'exact',
  );
  for (const each of fixed) each.setAttribute('w:hRule', 'atLeast');
  return fixed.length;
}

const steps: readonly Step[] = [
  // First, because later ones remove what names other files.
  { kind: 'changed', find: unnamedFiles },
  // What is removed, because it would do something at the recipient's, or against the user.
  {
    kind: 'changed',
    find: setting(
      'w:attachedTemplate',
      'the attached template',
      'Word would look for this file at each recipient',
    ),
  },
  {
    kind: 'changed',
    find: setting('w:documentProtection', 'the protection', 'the user could not correct the letter'),
  },
  {
    kind: 'changed',
    find: setting(
      'w:writeProtection',
      'the protection against writing',
      'the user could not correct the letter',
    ),
  },
  {
    kind: 'changed',
    find: setting(
      'w:mailMerge',
      'the connection of a mail merge',
      'Word would look for its data at each recipient',
    ),
  },
  {
    kind: 'changed',
    find: setting(
      'w:trackRevisions',
      'the tracking of changes',
      "recipients would see the user's corrections",
    ),
  },
  {
    kind: 'changed',
    find: setting(
      'w:updateFields',
      'the update of all fields',
      'Word would ask each recipient at opening whether to do it',
    ),
  },
  {
    kind: 'changed',
    find: setting(
      'w:linkStyles',
      'the update of the styles',
      "Word would replace them by those of the recipient's own template",
    ),
  },
  { kind: 'changed', find: boundControls },
  { kind: 'changed', find: lockedControls },
  { kind: 'changed', find: filledPrompts },
  { kind: 'changed', find: finalMark },
  { kind: 'changed', find: partsBesideText },
  { kind: 'changed', find: pathsOfEmbeddedPictures },
  { kind: 'changed', find: pathsInPictures },
  { kind: 'changed', find: accountsAndTags },
  { kind: 'changed', find: notesOfArchive },
  // What is kept, because only its author knows whether it is meant.
  { kind: 'kept', find: (parts) => comments(parts.tree('word/comments.xml')) },
  { kind: 'kept', find: (parts) => counted('tracked change', authorsOfTrackedChanges(parts)) },
  { kind: 'kept', find: (parts) => changingFields(parts.texts.map(([, tree]) => tree)) },
  { kind: 'kept', find: fixedDates },
  { kind: 'kept', find: shownPrompts },
  { kind: 'kept', find: (parts) => parts.texts.flatMap(([, tree]) => otherBrackets(tree)) },
  { kind: 'kept', find: storedData },
  { kind: 'kept', find: linkedFiles },
  { kind: 'kept', find: embeddedFiles },
  { kind: 'kept', find: notesInPictures },
  { kind: 'kept', find: hiddenText },
  {
    kind: 'kept',
    find: (parts) =>
      anyIn(parts, 'w:altChunk')
        ? ['an embedded document (altChunk), in which placeholders are not filled']
        : [],
  },
  { kind: 'kept', find: properties },
  {
    kind: 'kept',
    find: (parts) =>
      hasStretchedLines(parts)
        ? [
            'justified text with line breaks: its lines are stretched. Align {{content}} left, or enable the layout option "Don\'t expand character spaces on a line that ends with SHIFT-RETURN"',
          ]
        : [],
  },
];
