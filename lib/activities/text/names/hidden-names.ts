import { editDistance } from '../../../contract/edit-distance.ts';
import type { Contact } from '../../../contacts/contact.ts';
import { familyNameOf } from './title-address.ts';
import { familyPseudonym, givenPseudonym } from './pseudonyms.ts';
import { isTitle, wordsAfterTitles } from './titles.ts';
import { escaped, folded } from '../language/spelling.ts';
import { detailsOf, orderOf, type WritingTask } from '../task/writing-task.ts';

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

interface Name {
  /** The name as written in the data, in NFC. */
  readonly name: string;
  readonly isGiven: boolean;
}

interface Pseudonym extends Name {
  readonly pseudonym: string;
}

/**
 * Hides the first and last names of the contact and the sender in every field the provider receives: in their own
 * fields, in the names of company and project, in the project's number and in the description. In the description it
 * also finds them inflected, in capitals, with ae for ä, in lowercase and in web addresses. Of other people it hides
 * email addresses and the words after titles (titles.ts), which may be too many: each is restored. A name joined with
 * another word (`Müllerbau`) is not found.
 */
export function hiddenNames(task: WritingTask): HiddenNames {
  const { contact, project, sender, hint, previous } = task;
  const [order, details] = [plain(orderOf(task)), plain(detailsOf(task))];
  const outgoing = `${order}\n${details}`;
  const addresses = emailAddresses(outgoing);
  const names = [...namesOf(contact, sender), ...titledNames(outgoing)];
  const pseudonyms = withPseudonyms([...names, ...spellingsOf(names, outgoing)], outgoing);
  const hide = (text: string, isName = false): string =>
    hidden(addresses.hidden(plain(text)), pseudonyms, isName);
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
      firstName: contact.firstName && hide(contact.firstName, true),
      lastName: contact.lastName && hide(contact.lastName, true),
    },
    project: project && { ...project, number: hide(project.number), name: hide(project.name) },
  };
  return {
    task: hiddenTask,
    altered: (text) => altered(text, pseudonyms),
    restored: (text) => addresses.restored(restored(text, pseudonyms)),
  };
}

/** Normalizes to NFC and removes invisible characters, which would split a name. */
const plain = (text: string): string =>
  text.normalize('NFC').replace(/(?<=\p{L})[\u00ad\u200b-\u200d\u2060\ufeff]+(?=\p{L})/gu, '');

// --- names -----------------------------------------------------------------------------------------------------------

/** In lowercase these are parts of a name and not names; capitalized they are names, such as Le. */
const particles = new Set(
  'von van vom de den der dem des di da do du la le el al zu zum zur und y of ten ter bin ben dr prof'.split(
    ' ',
  ),
);

function namesOf({ firstName, lastName }: Contact, sender: string): Name[] {
  const family = familyNameOf({ lastName }).lastName ?? '';
  const [senderFamily = '', ...senderGiven] = sender.split(' ').toReversed();
  return [
    ...partsOf(family, false),
    ...partsOf(senderFamily, false),
    ...partsOf(firstName ?? '', true),
    ...senderGiven.filter((word) => !particles.has(word)).flatMap((name) => partsOf(name, true)),
  ];
}

