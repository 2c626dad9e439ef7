import { placeholders } from '../filling/placeholders.ts';
import { ownText } from '../word/word-text.ts';
import { type Document, elements } from '../word/xml-tree.ts';

// How other programs write the place of a value, or people who have used one.
const brackets: readonly (readonly [begin: string, end: string])[] = [
  ['{', '}'],
  ['${', '}'],
  ['[', ']'],
  ['[[', ']]'],
  ['<', '>'],
  ['<<', '>>'],
  ['«', '»'],
  ['%', '%'],
  ['<%=', '%>'],
];
const escapePattern = (text: string): string => text.replace(/[{}[\]$%^|]/g, String.raw`\$&`);
const patterns = brackets.map(
  ([begin, end]) =>
    new RegExp(
      `(?<![{[<$])${escapePattern(begin)}\\s*(${placeholders.join('|')})\\s*${escapePattern(end)}(?![}\\]>])`,
      'gi',
    ),
);
const command = /\{%[^{}]{0,80}%\}/g;

/** Names of values in other brackets than double braces, which letters print as they are. */
export function otherBrackets(tree: Document): string[] {
  const found = new Set<string>();
  for (const paragraph of elements(tree, 'w:p')) {
    const text = ownText(paragraph);
    for (const pattern of patterns) {
      for (const [written, name = ''] of text.matchAll(pattern)) {
        const meant = placeholders.find((each) => each.toLowerCase() === name.toLowerCase());
        found.add(`${written} is printed as it is: did you mean {{${meant}}}?`);
      }
    }
    for (const [written] of text.matchAll(command)) {
      found.add(`${written} is printed as it is: templates have no commands`);
    }
  }
  return [...found];
}
