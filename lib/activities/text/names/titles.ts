/** Titles of one person: the word after them is a name, even in lowercase. */
const ofOnePerson = words(
  'herr herrn hr hrn frau fräulein frl mr mrs ms miss mme mlle mdm madame monsieur señor señora sig signor signora dr doktor ' +
    'prof professor professorin ra rain witwe witwer gez hd zhd händen',
);

/** Titles of several people, whose names may also follow a comma. */
const ofSeveral = words(
  'herren damen frauen familie familien fam eheleute eheleuten ehel ehepaar geschwister messrs',
);

/** Degrees and their parts, and other titles that are nobody's name. */
const degrees = words(
  'fr mx sir madam dres pd priv doz dipl ing kfm kffr oec inform jur iur med dent vet rer nat pol phil theol habil mult ' +
    'techn agr hc phd dphil mag bakk fh univ ba bsc ma msc mba meng beng llm llb sc eng ed stb wp sv arch dir',
);

/** Offices and professions, many of which are also names: after another title they are hidden too. */
const offices = words(
  'diplom dozent dozentin magister rechtsanwalt rechtsanwältin rechtsanwälte notar notarin steuerberater steuerberaterin ' +
    'wirtschaftsprüfer wirtschaftsprüferin sachverständige sachverständiger gutachter gutachterin architekt architektin ' +
    'ingenieur ingenieurin bauleiter bauleiterin polier meister meisterin bürgermeister bürgermeisterin ' +
    'oberbürgermeister oberbürgermeisterin direktor direktorin dekan dekanin rektor rektorin pastor pastorin pfarrer ' +
    'pfarrerin baron baronin freiherr freifrau graf gräfin kollege kollegen kollegin lady',
);

/** Words between a title and a name, or inside a name. */
const particles = words('von van vom de den der dem des di da do du la le zu zum zur ten ter el al und');

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

const bare = (word: string): string => word.toLowerCase().replace(/\.$/, '');

/** Whether a word, with or without its dot, is a title, a degree, or a part of one. */
export const isTitle = (word: string): boolean => titles.has(bare(word));

const titles = new Set([...ofOnePerson, ...ofSeveral, ...degrees, ...offices]);

