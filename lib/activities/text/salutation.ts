import type { Contact } from '../../contacts/contact.ts';
import { isGerman } from './language.ts';
import { addressesOf, familyNameOf, type PersonAddress, type TitleAddress } from './title-address.ts';

/**
 * The first line of the text, or `null` for languages other than German and English, in which the model chooses it.
 * Computed, not left to the model: only the title shows a contact's gender, and a wrong guess is an insult.
 */
export function salutation(contact: Contact, language: string): string | null {
  if (isGerman(language)) return germanSalutation(contact, new Intl.Locale(language).region === 'AT');
  return new Intl.Locale(language).language === 'en' ? englishSalutation(contact) : null;
}

/** The lines a text may begin with: the salutation and, if it is gender-neutral, the other neutral ones. */
export function acceptedSalutations(contact: Contact, language: string): string[] {
  const line = salutation(contact, language);
  if (line === null) return [];
  const neutral = isGerman(language)
    ? ['Guten Tag,', 'Sehr geehrte Damen und Herren,']
    : ['Dear Sir or Madam,', 'Dear Sir/Madam,', 'Dear Sirs,', 'To whom it may concern,'];
  return /^(?:Guten Tag|Sehr geehrte Damen und Herren|Dear (?!(?:Mr|Ms) ))/.test(line)
    ? [line, ...neutral]
    : [line];
}

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
    ranks || (address === 'Herr' ? 'Mr' : 'Ms');
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