/** The whole name and its words: Frau Müller-Lüdenscheidt is also addressed as `Frau Lüdenscheidt`. */
function partsOf(name: string, isGiven: boolean): Name[] {
  const whole = name.normalize('NFC').replace(/\s+/g, ' ').trim();
  const words = whole.split(/[\s-]+/).filter((word) => /^\p{L}[\p{L}\p{M}'’]+$/u.test(word));
  const significant = words.filter((word) => !particles.has(word));
  return [...new Set([whole, ...significant])]
    .filter((part) => /\p{L}[\p{L}\p{M}]/u.test(part))
    .map((part) => ({ name: part, isGiven }));
}

/** With and without the s of a genitive: "Frau Lehmanns Vertrag" and "Lehmann" elsewhere. */
const titledNames = (outgoing: string): Name[] =>
  wordsAfterTitles(outgoing)
    .flatMap((word) => [word, word.replace(/(?<=\p{L}{3})['’‘ʼ´]?s$/iu, '')])
    .flatMap((word) => [{ name: word, isGiven: false }, ...partsOf(word, false)]);

/** Each spelling of the names that occurs in the data, as a name of its own: it is restored as it was written. */
function spellingsOf(names: readonly Name[], outgoing: string): Name[] {
  const byForm = new Map(names.map((each) => [folded(each.name), each]));
  const words = outgoing.match(/\p{L}[\p{L}\p{M}'’‘ʼ´`]*/gu) ?? [];
  return words
    .map((word) => word.replace(/['’‘ʼ´`]+$/u, ''))
    .flatMap((word) => [word, ...word.split(/['’‘ʼ´`]/u)])
    .flatMap((word) => [word, word.replace(/['’‘ʼ´`]?s$/iu, '')])
    .flatMap((word) => {
      const each = byForm.get(folded(word));
      return each === undefined ? [] : [{ ...each, name: capitalized(word) }];
    });
}

/** A name that is written in one case only, with the capital letters of names. */
const capitalized = (name: string): string =>
  (name === name.toLowerCase() || name === name.toUpperCase()) && name.toLowerCase().length === name.length
    ? name.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
    : name;

// --- hiding ----------------------------------------------------------------------------------------------------------

function withPseudonyms(names: readonly Name[], outgoing: string): Pseudonym[] {
  const taken = outgoing.toLowerCase();
  const words = [...new Set(taken.split(/[^\p{L}\p{M}]+/u))].filter((word) => word.length > 4);
  const isFree = (pseudonym: string): boolean => {
    const small = pseudonym.toLowerCase();
    return !taken.includes(small) && !words.some((word) => isNear(word, small));
  };
  const found = new Map<string, Pseudonym>();
  const used = new Set<string>();
  const nextOf = { given: 0, family: 0 };
  const nextPseudonym = (kind: 'given' | 'family'): string => {
    for (;;) {
      const index = nextOf[kind];
      nextOf[kind] += 1;
      const pseudonym = kind === 'given' ? givenPseudonym(index) : familyPseudonym(index);
      if (isFree(pseudonym) && !used.has(pseudonym)) return pseudonym;
    }
  };
  for (const each of names) {
    const key = capitalized(each.name);
    if (found.has(key)) continue;
    const pseudonym = nextPseudonym(each.isGiven ? 'given' : 'family');
    used.add(pseudonym);
    found.set(key, { ...each, name: key, pseudonym });
  }
  // Longest first: Müller-Lüdenscheidt before Müller.
  return [...found.values()].toSorted((one, other) => other.name.length - one.name.length);
}

const genitive = `(?:['’‘ʼ´]?s|['’‘ʼ´])?`;
/** The genitive of these is written with an apostrophe: Schulz’ Angebot, not Schulzs. */
const endsLikeS = /(?:[sßxz]|ce)$/iu;

function hidden(text: string, pseudonyms: readonly Pseudonym[], isName: boolean): string {
  if (pseudonyms.length === 0) return text;
  const byName = new Map(pseudonyms.map((each) => [each.name, each]));
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{M}])(${pseudonyms.map(({ name }) => escaped(name)).join('|')})(${genitive})(?![\\p{L}\\p{M}])`,
    'giu',
  );
  return text.replace(pattern, (all, surface: string, ending: string, at: number) => {
    // Some letters match case-insensitively but have a different lowercase form, such as the long s.
    const each =
      byName.get(capitalized(surface)) ??
      pseudonyms.find(({ name }) => new RegExp(`^${escaped(name)}$`, 'iu').test(surface));
    if (each === undefined) return all;
    const before = text.slice(Math.max(0, at - 40), at);
    const after = text.slice(at + all.length, at + all.length + 2);
    if (!isName && isOrdinary(surface) && !isUsedAsName(before, after, byName)) return all;
    const isGenitive = /^['’]$/.test(ending) && endsLikeS.test(surface);
    return `${inCaseOf(surface, each.pseudonym)}${isGenitive ? 's' : ending}`;
  });
}

const isOrdinary = (surface: string): boolean =>
  surface === surface.toLowerCase() && (ordinaryWords.has(surface) || particles.has(surface));

/** True after a title or another name, also across "und", and inside an email or web address. */
function isUsedAsName(before: string, after: string, byName: ReadonlyMap<string, Pseudonym>): boolean {
  const word =
    /([\p{L}\p{M}]+)\.?[\s)]+(?:(?:und|u\.?|and|sowie|oder|bzw\.?|[&+/])\s+)?$/iu
      .exec(before)?.[1]
      ?.toLowerCase() ?? '';
  return (
    /[\p{L}\d][.@_/-]$/u.test(before) ||
    /^[.@_/-][\p{L}\d]/u.test(after) ||
    byName.has(capitalized(word)) ||
    isTitle(word)
  );
}

// --- restoring -------------------------------------------------------------------------------------------------------

function restored(text: string, pseudonyms: readonly Pseudonym[]): string {
  return pseudonyms
    .toSorted((one, other) => other.pseudonym.length - one.pseudonym.length)
    .reduce(
      (rest, { pseudonym, name, isGiven }) =>
        rest.replace(
          // Pseudonyms for given names are real names, so they match whole words only: not the Robin in Robinie.
          new RegExp(
            `(?<![\\p{L}\\p{M}])(${escaped(pseudonym)})(s(?![\\p{L}\\p{M}]))?${isGiven ? '(?![\\p{L}\\p{M}])' : ''}`,
            'giu',
          ),
          (_all, surface: string, ending: string | undefined) => {
            const own = inCaseOf(surface, name);
            if (ending === undefined) return own;
            return endsLikeS.test(own) ? `${own}’` : `${own}s`;
          },
        ),
      text,
    );
}

const altered = (text: string, pseudonyms: readonly Pseudonym[]): string[] =>
  (text.match(/\p{L}[\p{L}\p{M}]{4,40}/gu) ?? []).filter((word) => {
    const bare = word.toLowerCase().replace(/(?:s|sche[mnrs]?)$/, '');
    const spellings = pseudonyms.map(({ pseudonym }) => pseudonym.toLowerCase());
    return !spellings.includes(bare) && spellings.some((spelling) => isNear(bare, spelling));
  });

/** Whether a word may be a misspelled pseudonym. */
const isNear = (word: string, pseudonym: string): boolean =>
  editDistance(word, pseudonym) <= (pseudonym.length > 6 ? 2 : 1);

// --- email addresses ------------------------------------------------------------------------------------------------

function emailAddresses(outgoing: string): { hidden(text: string): string; restored(text: string): string } {
  const pattern = /[\p{L}\p{M}\d._%+-]{1,64}@[\p{L}\p{M}\d.-]{1,253}\.\p{L}{2,24}/gu;
  const all = [...new Set(outgoing.match(pattern))];
  const pseudonym = (address: string): string => `post${all.indexOf(address) + 1}@anschrift.example`;
  return {
    hidden: (text) =>
      text.replace(pattern, (address) => (all.includes(address) ? pseudonym(address) : address)),
    restored: (text) =>
      text.replace(/post(\d{1,4})@anschrift\.example/gi, (found, number) => all[Number(number) - 1] ?? found),
  };
}

// --- letters --------------------------------------------------------------------------------------------------------

function inCaseOf(surface: string, name: string): string {
  if (surface === surface.toLowerCase()) return name.toLowerCase();
  return surface.length > 1 && surface === surface.toUpperCase() ? name.toUpperCase() : name;
}

/**
 * Family names that are ordinary words in lowercase: `lang`, `klein`, `weil`. In lowercase they count as a name only
 * where the context shows it.
 */
const ordinaryWords: ReadonlySet<string> = new Set(
  (
    'alt an auf aus bald bar bei blank blau blum braun breit bunt da dank darm das dein den der die doll dort dunkel dünn ' +
    'edel eher ehrlich eigen eilig eng er ernst fein fest flach flink frei fremd froh fromm früh ganz gar gerade ' +
    'gern glatt gleich golden grau groß gross grün gut halb hart heil heiß hell hier hoch hohl ich ihr im in jung kahl kalt karg ' +
    'kein klar klein klug knapp krank kraus krumm kühl kühn kurz lahm lang lange laut leer leicht leise lieb locker los man mit ' +
    'mild mini müde nah nass neu nett nicht nie noch oben offen recht reich rein rot roth rund sanft satt sauer scharf schmal schnell schön ' +
    'schwarz schwer sehr sei selten sie so spät spitz stark starr steil still stolz stumpf süß tapfer tief toll treu trocken ' +
    'um und unruh unter viel voll von vor wach wahr warm wann weich weil weise weiß weiss weit wenig wenn wer wie wild will wir ' +
    'wohl zahm zart zu may'
  ).split(' '),
);
