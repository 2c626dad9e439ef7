import type { Contact } from '../../../contacts/contact.ts';
import { foldText } from '../language/spelling.ts';
import { detailsOf, orderOf, type WritingTask } from '../task/writing-task.ts';
import { hiddenAddresses } from './hidden-addresses.ts';
import { endsLikeS, inCaseOf, Pseudonyms } from './pseudonyms.ts';
import { isTitle, wordsAfterMarkers, wordsAfterTitles } from './titles.ts';

/** A task with pseudonyms for people's names, and the functions that undo it. */
export interface HiddenNames {
  /** The task that the provider may receive: it contains no name of the contact or the sender. */
  readonly task: WritingTask;
  /** The words of a text that may be misspelled pseudonyms. */
  readonly altered: (text: string) => string[];
  /** Replaces pseudonyms by names, in a text or in an excerpt of a finding. */
  readonly restored: (text: string) => string;
}

/** Leaves the names in place, for providers that may receive them. */
export const openNames = (task: WritingTask): HiddenNames => ({
  task,
  altered: () => [],
  restored: (text) => text,
});

/**
 * Hides the words of the first and last names of the contact and the sender in every field the provider receives, in any
 * spelling and inflection, and of other people the words after titles (titles.ts), which may be too many: each is
 * restored. Links, email addresses, and whatever is encoded or damaged are hidden as a whole. Each word is looked up
 * once, so the time is proportional to the length of the order.
 */
export function hiddenNames(task: WritingTask): HiddenNames {
  const { contact, project, sender, hint, previous } = task;
  const addresses = hiddenAddresses();
  const data = addresses.hidden(normalizeText(`${orderOf(task)}\n${detailsOf(task)}`));
  const names = namesIn(contact, sender, data);
  const pseudonyms = new Pseudonyms(data);
  const hide = (text: string, isName = false): string =>
    hideNames(
      hideSpaced(joinHyphenated(addresses.hidden(normalizeText(text)), names), names, pseudonyms),
      names,
      pseudonyms,
      isName,
    );
  // First, because the first pseudonyms differ most.
  const person = {
    lastName: contact.lastName && hide(contact.lastName, true),
    firstName: contact.firstName && hide(contact.firstName, true),
  };
  const hiddenTask: WritingTask = {
    ...task,
    description: hide(task.description),
    hint: hint && hide(hint),
    previous: previous && { subject: hide(previous.subject), content: hide(previous.content) },
    houseStyle: hide(task.houseStyle),
    sender: hide(sender, true),
    contact: {
      ...contact,
      company: contact.company && hide(contact.company),
      // `Frau Rechtsanwältin`, but `Frau Lehmann`.
      title: contact.title && contact.title.replace(/\S+/gu, (each) => (isTitle(each) ? each : hide(each))),
      ...person,
    },
    project: project && { ...project, number: hide(project.number), name: hide(project.name) },
  };
  return {
    task: hiddenTask,
    altered: (text) => pseudonyms.altered(text),
    restored: (text) => addresses.restored(pseudonyms.restored(text)),
  };
}

// --- one form ---------------------------------------------------------------------------------------------------------

const marks: Readonly<Record<string, string>> = {
  uml: '\u0308',
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  cedil: '\u0327',
  ring: '\u030a',
  caron: '\u030c',
};
const entity = new RegExp(
  `&(?:#(\\d{1,6})|#x([\\da-f]{1,5})|([a-z])(${Object.keys(marks).join('|')})|(szlig|amp|nbsp|shy));`,
  'gi',
);
const otherEntities: Readonly<Record<string, string>> = { szlig: 'ß', amp: '&', nbsp: ' ', shy: '' };

function decodeEntities(text: string): string {
  return text.replace(entity, (all, decimal, hexadecimal, letter, mark, other) => {
    if (letter !== undefined) return `${letter}${marks[String(mark).toLowerCase()] ?? ''}`;
    if (other !== undefined) return otherEntities[String(other).toLowerCase()] ?? all;
    const code = Number(decimal ?? `0x${hexadecimal}`);
    return code > 31 && code < 0xd800 ? String.fromCodePoint(code) : all;
  });
}

