import type { TemplateParts } from '../word/template-parts.ts';
import { elements, remove } from '../word/xml-tree.ts';

// What nobody sees in a template and recipients could read in a letter: files, paths and accounts of its authors.

/** Files that belong to no part, and parts that belong to no letter: what zipping, deleting and other programs leave behind. */
export const unnamedFiles = (parts: TemplateParts): string[] =>
  parts.removeUnreachable().map((name) => `the file ${name} is removed: no part of the letter names it`);

export function notesOfArchive(parts: TemplateParts): string[] {
  return parts
    .removeNotes()
    .map((note) => `the note "${note}" of the zip archive is removed: no program shows it`);
}

/** `C:\Users\…\`, `\\server\…\`, `file:///…/`: all but the name of the file. */
const folderOfMachine = /(?:file:\/{2,3}|(?<!\p{L})[a-z]:[\\/]|\\\\)[^"<>|]*[\\/]/giu;
/** Word writes where a picture came from into its alternative text and names. */
const pictures = ['wp:docPr', 'pic:cNvPr', 'wps:cNvPr', 'v:shape', 'v:imagedata'];
const namesOfPictures = ['descr', 'title', 'name', 'alt', 'o:title', 'o:href'];

export function pathsInPictures(parts: TemplateParts): string[] {
  return parts.texts.flatMap(([path, tree]) =>
    elements(tree, ...pictures).flatMap((each) =>
      namesOfPictures.flatMap((name) => {
        const value = each.getAttribute(name) ?? '';
        const bare = value.replace(folderOfMachine, '');
        if (bare === value) return [];
        each.setAttribute(name, bare);
        parts.markChanged(path);
        return [`the path of a picture ${value} is removed: recipients need not know where it came from`];
      }),
    ),
  );
}

const removedElements: readonly (readonly [name: string, what: string, why: string])[] = [
  ['w:permStart', 'who may edit a range', 'it has accounts of people, and letters are not protected'],
  ['w:smartTagPr', 'the data of smart tags', 'no program shows it'],
];

export function accountsAndTags(parts: TemplateParts): string[] {
  return removedElements.flatMap(([name, what, why]) => {
    const found = parts.texts.flatMap(([path, tree]) =>
      elements(tree, name, name.replace('Start', 'End')).map((element) => ({ path, element })),
    );
    for (const { path, element } of found) {
      remove(element);
      parts.markChanged(path);
    }
    return found.length === 0 ? [] : [`${what} is removed: ${why}`];
  });
}

/** Of cameras and programs: Exif (with the place), XMP (with the author), and the text of a PNG. */
const notes = /Exif\0\0|<x:xmpmeta|eXIf|[it]TXt|tEXt(?:Author|Comment|Description)/;

export const notesInPictures = (parts: TemplateParts): string[] =>
  parts.names
    .filter((name) => /\.(?:jpe?g|png|tiff?|webp)$/i.test(name) && notes.test(parts.latin1(name)))
    .map((name) => `the picture ${name} has notes of a camera or program, such as a place or its author`);
