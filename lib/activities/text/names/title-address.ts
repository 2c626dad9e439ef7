import type { Contact } from '../../../contacts/contact.ts';

export type PersonAddress = 'Herr' | 'Frau' | 'Familie' | 'Eheleute' | 'Ehepaar';

/** A salutation contains `ranks` (Dr., Prof.) but not `degrees` (Dipl.-Ing., M.Sc.), except in Austria. */
export interface TitleAddress<Address = PersonAddress> {
  readonly address: Address;
  readonly ranks: string;
  readonly degrees: string;
}

/**
 * The people a contact's title names: one person or household, or two people. `address` is `null` for no gender, or
 * several.
 */
export function addressesOf(
  title: string | null,
): [one: TitleAddress<PersonAddress | null>, other?: TitleAddress] {
  const text = (title ?? '')
    .replace(/[\s,]+/g, ' ')
    .trim()
    .replace(salutatory, '');
  const parts = text.split(/\s*(?:\bund\b|\bu\.|\band\b|&|\+)\s*/i);
  const [one, other] = parts.map(addressOf);
  if (parts.length === 2 && isPerson(one) && isPerson(other)) return [one, other];
  return [addressOf(text)];
}

/**
 * The last name without what follows it: titles (`Weber, M.Sc.`), a first name (`Schulz, Peter`), or the name at birth
 * (`Schulz (geb. Groß)`). A doctorate found there is in `titles`.
 */
export function familyNameOf({ lastName }: Pick<Contact, 'lastName'>): {
  lastName: string | null;
  titles: string;
} {
  const [name = '', ...behind] = (lastName ?? '')
    .replace(/\s\((?:geb|née)[^)]*\)|\sgeb\.\s.*$/iu, '')
    .split(',');
  const { ranks: behindName } = titlesIn(behind.join(' '));
  const ranks = behindName.match(academicRanks)?.join(' ') ?? '';
  const ownDegrees = titlesIn(name).degrees;
  const bare = ownDegrees === '' ? name : name.replace(degreePattern, ' ');
  const family = bare.replace(/\s+/g, ' ').trim();
  return { lastName: family === '' ? null : family, titles: ranks };
}

/** The title in the first line of a German address: `Herrn` for `Herr`, and nothing when it names no gender. */
export function titleInAddress(title: string): string {
  const bare = title.replace(salutatory, '');
  if (/^(?:herr|hr\.?|m)(?=\s|$)/i.test(bare)) return bare.replace(/^\S+/, 'Herrn');
  if (/^(?:fr\.?|w)(?=\s|$)/i.test(bare)) return bare.replace(/^\S+/, 'Frau');
  return noGender.test(bare) ? bare.replace(noGender, '').trim() : bare;
}

// Address books also have whole salutations and address lines.
const salutations = 'sehr geehrte[rs]?|liebe[rs]?|dear';
const addressLines = String.raw`z\.?\s?hd?\.?|zu h(?:ä|ae)nden|an`;
const salutatory = new RegExp(
  String.raw`^\s*(?:(?:${salutations}|${addressLines})(?:\s+(?:von|d(?:er|en|ie|as)))?\s+)+`,
  'i',
);

const addresses: readonly (readonly [RegExp, PersonAddress])[] = [
  [/^(?:herrn?|hr\.?|mr\.?|m|männlich)(?=\s|$)\s*/i, 'Herr'],
  [/^(?:frau|fr\.?|mrs\.?|ms\.?|w|weiblich)(?=\s|$)\s*/i, 'Frau'],
  [/^(?:familie|fam\.)(?=\s|$)\s*/i, 'Familie'],
  [/^eheleute(?=\s|$)\s*/i, 'Eheleute'],
  [/^ehepaar(?=\s|$)\s*/i, 'Ehepaar'],
];

const oneGender = String.raw`(?:herrn?|frau|hr\.?|fr\.?)`;
const eitherGender = String.raw`${oneGender}\s*(?:\/|oder)\s*${oneGender}|damen und herren|herren|damen`;
const notSaid = String.raw`divers|firma|fa\.|keine(?: angabe)?|k\.\s?a\.|ohne|d|x|-|mx\.?`;
const noGender = new RegExp(String.raw`^(?:${eitherGender}|${notSaid})(?=\s|$)\s*`, 'i');

function addressOf(text: string): TitleAddress<PersonAddress | null> {
  const neutral = text.replace(noGender, '');
  if (neutral !== text) return { address: null, ...titlesIn(neutral) };
  for (const [pattern, address] of addresses) {
    if (pattern.test(text)) return { address, ...titlesIn(text.replace(pattern, '')) };
  }
  return { address: null, ...titlesIn(text) };
}

function isPerson(part: TitleAddress<PersonAddress | null> | undefined): part is TitleAddress {
  return part?.address === 'Herr' || part?.address === 'Frau';
}

// Dr.-Ing., Dr. rer. nat., Dr. h. c. mult.: a salutation omits the rest of the doctorate.
const faculties = 'med|dent|vet|iur|jur|rer|nat|pol|oec|phil|theol|ing|h|c|e|habil|mult|techn|agr';
const doctorOf = new RegExp(String.raw`\bDr\.(?:-[\p{L}.]+)?(?:\s?(?:${faculties})\b\.?)*`, 'giu');
const diploma = String.raw`Dipl\.(?:-\s?[\p{L}.-]+|\s[\p{L}.-]+)?(?:\s?\((?:FH|BA|TU|Univ\.?)\))?`;
const otherDegrees = String.raw`Mag\.|Ing\.|[BM]\.\s?(?:Sc|A|Eng|Ed)\.?|MBA|MSc|BSc|LL\.\s?[BM]\.?|Bakk\.`;
const degreePattern = new RegExp(
  String.raw`(?<![\p{L}\d.])(?:${diploma}|${otherDegrees})(?![\p{L}\d])`,
  'gu',
);

export const academicRanks = /\b(?:Prof|Dr)\.(?!\p{L})/gu;

/** With `Prof.` and `Dr.` for all their forms, and without degrees. */
export const withPlainTitles = (text: string): string =>
  titlesIn(text.replace(/\bProfessor(?:in)?\b/g, 'Prof.').replace(/\bDoktor(?:in)?\b/g, 'Dr.')).ranks;

function titlesIn(text: string): { ranks: string; degrees: string } {
  const plain = text.replace(doctorOf, 'Dr. ');
  const degrees = plain.match(degreePattern)?.join(' ') ?? '';
  const ranks = plain
    .replace(degreePattern, ' ')
    .replace(/\bDr(?=\s|$)/gi, 'Dr.')
    .replace(/\bProf(?=\s|$)/gi, 'Prof.')
    .replace(/(?:Dr\.\s*){2,}/g, 'Dr. ')
    .replace(/\s+/g, ' ')
    .trim();
  return { ranks, degrees };
}
