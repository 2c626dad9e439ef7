// docxtemplater puts values as marked text; what they become in Word's XML is decided on the tree (letter-module.ts). XML
// forbids these characters, so no value has them.

/** An empty value. */
export const emptyMark = '\uFFFE';
/** Before and after each other value. */
export const valueMark = '\uFFFF';
/** In the place of {{content}}. */
export const contentMark = valueMark + emptyMark + valueMark;

export const hasMarks = (text: string): boolean => text.includes(emptyMark) || text.includes(valueMark);
