import type { Contact } from '../../contacts/contact.ts';
import { isGerman } from './language.ts';

/**
 * The first line of the text, or `null` for languages other than German and English, where the model finds it.
 * Computed and not left to the model: a contact has no gender but in its title, and a guess would be an insult.
 */
export function salutation(contact: Contact, language: string): string | null {
  if (isGerman(language)) return germanSalutation(contact);
  return new Intl.Locale(language).language === 'en' ? englishSalutation(contact) : null;
}

function germanSalutation({ title, firstName, lastName }: Contact): string {
  const { address, rest } = addressOf(title);
  if (lastName === null) return 'Sehr geehrte Damen und Herren,';
  if (address === 'Herr') return `Sehr geehrter ${joined('Herr', rest, lastName)},`;
  if (address !== null) return `Sehr geehrte ${joined(address, rest, lastName)},`;
  return `Guten Tag ${joined(rest, firstName, lastName)},`;
}

function englishSalutation({ title, firstName, lastName }: Contact): string {
  const { address, rest } = addressOf(title);
  if (lastName === null) return 'Dear Sir or Madam,';
  // Mr and Mrs give way to an academic title in English.
  if (address === 'Herr') return `Dear ${joined(rest || 'Mr', lastName)},`;
  if (address === 'Frau') return `Dear ${joined(rest || 'Ms', lastName)},`;
  if (address === 'Familie') return `Dear ${lastName} family,`;
  return `Dear ${joined(rest, firstName, lastName)},`;
}

const addresses: readonly (readonly [RegExp, 'Herr' | 'Frau' | 'Familie'])[] = [
  [/^(?:herrn?|hr\.|mr\.?)(?=\s|$)\s*/i, 'Herr'],
  [/^(?:frau|fr\.|mrs\.?|ms\.?)(?=\s|$)\s*/i, 'Frau'],
  [/^familie(?=\s|$)\s*/i, 'Familie'],
];

function addressOf(title: string | null): { address: 'Herr' | 'Frau' | 'Familie' | null; rest: string } {
  for (const [pattern, address] of addresses) {
    if (pattern.test(title ?? '')) return { address, rest: (title ?? '').replace(pattern, '') };
  }
  return { address: null, rest: title ?? '' };
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
