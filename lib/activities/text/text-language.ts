import lande from 'lande';

// A network's probability. Over 100 German and 100 other texts of an office (tests/support/text-corpus) German ones have
// 0.98 and more, others 0.08 and less; English ones 0.79 and more, others 0.01 and less.
const leastProbability = 0.3;

const leastCertainty = 0.6;

// "Bitte um Rückruf." is Romanian to any detector: below two short sentences there is nothing to tell languages by.
const leastLetters = 40;

// Far more than it takes to tell, and the network counts every letter group of what it gets.
const mostCharacters = 2_000;

/** What models fall back to; and the languages for which the bound above is measured. */
const usual = new Set(['de', 'en']);

/**
 * The language a text is in when that is not the one asked for: an ISO 639 code, `null` where it is right or cannot be
 * told. Between other languages than German and English nothing is claimed: Danish and Norwegian are too near.
 */
export function otherLanguageOf(text: string, asked: string): string | null {
  const sample = text.slice(0, mostCharacters);
  if (sample.replace(/\P{L}/gu, '').length < leastLetters) return null;
  const wanted = new Intl.Locale(asked).language;
  const found = lande(sample).map(([code, probability]) => ({
    language: new Intl.Locale(code).language,
    probability,
  }));
  const right = found.find(({ language }) => language === wanted);
  const [best] = found;
  if (right === undefined || best === undefined || right.probability >= leastProbability) return null;
  // Latin filler in a German text, two languages in one: no claim.
  if (best.probability < leastCertainty) return null;
  return usual.has(wanted) || usual.has(best.language) ? best.language : null;
}
