import * as fc from 'fast-check';

/**
 * Any code point except surrogates, like fast-check's unit `binary`, whose first use takes 1 s of processor time and 100 MB
 * for a map of all of them.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - 0x800 }).map(
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800),
  (character) => {
    const text = String(character);
    const code = text.codePointAt(0) ?? -1;
    if (text !== String.fromCodePoint(code) || !text.isWellFormed()) throw new Error('not one character');
    return code < 0xd800 ? code : code - 0x800;
  },
);
