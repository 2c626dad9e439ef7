import type { Contact } from '../../../contacts/contact.ts';
import { isGerman } from '../language/language.ts';
import { phrase, plainLetters } from '../language/spelling.ts';
import {
  academicRanks,
  addressesOf,
  familyNameOf,
  type PersonAddress,
  type TitleAddress,
  withPlainTitles,
} from './title-address.ts';
import type { WritingTask } from '../task/writing-task.ts';

/**
 * The first line of the text, or `null` for languages other than German and English, in which the model chooses it.
 * Computed, not left to the model: only the title shows a contact's gender, and a wrong guess is an insult.
 */
export function salutation(contact: Contact, language: string): string | null {
  if (isGerman(language)) return germanSalutation(contact, inAustria(language));
  return new Intl.Locale(language).language === 'en' ? englishSalutation(contact) : null;
}

const inAustria = (language: string): boolean => new Intl.Locale(language).region === 'AT';

/** The salutation and, where it names no gender, the neutral ones. */
function acceptedSalutations(contact: Contact, language: string): string[] {
  const line = salutation(contact, language);
  if (line === null) return [];
  const neutral = isGerman(language)
    ? ['Guten Tag,', 'Sehr geehrte Damen und Herren,', 'Sehr geehrtes Team,']
    : ['Hello,', 'Dear Sir or Madam,', 'Dear Sir/Madam,', 'Dear Sirs,', 'To whom it may concern,'];
  return /^(?:Guten Tag|Sehr geehrte Damen und Herren|Dear (?!(?:Mr|Ms) ))/.test(line)
    ? [line, ...neutral]
    : [line];
}

const germanGreeting = 'hallo|moin|servus|gruess gott|guten (?:tag|morgen|abend)';
const englishGreeting = 'dear|hello|hi|good (?:morning|afternoon|evening)';
const toAll = String.raw`(?:,? (?:zusammen|all|everyone)(?!\p{L}))?`;
const greeting = new RegExp(
  String.raw`(?:^|, )(?:(?:${germanGreeting}|${englishGreeting})(?![\p{L}'-])${toAll}[\s,.!]*)+`,
  'gu',
);
const adjective = /(?<![\p{L}'-])(?:(?:sehr )?geehrt|lieb|wert)(e[rs]?)(?![\p{L}'-])/gu;
/** Whoever greets like this may know the recipient well enough to leave out a doctorate: `Liebe Frau Weber`. */
const familiar = /^(?:liebe|hallo|moin|servus|hello|hi)/iu;

/**
 * Whether `line` addresses the recipient and nobody else, with any greeting, and a name in any spelling. An adjective
 * agrees with the gender (`Lieber Herr Lang`). The first name may be there, also instead of `Herr` and `Frau`, but not
 * alone. A profession may be missing, as may a doctorate beside the professorship, and the last name after a profession.
 * A neutral line may name the company.
 */
export function addressesRecipient(
  line: string,
  { contact, language }: Pick<WritingTask, 'contact' | 'language'>,
): boolean {
  const titled = (text: string): string => (inAustria(language) ? text : withPlainTitles(text));
  const wordsOf = (text: string): string[] =>
    plainLetters(titled(text))
      .replace(greeting, ' ')
      .replace(adjective, 'geehrt$1')
      .match(/[\p{L}'-]+/gu) ?? [];
  const { title, company } = contact;
  const firstNames = wordsOf(contact.firstName ?? '');
  const lastNames = wordsOf(familyNameOf(contact).lastName ?? '');
  const people = addressesOf(title);
  const professions = people.flatMap((each) => wordsOf((each?.ranks ?? '').replace(academicRanks, '')));
  const words = wordsOf(line);
  const isFullName =
    people.length === 1 && firstNames.length > 0 && firstNames.every((each) => words.includes(each));
  const mayBeMissing = new Set([
    'geehrte',
    'geehrter',
    'geehrtes',
    ...professions,
    ...(words.includes('prof') ? ['dr'] : []),
    ...(familiar.test(line) ? ['dr', 'prof'] : []),
    ...(isFullName ? ['herr', 'frau', 'mr', 'ms'] : []),
    ...(professions.some((each) => words.includes(each)) ? lastNames : []),
  ]);
  const mayBeThere = new Set([
    ...professions,
    ...(people[0].address === null ? wordsOf(`${company ?? ''} der des von vom bei beim im in`) : firstNames),
  ]);
  return acceptedSalutations(contact, language)
    .map(wordsOf)
    .some(
      (accepted) =>
        accepted.every((word) => words.includes(word) || mayBeMissing.has(word)) &&
        words.every((word) => accepted.includes(word) || mayBeThere.has(word)),
    );
}

function germanSalutation(contact: Contact, keepsDegrees: boolean): string {
  const { firstName } = contact;
  const { lastName, titles } = familyNameOf(contact);
  if (lastName === null) return 'Sehr geehrte Damen und Herren,';
  const [one, other] = addressesOf(withoutName(contact.title, lastName));
  const line = ({ address, ranks, degrees }: TitleAddress): string =>
    `${germanOpening[address]} ${joinWords(address, ranks || titles, keepsDegrees ? degrees : '', lastName)}`;
  if (one.address !== null && other !== undefined) {
    const person = { ...one, address: one.address };
    const [first, second] = one.address === 'Herr' ? [other, person] : [person, other];
    return `${line(first)}, ${line(second).replace('Sehr', 'sehr')},`;
  }
  if (one.address !== null) return `${line({ ...one, address: one.address })},`;
  const ranks = one.ranks || titles;
  // "Guten Tag Weber," is how a boss addresses an apprentice.
  if (ranks === '' && firstName === null) return 'Sehr geehrte Damen und Herren,';
  return `Guten Tag ${joinWords(ranks, firstName, lastName)},`;
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
  const [one, other] = addressesOf(withoutName(contact.title, lastName));
  // In English, an academic title replaces Mr and Ms.
  const person = (address: PersonAddress, ranks: string): string =>
    ranks.match(academicRanks)?.join(' ') ?? (address === 'Herr' ? 'Mr' : 'Ms');
  if (one.address !== null && other !== undefined) {
    return `Dear ${person(one.address, one.ranks)} and ${person(other.address, other.ranks)} ${lastName},`;
  }
  if (one.address === 'Herr' || one.address === 'Frau') {
    return `Dear ${joinWords(person(one.address, one.ranks || titles), lastName)},`;
  }
  if (one.address !== null) return `Dear ${lastName} family,`;
  const ranks = one.ranks || titles;
  return ranks === '' && firstName === null
    ? 'Dear Sir or Madam,'
    : `Dear ${joinWords(ranks, firstName, lastName)},`;
}

/** Some address books repeat the name in the title: `Frau Lehmann`. */
const withoutName = (title: string | null, lastName: string): string | null =>
  title === null ? null : title.replace(phrase(lastName), ' ').replace(/\s+/g, ' ').trim();

function joinWords(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
