import { fieldsOf } from './date-fields.ts';
import { type Document, elements } from '../word/xml-tree.ts';

/**
 * Fields that a letter keeps as the template has them, and that Word evaluates anew when it prints or opens the letter:
 * what each prints then, which is not what the template shows.
 */
const changing: readonly (readonly [names: string, prints: string])[] = [
  [
    'MERGEFIELD GREETINGLINE ADDRESSBLOCK MERGEREC MERGESEQ NEXT NEXTIF SKIPIF DATABASE',
    'nothing: no letter is a mail merge',
  ],
  ['FILENAME FILESIZE', "the letter's name, place, or size"],
  ['USERNAME USERINITIALS USERADDRESS', 'the person who opens the letter'],
  ['AUTHOR LASTSAVEDBY', 'the sender, or the person who has saved the letter'],
  ['TITLE SUBJECT KEYWORDS COMMENTS DOCPROPERTY INFO DOCVARIABLE', 'a property of the letter'],
  ['TEMPLATE EDITTIME REVNUM NUMWORDS NUMCHARS', 'a statistic of the letter'],
  ['PRINTDATE', 'when the letter was last printed'],
  ['ASK FILLIN', 'what the person types who opens the letter'],
  ['INCLUDETEXT INCLUDEPICTURE LINK DDE DDEAUTO', 'another file, if it is there'],
];
const prints: ReadonlyMap<string, string> = new Map(
  changing.flatMap(([names, what]) => names.split(' ').map((name) => [name, what] as const)),
);

/** @param trees of all parts with text, because a bookmark may be in another part than its reference */
export function changingFields(trees: readonly Document[]): string[] {
  const bookmarks = new Set(
    trees
      .flatMap((tree) => elements(tree, 'w:bookmarkStart'))
      .map((each) => each.getAttribute('w:name')?.toLowerCase()),
  );
  const lines = trees.flatMap(fieldsOf).flatMap(({ code }) => {
    const [, name = '', target = ''] = /^\s*(\w+)\s*"?([^"\s\\]*)/.exec(code) ?? [];
    const what = prints.get(name.toUpperCase());
    if (what !== undefined) {
      return [`the field ${shortened(code)} prints ${what}`];
    }
    const isReference = /^(?:REF|PAGEREF|NOTEREF)$/i.test(name);
    return isReference && !bookmarks.has(target.toLowerCase())
      ? [`the field ${shortened(code)} prints an error: the template has no bookmark "${target}"`]
      : [];
  });
  return [...new Set(lines)];
}

function shortened(code: string): string {
  const plain = code.trim().replaceAll(/\s+/g, ' ');
  return plain.length > 40 ? `${plain.slice(0, 40)}…` : plain;
}
