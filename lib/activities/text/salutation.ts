import type { Contact } from '../../contacts/contact.ts';
import { isGerman } from './language.ts';
import { folded, plainLetters } from './spelling.ts';
import {
  academicRanks,
  addressesOf,
  familyNameOf,
  type PersonAddress,
  type TitleAddress,
  withPlainTitles,
} from './title-address.ts';
import type { WritingTask } from './writing-task.ts';

/**
 * The first line of the text, or `null` for languages other than German and English, in which the model chooses it.
 * Computed, not left to the model: only the title shows a contact's gender, and a wrong guess is an insult.
 */
export function salutation(contact: Contact, language: string): string | null {
  if (isGerman(language)) return germanSalutation(contact, inAustria(language));
  return new Intl.Locale(language).language === 'en' ? englishSalutation(contact) : null;
}

const inAustria = (language: string): boolean => new Intl.Locale(language).region === 'AT';

/** The lines a text may begin with: the salutation and, if it is gender-neutral, the other neutral ones. */
export function acceptedSalutations(contact: Contact, language: string): string[] {
  const line = salutation(contact, language);
  if (line === null) return [];
  const neutral = isGerman(language)
    ? ['Guten Tag,', 'Sehr geehrte Damen und Herren,', 'Guten Tag, sehr geehrte Damen und Herren,']
    : ['Dear Sir or Madam,', 'Dear Sir/Madam,', 'Dear Sirs,', 'To whom it may concern,'];
  return /^(?:Guten Tag|Sehr geehrte Damen und Herren|Dear (?!(?:Mr|Ms) ))/.test(line)
    ? [line, ...neutral]
    : [line];
}

/**
 * Whether a careful writer may begin with `line`: one of the accepted lines with other spellings of the titles, with or
 * without a profession, the first name or a doctorate beside the professorship, with the two people in any order.
 */
export function isSalutation(
  line: string,
  { contact, language }: Pick<WritingTask, 'contact' | 'language'>,
): boolean {
  const { title, firstName, company } = contact;
  const { lastName } = familyNameOf(contact);
  const people = addressesOf(title);
  const professions = people
    .map((each) => (each?.ranks ?? '').replace(academicRanks, '').trim())
    .filter(Boolean);
  const titled = (text: string): string => (inAustria(language) ? text : withPlainTitles(text));
  const form = (text: string): string =>
    plainLetters(
      (people[0].address === null ? [] : [...professions, firstName ?? ''])
        .filter(Boolean)
        .reduce((rest, word) => rest.replace(` ${word} `, ' '), titled(text)),
    )
      .replace(/\.|(?<=^guten tag),/g, '')
      .replace(/\s+/g, ' ')
      .trim();
  const accepted = acceptedSalutations(contact, language).flatMap((each) => [
    each,
    each.replace('Prof. Dr.', 'Prof.'),
    each.replace(/^(.+), (.+),$/, '$2, $1,'),
  ]);
  // "Sehr geehrter Herr Bürgermeister,"
  const ofOffice = professions.length === 1 ? accepted.map((each) => each.replace(` ${lastName},`, ',')) : [];
  const [, ofCompany] = toCompany.exec(line.trim()) ?? [];
  return (
    accepted.some((each) => form(each) === form(line)) ||
    ofOffice.includes(line.trim()) ||
    (accepted.length > 3 &&
      ofCompany
        ?.split(' ')
        .every((word) => folded(company ?? '').includes(folded(word.replace(/e?s$/u, '')))) === true)
  );
}

// "Sehr geehrtes Team der Stadtwerke,"
const toCompany =
  /^Sehr geehrte(?:s Team| Damen und Herren) (?:d(?:er|es)|vo[nm]|bei(?:m| der)?|im|in der) ([^,]+),$/u;

function germanSalutation(contact: Contact, keepsDegrees: boolean): string {
  const { firstName } = contact;
  const { lastName, titles } = familyNameOf(contact);
  if (lastName === null) return 'Sehr geehrte Damen und Herren,';
  const [one, other] = addressesOf(contact.title);
  const line = ({ address, ranks, degrees }: TitleAddress): string =>
    `${germanOpening[address]} ${joined(address, ranks || titles, keepsDegrees ? degrees : '', lastName)}`;
  if (one.address !== null && other !== undefined) {
    const person = { ...one, address: one.address };
    const [first, second] = one.address === 'Herr' ? [other, person] : [person, other];
    return `${line(first)}, ${line(second).replace('Sehr', 'sehr')},`;
  }
  if (one.address !== null) return `${line({ ...one, address: one.address })},`;
  const ranks = one.ranks || titles;
  // "Guten Tag Weber," is how a boss addresses an apprentice.
  if (ranks === '' && firstName === null) return 'Sehr geehrte Damen und Herren,';
  return `Guten Tag ${joined(ranks, firstName, lastName)},`;
}

const germanOpening: Record<PersonAddress, string> = {
  Herr: 'Sehr geehrter',
  Frau: 'Sehr geehrte',
  Familie: 'Sehr geehrte',
  Eheleute: 'Sehr geehrte',
  Ehepaar: 'Sehr geehrtes',
};

function englishSalutation(contact: Contact): string {
  const { firstName } = contact;
  const { lastName, titles } = familyNameOf(contact);
  if (lastName === null) return 'Dear Sir or Madam,';
  const [one, other] = addressesOf(contact.title);
  // In English, an academic title replaces Mr and Ms.
  const person = (address: PersonAddress, ranks: string): string =>
    ranks.match(academicRanks)?.join(' ') ?? (address === 'Herr' ? 'Mr' : 'Ms');
  if (one.address !== null && other !== undefined) {
    return `Dear ${person(one.address, one.ranks)} and ${person(other.address, other.ranks)} ${lastName},`;
  }
  if (one.address === 'Herr' || one.address === 'Frau') {
    return `Dear ${joined(person(one.address, one.ranks || titles), lastName)},`;
  }
  if (one.address !== null) return `Dear ${lastName} family,`;
  const ranks = one.ranks || titles;
  return ranks === '' && firstName === null
    ? 'Dear Sir or Madam,'
    : `Dear ${joined(ranks, firstName, lastName)},`;
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
