import { because } from '../../../contract/faults.ts';
import { wellFormed } from '../../../contract/text.ts';

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Accepts the BCP 47 tag of a language that has a name, and returns its canonical form. */
export const language = wellFormed()
  // Enough for language, script, region and any realistic number of variants (RFC 5646, 4.4.1).
  .max(100, because('not_language'))
  .refine((tag) => isKnown(tag), because('not_language'))
  .transform((tag) => plainTag(tag));

export const isGerman = (tag: string): boolean => new Intl.Locale(tag).language === 'de';

/** The language's English name, for prompts. */
export const languageName = (tag: string): string => names.of(plainTag(tag)) ?? 'German';

function isKnown(tag: string): boolean {
  try {
    return names.of(plainTag(tag)) !== undefined;
  } catch {
    return false;
  }
}

// Keeps language, script and region: variants and private-use parts may be any word, and the tag reaches the prompt.
function plainTag(tag: string): string {
  const { language, script, region } = new Intl.Locale(tag);
  return [language, script, region].filter(Boolean).join('-');
}