/** Letters in full width, in circles and squares, raised, of formulas, and joined in one character: `Ｍ`, `Ⓜ`, `ᴹ`, `𝐌`, `ﬀ`. */
const raisedLetters = String.raw`\u02b0-\u02b8\u1d2c-\u1d6a`;
const circledLetters = String.raw`\u24b6-\u24e9\u{1f130}-\u{1f149}`;
const otherLetters = String.raw`\ufb00-\ufb06\uff21-\uff5a\u{1d400}-\u{1d6a5}`;
const letterForms = new RegExp(`[${raisedLetters}${circledLetters}${otherLetters}]`, 'gu');
/** Small capitals, which have no other form in Unicode. */
const smallCapitals = new Map(
  Array.from(
    'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ',
    (letter, at) => [letter, 'abcdefghijklmnopqrstuvwyz'[at]!] as const,
  ),
);

/** NFC, without entities, other forms of letters, and invisible characters in words, which would split a name. */
const normalizeText = (text: string): string =>
  decodeEntities(text)
    .replace(letterForms, (letter) => letter.normalize('NFKC'))
    .replace(/[\u0262-\u029f\u1d00-\u1d22\ua730-\ua7af]/gu, (letter) => smallCapitals.get(letter) ?? letter)
    .normalize('NFC')
    .replace(/(?<=[\p{L}\p{M}'’-])\p{Cf}+(?=[\p{L}\p{M}-])/gu, '');

/** A name that is hyphenated at the end of a line, or broken by the encoding of an email. */
const joinHyphenated = (text: string, names: Names): string =>
  text.replace(
    /(\p{Lu}\p{L}{0,30})[-=\u00ad\u2010]\s?\n\s?(\p{Ll}{1,30})/gu,
    (all, one: string, other: string) => (names.in(one + other) === null ? all : one + other),
  );

const spaced = /(?<!\p{L})\p{L}(?:[ \u00a0\u2009]\p{L}){2,30}(?!\p{L})/gu;
const notLetters = /<[^<>]*>|[^\p{L}\p{M}]/gu;

/** A name with something between its letters: `M ü l l e r`, `**Mül**ler`, `M<b>ü</b>ller`, `Mu"ller`. */
function hideSpaced(text: string, names: Names, pseudonyms: Pseudonyms): string {
  const hide = (all: string): string =>
    names.in(all.replace(notLetters, '')) === null ? all : pseudonyms.of(all, false);
  return text
    .replace(spaced, hide)
    .replace(/\S+/g, (chunk) =>
      chunk.replace(/\p{L}.*\p{L}/u, (inside) =>
        inside.search(notLetters) === -1 ? inside : hideWhole(inside),
      ),
    );

  /** Unless its words are names themselves, as in `Müller’s`. */
  function hideWhole(inside: string): string {
    return (inside.match(word) ?? []).some((each) => names.in(each) !== null) ? inside : hide(inside);
  }
}

// --- names -----------------------------------------------------------------------------------------------------------

/** The names of the data. */
class Names {
  /** Whether the name of each folded word is a first name. */
  readonly #isGiven: ReadonlyMap<string, boolean>;
  /** Those that are also found inside of other words: of the contact and the sender, if they are long enough. */
  readonly #inWords: ReadonlySet<string>;
  readonly #lengthsInWords: readonly number[];
  /** Each word is looked up once. */
  readonly #found = new Map<string, FoundName | null>();
  readonly #compounds = new Map<string, FoundName | null>();

  constructor(others: readonly string[], known: readonly (readonly [name: string, isGiven: boolean])[]) {
    const all = [...others.map((name) => [name, false] as const), ...known];
    const forms = all.map(([name, isGiven]) => [foldText(name), isGiven] as const);
    this.#isGiven = new Map(forms.filter(([form]) => form.length > 1));
    const inWords = known
      .map(([name]) => name)
      .filter((name) => name.length >= leastLettersInWords && !ordinaryWords.has(name.toLowerCase()));
    this.#inWords = new Set(inWords.map(foldText));
    this.#lengthsInWords = [...new Set([...this.#inWords].map((each) => each.length))];
  }

  has(word: string): boolean {
    return this.#isGiven.has(foldText(word));
  }

  /** The name of a word, which may be inflected. */
  in(word: string): FoundName | null {
    let found = this.#found.get(word);
    if (found === undefined) this.#found.set(word, (found = this.#lookUp(word)));
    return found;
  }

  /** The name that another word begins with, `Müllerbau`; or the whole word, if it is elsewhere in it: `amueller`. */
  compound(word: string): FoundName | null {
    let found = this.#compounds.get(word);
    if (found === undefined) this.#compounds.set(word, (found = this.#lookUpCompound(word)));
    return found;
  }

  #lookUpCompound(word: string): FoundName | null {
    const folded = foldText(word);
    const places = Array.from(folded, (_letter, at) => at).filter((at) =>
      this.#lengthsInWords.some((length) => this.#inWords.has(folded.slice(at, at + length))),
    );
    if (places.length === 0) return null;
    const stem = this.#beginningOf(word);
    return places.length > 1 || stem === undefined || this.#isGiven.get(foldText(stem)) === true
      ? { stem: word, ending: '', isGiven: false }
      : { stem, ending: word.slice(stem.length), isGiven: false };
  }

  /** In the spelling of the word. */
  #beginningOf(word: string): string | undefined {
    const most = this.#lengthsInWords.reduce((longest, length) => Math.max(longest, length), 0);
    const longest = most * mostLettersForOne;
    const beginnings = Array.from(word.slice(0, longest), (_letter, at) => word.slice(0, at + 1));
    return beginnings.findLast((each) => this.#inWords.has(foldText(each)));
  }

  #lookUp(word: string): FoundName | null {
    for (const [index, pattern] of endings.entries()) {
      const at = word.search(pattern);
      const stem = word.slice(0, at);
      if (at < 2 || (index >= firstDerivation && ordinaryWords.has(stem.toLowerCase()))) continue;
      const isGiven = this.#isGiven.get(foldText(stem));
      if (isGiven !== undefined) return { stem, ending: word.slice(at), isGiven };
    }
    return null;
  }
}

const apostrophe = "['’‘ʼ´`]";
const word = new RegExp(`\\p{L}[\\p{L}\\p{M}]*(?:${apostrophe}\\p{L}[\\p{L}\\p{M}]*)*['’]?`, 'gu');

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** In lowercase these are parts of a name and not names; capitalized they are names, such as Le. */
const particles = words(
  'von van vom de den der dem des di da do du la le el al zu zum zur und y of ten ter bin ben dr prof geb jun sen jr sr',
);

function namesIn({ firstName, lastName }: Contact, sender: string, data: string): Names {
  // Directories add the company: "Jörg Schäfer (Bau GmbH)", "Jörg Schäfer | Bau GmbH".
  const senderWords = sender.replace(/\s*[(|].*$/u, '').match(/\S+/gu) ?? [];
  const known: readonly (readonly [string, boolean])[] = [
    [lastName ?? '', false],
    [senderWords.at(-1) ?? '', false],
    [firstName ?? '', true],
    [senderWords.slice(0, -1).join(' '), true],
  ];
  const others = [...wordsAfterTitles(data), ...wordsAfterMarkers(data)]
    .flatMap((each) => each.match(word) ?? [])
    .flatMap((each) => [each, each.replace(/(?<=\p{L}{3})['’]?s$/iu, '')]);
  return new Names(
    others,
    known.flatMap(([text, isGiven]) => wordsOfName(text).map((each) => [each, isGiven] as const)),
  );
}

function wordsOfName(text: string): string[] {
  const all = (normalizeText(text).match(word) ?? [])
    .map((each) => each.replace(/['’]$/u, ''))
    .filter((each) => !particles.has(each));
  const bare = all.filter((each) => !isTitle(each));
  return bare.length === 0 ? all : bare;
}

/** A name that is written in one case only, with the capital letters of names. */
const capitalize = (name: string): string =>
  (name === name.toLowerCase() || name === name.toUpperCase()) && name.toLowerCase().length === name.length
    ? name.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
    : name;

interface FoundName {
  readonly stem: string;
  readonly ending: string;
  readonly isGiven: boolean;
}

/** Endings of a name: Schulz’, Müllers, Müller’s, die Müllersche Mauer, die Müllerin, Schulzens, bei Müllern. */
const endings = [
  /['’]$/,
  /$/,
  new RegExp(`${apostrophe}?s$`, 'iu'),
  /i?sche[mnrs]?$/iu,
  /(?:in(?:nen)?|chens?|leins?|o[vw][aá])$/iu,
  /en?s$/iu,
  /(?<=e[lr])n$/iu,
];
/** From here on, an ordinary word with an ending is another word. */
const firstDerivation = 3;
/** Shorter names are in too many words. */
const leastLettersInWords = 5;
/** A folded letter may stand for two, each of which may have a mark: `ss`, `ue`. */
const mostLettersForOne = 4;

// --- hiding ----------------------------------------------------------------------------------------------------------

function hideNames(text: string, names: Names, pseudonyms: Pseudonyms, isName: boolean): string {
  const pseudonymOf = (surface: string, at: number, found: FoundName | null): string | undefined => {
    if (found === null) return undefined;
    const before = text.slice(Math.max(0, at - 40), at);
    const after = text.slice(at + surface.length, at + surface.length + 2);
    if (!isName && isOrdinary(surface) && !isUsedAsName(before, after, names)) return undefined;
    const { stem, ending, isGiven } = found;
    const written = /^['’]$/.test(ending) && endsLikeS(stem) ? 's' : ending;
    return `${inCaseOf(stem, pseudonyms.of(capitalize(stem), isGiven))}${written}`;
  };
  return text.replace(word, (surface: string, at: number) => {
    const whole = pseudonymOf(surface, at, names.in(surface));
    if (whole !== undefined) return whole;
    // d’Mueller, AngebotMueller, PMueller, Muellerbau
    let from = at;
    return surface
      .split(/(?<=['’‘ʼ´`])|(?=['’‘ʼ´`])|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
      .map((part) => {
        from += part.length;
        return pseudonymOf(part, from - part.length, names.in(part) ?? names.compound(part)) ?? part;
      })
      .join('');
  });
}

const isOrdinary = (surface: string): boolean =>
  surface === surface.toLowerCase() && (ordinaryWords.has(surface) || particles.has(surface));

const lastWord = /([\p{L}\p{M}]+)\.?[\s)]+(?:(?:und|u\.?|and|sowie|oder|bzw\.?|[&+/])\s+)?$/iu;

/** True after a title or another name, also across "und", and inside an address or a file name. */
function isUsedAsName(before: string, after: string, names: Names): boolean {
  const previous = lastWord.exec(before)?.[1]?.toLowerCase() ?? '';
  return (
    /[\p{L}\d][.@_/-]$/u.test(before) ||
    /^[.@_/-][\p{L}\d]/u.test(after) ||
    names.has(previous) ||
    isTitle(previous)
  );
}

/**
 * Family names that are ordinary words in lowercase: `lang`, `klein`, `weil`. In lowercase they count as a name only
 * where the context shows it.
 */
const ordinaryWords = words(
  'alt an auf aus bald bar bei blank blau blum braun breit bunt da dank darm das dein den der die doll ' +
    'dort dunkel dünn edel eher ehrlich eigen eilig eng er ernst fein fest flach flink frei fremd froh fromm ' +
    'früh ganz gar gerade gern glatt gleich golden grau groß gross grün gut halb hart heil heiß hell hier ' +
    'hoch hohl ich ihr im in jung kahl kalt karg kein klar klein klug knapp krank kraus krumm kühl kühn kurz ' +
    'lahm lang lange laut leer leicht leise lieb locker los man mit mild mini müde nah nass neu nett nicht ' +
    'nie noch oben offen recht reich rein rot roth rund sanft satt sauer scharf schmal schnell schön schwarz ' +
    'schwer sehr sei selten sie so spät spitz stark starr steil still stolz stumpf süß tapfer tief toll treu ' +
    'trocken um und unruh unter viel voll von vor wach wahr warm wann weich weil weise weiß weiss weit wenig ' +
    'wenn wer wie wild will wir wohl zahm zart zu may',
);
