import lande from 'lande';
import { sentencesOf } from './spelling.ts';

// Far more than detection needs, and its cost grows with the length of the text.
const mostCharacters = 2_000;

// Every detector identifies "Bitte um Rückruf." as Romanian.
const leastLetters = 40;
const leastLettersOfSentence = 25;

// Probabilities from lande's neural network over the office texts of tools/evaluation/labeled-texts. Of a text: German ones
// have at least 0.98 for German and others at most 0.08; English ones have at least 0.79 for English and others at most
// 0.01; filler text in Latin and two languages in one text have no certain one.
const leastProbability = 0.3;
const leastCertainty = 0.6;
// Of 1,300 sentences, no right one has more than 0.76 for the other language, and of 35 wrong ones all but one have
// more than 0.97.
const leastCertaintyOfSentence = 0.95;

/** The languages that models fall back to, and for which the bounds above are measured. */
const usual = new Set(['de', 'en']);

/**
 * Lists of positions and opening hours have no language: `Position 1: 412,50 EUR` is English for every detector, and
 * `Montag bis Freitag: 8 bis 12 Uhr` is Swedish for this one.
 */
const withoutLists = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/\d/.test(line) || /[.!?]\s*$/.test(line))
    .join('\n');

/** Whether a text is in another language. Danish and Norwegian are too similar, so one of the two must be usual. */
export function isInOtherLanguage(text: string, requested: string): boolean {
  const sentences = withoutLists(text.slice(0, mostCharacters));
  const { wanted, right, best } = detectLanguage(sentences, requested, leastLetters);
  return (
    right < leastProbability &&
    best.probability >= leastCertainty &&
    (usual.has(wanted) || usual.has(best.language))
  );
}

/** English sentences in a German text, and German ones in an English text. */
export const sentencesInOtherLanguage = (text: string, requested: string): string[] =>
  sentencesOf(text.slice(0, mostCharacters)).filter((sentence) => {
    const { wanted, best } = detectLanguage(sentence, requested, leastLettersOfSentence);
    const isUsual = usual.has(wanted) && usual.has(best.language) && best.language !== wanted;
    return isUsual && best.probability >= leastCertaintyOfSentence;
  });

/** Of ISO 639-3, the codes of `lande`. Kept, because the 50 languages of each sentence took a third of a check. */
const languages = new Map<string, string>();
function languageOf(code: string): string {
  const language = languages.get(code) ?? new Intl.Locale(code).language;
  languages.set(code, language);
  return language;
}

/** The probabilities of the requested language and of the most probable one; a short text is in the requested one. */
function detectLanguage(text: string, requested: string, letters: number) {
  const wanted = new Intl.Locale(requested).language;
  const found =
    text.replace(/\P{L}/gu, '').length < letters
      ? []
      : lande(text).map(([code, probability]) => ({ language: languageOf(code), probability }));
  return {
    wanted,
    right: found.find(({ language }) => language === wanted)?.probability ?? 1,
    best: found[0] ?? { language: wanted, probability: 1 },
  };
}