const mostNames = 4;
// A word with its dot, the end of a line, or one other character: "Dipl.-Ing." is "Dipl.", "-", "Ing.".
const tokens = /[\p{L}\p{M}][\p{L}\p{M}'’‘ʼ´]*(?:-\p{L}[\p{L}\p{M}'’‘ʼ´]*)*\.?|\n|\S/gu;
const joiner = /^(?:und|u\.?|and|sowie|oder|bzw\.?|[&+/])$/iu;
/** Does not separate a title from its name. */
const skipped = /^[-\u2010–().,"'„“”»«\n]$/u;
/** Nor do these: `Frau: Lehmann`, `Herr_Lehmann.pdf`, `Frau *Lehmann*`. */
const skippedBeforeName = /^[:;_=<>/\\*[\]{}|•·~@#]$/u;
/** After a name, these are not part of it: `Frau Lehmann Montag anrufen`. */
const days = words('montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag');
/** `FrauLehmann` */
const glued = /(?<!\p{L})(Frau|Herrn?|Hrn|Familie|Fam\.?)(?=\p{Lu}\p{Ll})/gu;

/**
 * The words after a title that may be names: up to four with a capital letter for each person, across titles, degrees,
 * initials and "und"; after a title of one person, the first word in lowercase too. It rather returns a word too many.
 */
export function wordsAfterTitles(text: string): string[] {
  const all = text.replace(glued, '$1 ').match(tokens) ?? [];
  const found = new Set<string>();
  for (const [index, token] of all.entries()) {
    if (!isTitle(token)) continue;
    for (const name of namesIn(all.slice(index, index + 40))) found.add(name);
    // `Lehmann, Frau Dr.`
    const [before = '', comma] = all.slice(Math.max(0, index - 2), index);
    const next = all.slice(index + 1, index + 5).find((each) => !isTitle(each)) ?? '';
    if (comma === ',' && /^\p{Lu}/u.test(before) && !/^\p{Lu}/u.test(next)) found.add(before);
  }
  return [...found];
}

function namesIn([title = '', ...rest]: readonly string[]): string[] {
  const found: string[] = [];
  let isOnePerson = ofOnePerson.has(bare(title));
  let isList = ofSeveral.has(bare(title));
  let namesOfPerson = 0;
  for (const [index, token] of rest.entries()) {
    const isNext = namesOfPerson === 0;
    // `Liebe Kollegen,` ends its line.
    if (found.length === 0 && token === '\n' && rest[index - 1] === ',') break;
    if (isTitle(token) && (isNext || !/^\p{Lu}\p{L}*$/u.test(token))) {
      isOnePerson ||= ofOnePerson.has(bare(token));
      isList ||= ofSeveral.has(bare(token));
      if (offices.has(token.toLowerCase())) {
        found.push(token);
      }
    } else if (joiner.test(token) || (token === ',' && isList)) {
      namesOfPerson = 0;
    } else if (!isNext && (token === '\n' || token === ',')) {
      break;
    } else if (/^\p{L}/u.test(token) && !particles.has(token) && !isInitial(token)) {
      const isName = /^\p{Lu}/u.test(token) || (isOnePerson && isNext);
      if (!isName || namesOfPerson === mostNames || (!isNext && days.has(bare(token)))) {
        break;
      }
      found.push(token.replace(/['’‘ʼ´.]+$/u, ''));
      namesOfPerson++;
      // A longer word with a dot ends the sentence; a shorter one is an abbreviation, as in "Chr. Claussen".
      if (/\p{L}{5}\.$/u.test(token)) {
        break;
      }
    } else if (!skipped.test(token) && !(isNext && skippedBeforeName.test(token)) && !/^\p{L}/u.test(token)) {
      break;
    }
  }
  return found;
}

const isInitial = (token: string): boolean => /^\p{L}\.$/u.test(token);

// --- names without titles ----------------------------------------------------------------------------------------------

const capitalWord = String.raw`\p{Lu}[\p{L}\p{M}'’‘-]*\.?`;
const name = String.raw`${capitalWord}(?:[ \t]+(?:(?:von|van|de|der|zu)[ \t]+){0,2}${capitalWord}){0,3}`;
const names = `${name}(?:[,;][ ]?${name}){0,9}`;
const endOfLine = String.raw`(?=\s*(?:\n|$))`;
const ownWord = String.raw`(?<![\p{L}\d])`;

/** In addresses and before signatures: `c/o Lehmann`, `i. A. Lehmann`, `Attn: Lehmann`. */
const inAddress = String.raw`c\/o|[ip]\.\s?[av]\.|pp(?:a|\.)|attn|fao`;
/** Before a person: `Ansprechpartnerin: Sabine Lehmann`. */
const labels = 'ansprechpartner(?:in)?|bearbeiter(?:in)?|kontakt|absender|empfänger|name|cc|kopie';
/** Of emails that were pasted: `Von: Lehmann, Sabine`; `Am 5.1. schrieb Sabine Lehmann:`. */
const headers = String.raw`(?<=(?:^|\n)[>\s]{0,20})(?:von|an|from|to)\s?:`;
const greetings = 'hallo|liebe[rs]?|dear|hi|hello|moin|servus|guten (?:tag|morgen|abend)|geehrte[rs]?';
const closings = 'grü(?:ß|ss)en?|gru(?:ß|ss)|mfg|regards|wishes|sincerely';

/** What people are by their work or to each other, also at the end of other words: `Hausmeister`, `Nachmieterin`. */
const atEnd =
  'meister|leiter|arbeiter|feger|führer|verwalter|techniker|planer|makler|händler|vertreter|berater|prüfer|beauftragte|' +
  'vorsitzende|sekretär|assistent|referent|inspektor|richter|arzt|ärztin|lehrer|schwester|pfleger|rätin|stadtrat|baurat|' +
  'elektriker|dachdecker|zimmerer|installateur|monteur|schreiner|gärtner|statiker|prokurist|praktikant|kaufmann|kauffrau|' +
  'mieter|eigentümer|besitzer|inhaber|nachbar|pächter|bauherr|käufer|betreuer|schwager|handwerker|anwalt|anwältin';
/** These are the end of `Urkunde`, `Europa`, `Gegenwart`, too. */
const alone =
  'kunde|kundin|zeuge|zeugin|erbe|erbin|chef|maler|maurer|tischler|wart|hauswart|azubi|geometer|onkel|tante|opa|oma|' +
  'mutter|vater|sohn|tochter|bruder|ehefrau|ehemann';
const person = String.raw`(?<=${ownWord}(?:\p{L}{0,30}(?:${atEnd})|${alone})(?:in|e?[ns])?)[ \t]`;

/** What stands before names, in any case, and the names, which have capital letters. */
const markers: readonly (readonly [before: RegExp, names: RegExp])[] = [
  [new RegExp(String.raw`${ownWord}(?:${inAddress})[.:]?\s{0,3}`, 'giu'), new RegExp(name, 'yu')],
  [
    new RegExp(String.raw`(?:${ownWord}(?:${labels})\s?:|${headers}|${ownWord}schrieb\s)\s{0,3}`, 'giu'),
    new RegExp(names, 'yu'),
  ],
  [new RegExp(person, 'giu'), new RegExp(name, 'yu')],
  [
    new RegExp(String.raw`${ownWord}(?:${greetings})[ \t]`, 'giu'),
    new RegExp(String.raw`${name}(?=[,!])|${name}${endOfLine}`, 'yu'),
  ],
  [
    new RegExp(String.raw`${ownWord}(?:${closings})[^\n]{0,30}\n\s{0,5}(?:ihre?\s)?`, 'giu'),
    new RegExp(`${name}${endOfLine}`, 'yu'),
  ],
];

/** Words of greetings and closings that are nobody's name. */
const nobody = words(
  'team alle all zusammen grüße grüßen kolleginnen kundinnen kunden ihr ihre sie wir ich bitte danke',
);

/** The words after what stands before names in letters and emails, other than titles. Like above, rather a word too many. */
export const wordsAfterMarkers = (text: string): string[] => [
  ...new Set(
    markers
      .flatMap(([before, following]) =>
        [...text.matchAll(before)].flatMap((found) => {
          following.lastIndex = found.index + found[0].length;
          return following.exec(text)?.[0].match(/[\p{L}\p{M}'’‘-]{2,}/gu) ?? [];
        }),
      )
      .filter(
        (each) => !isTitle(each) && !particles.has(each) && !nobody.has(bare(each)) && !days.has(bare(each)),
      ),
  ),
];
