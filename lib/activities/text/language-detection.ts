import lande from 'lande';

// A probability from lande's neural network. Over 100 German and 100 other office texts (tests/support/text-corpus),
// German texts have at least 0.98 for German and others at most 0.08; English texts have at least 0.79 for English and
// others at most 0.01.
const leastProbability = 0.3;

const leastCertainty = 0.6;

// Every detector identifies "Bitte um Rückruf." as Romanian: texts shorter than two sentences do not identify a
// language.
const leastLetters = 40;

// Far more than detection needs, and its cost grows with the length of the text.
const mostCharacters = 2_000;

/** The languages that models fall back to, and for which the bound above is measured. */
const usual = new Set(['de', 'en']);

/**
 * The ISO 639 code of the text's language when it is not the requested one; `null` when it is, or cannot be determined.
 * Does not distinguish languages other than German and English: Danish and Norwegian are too similar.
 */
export function otherLanguageOf(text: string, requested: string): string | null {
  const sample = text.slice(0, mostCharacters);
  if (sample.replace(/\P{L}/gu, '').length < leastLetters) return null;
  const { wanted, right, best } = detected(sample, requested);
  if (right === undefined || best === undefined || right.probability >= leastProbability) return null;
  // Filler text in Latin, or two languages in one text: undetermined.
  if (best.probability < leastCertainty) return null;
  return usual.has(wanted) || usual.has(best.language) ? best.language : null;
}

// Of 1,300 sentences of tests/support/text-corpus that are this long, no right one has more than 0.76 for the other
// language, and of 35 wrong ones all but one have more than 0.97.
const leastLettersOfSentence = 25;
const leastCertaintyOfSentence = 0.95;

/** English sentences in a German text, and German ones in an English text. */
export function sentencesInOtherLanguage(text: string, requested: string): string[] {
  return text
    .slice(0, mostCharacters)
    .split(/(?<=[.!?])\s|\n/)
    .filter((sentence) => {
      if (sentence.replace(/\P{L}/gu, '').length < leastLettersOfSentence) return false;
      const { wanted, best } = detected(sentence, requested);
      if (best === undefined || !usual.has(wanted) || !usual.has(best.language)) return false;
      return best.language !== wanted && best.probability >= leastCertaintyOfSentence;
    });
}

function detected(text: string, requested: string) {
  const wanted = new Intl.Locale(requested).language;
  const found = lande(text).map(([code, probability]) => ({
    language: new Intl.Locale(code).language,
    probability,
  }));
  return { wanted, right: found.find(({ language }) => language === wanted), best: found[0] };
}
