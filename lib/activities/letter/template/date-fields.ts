import { isDateField } from '../filling/letter-values.ts';
import { setText } from '../word/word-text.ts';
import {
  around,
  child,
  children,
  type Document,
  type Element,
  elements,
  remove,
  textOf,
  unwrap,
  walk,
  wordElement,
} from '../word/xml-tree.ts';

/** A field of several runs (ECMA-376 part 1, 17.16.18), or a `w:fldSimple`. */
export interface Field {
  readonly begin: Element;
  /** Absent for a simple field, and one that does not end. */
  end?: Element;
  code: string;
  /** Whether it is inside of the code of another field. */
  readonly isInCode: boolean;
  readonly isLocked: boolean;
}

/** The fields of a part in the order of their beginnings, nested ones included. */
export function fieldsOf(tree: Document): Field[] {
  const fields: Field[] = [];
  const open: { field: Field; isInResult: boolean }[] = [];
  const begin = (element: Element, code: string): Field => {
    const isInCode = open.some(({ isInResult }) => !isInResult);
    const field = { begin: element, code, isInCode, isLocked: isLocked(element) };
    fields.push(field);
    return field;
  };
  for (const element of elements(tree, 'w:fldSimple', 'w:fldChar', 'w:instrText')) {
    const current = open.at(-1);
    const type = element.getAttribute('w:fldCharType');
    if (element.nodeName === 'w:fldSimple') {
      begin(element, element.getAttribute('w:instr') ?? '');
    } else if (type === 'begin') {
      open.push({ field: begin(element, ''), isInResult: false });
    } else if (current === undefined) {
      continue;
    } else if (type === 'separate') {
      current.isInResult = true;
    } else if (type === 'end') {
      current.field.end = element;
      open.pop();
    } else if (!current.isInResult) {
      current.field.code += textOf(element);
    }
  }
  return fields;
}

const isLocked = (element: Element): boolean =>
  /^(?:1|true|on)$/.test(element.getAttribute('w:fldLock') ?? '');

/** What happens to the date fields of a template. */
export interface DateFields {
  readonly changed: number;
  /** The codes of those that would show another date each time the letter is opened. */
  readonly faults: readonly string[];
  /** The codes of those that are locked: Word shows what they showed when they were locked. */
  readonly locked: readonly string[];
}

/** Date fields become placeholders, because as fields they show another date each time the letter is opened. */
export function datesAsPlaceholders(tree: Document): DateFields {
  const faults: string[] = [];
  const locked: string[] = [];
  const done = new Set<Element>();
  let changed = 0;
  for (const { begin, end, code, isInCode, isLocked } of fieldsOf(tree)) {
    if (!isDateField(code) || done.has(begin)) continue;
    if (isLocked) {
      locked.push(code.trim());
    } else if (begin.nodeName === 'w:fldSimple') {
      replaceSimple(begin, code);
      changed += 1;
    } else if (end === undefined || isInCode || around(begin, 'w:p') !== around(end, 'w:p')) {
      if (end !== undefined) faults.push(code.trim());
    } else {
      for (const each of between(begin, end)) done.add(each);
      replaceComplex(begin, end, code);
      changed += 1;
    }
  }
  return { changed, faults, locked };
}

function placeholderText(like: Element, code: string): Element {
  const text = wordElement(like, 'w:t');
  setText(text, `{{${code}}}`);
  return text;
}

function replaceSimple(field: Element, code: string): void {
  const run = wordElement(field, 'w:r');
  const format = elements(field, 'w:rPr')[0];
  if (format !== undefined) run.appendChild(format.cloneNode(true));
  run.appendChild(placeholderText(field, code));
  for (const inside of children(field)) remove(inside);
  field.appendChild(run);
  unwrap(field);
}

/** The elements from a beginning to its end, in one paragraph. */
function between(begin: Element, end: Element): Element[] {
  const inside: Element[] = [];
  let isInside = false;
  for (const each of walk(around(begin, 'w:p')!)) {
    isInside ||= each === begin;
    if (isInside) inside.push(each);
    if (each === end) break;
  }
  return inside;
}

function replaceComplex(begin: Element, end: Element, code: string): void {
  begin.parentNode!.insertBefore(placeholderText(begin, code), begin);
  // Marks of the spelling checker go, bookmarks stay.
  for (const each of between(begin, end)) {
    if (
      each.nodeName !== 'w:rPr' &&
      (each.parentNode?.nodeName === 'w:r' || each.nodeName === 'w:proofErr')
    ) {
      const run = each.parentNode as Element;
      remove(each);
      removeIfEmpty(run);
    }
  }
}

/** Removes a run without content, and what is around it and empty then. */
function removeIfEmpty(element: Element): void {
  const content = children(element).filter(({ nodeName }) => nodeName !== 'w:rPr');
  const parent = element.parentNode as Element | null;
  if (content.length > 0 || parent === null) return;
  remove(element);
  removeIfEmpty(parent);
}

/** A date control, which shows the day on which somebody chose it; and Word's old date blocks, which show today's. */
export function dateControls(tree: Document): string[] {
  return elements(tree, 'w:sdt')
    .filter((control) => child(child(control, 'w:sdtPr') ?? control, 'w:date') !== undefined)
    .map((control) => textOf(child(control, 'w:sdtContent') ?? control).trim())
    .filter((shown) => shown !== '' && !shown.includes('{{'));
}
