import type { Contact } from '../../contacts/contact.ts';
import { familyNameOf } from './title-address.ts';
import { familyStandIn, givenStandIn } from './stand-in-names.ts';
import { isNear, nearest } from './near-words.ts';
import { ordinaryWords } from './ordinary-words.ts';
import type { WrittenText } from './text-answer.ts';
import type { Finding } from './text-check.ts';
import type { WritingTask } from './writing-task.ts';

/** A task with stand-ins for the names of people, and the way back. */
export interface HiddenNames {
  /** What may leave: no name of contact or sender is in it. */
  readonly task: WritingTask;
  /**
   * Stand-ins that came back misspelled are put right, as far as they can be recognized; each is a finding all the
   * same, and so is an email that lost the name of its sender. Still with stand-ins.
   */
  readonly repaired: (text: WrittenText) => { text: WrittenText; findings: Finding[] };
  /** The names instead of their stand-ins, in a text and in what is said about it. */
  readonly restored: (text: string) => string;
}

/** For providers that may have the names. */
export const openNames = (task: WritingTask): HiddenNames => ({
  task,
  repaired: (text) => ({ text, findings: [] }),
  restored: (text) => text,
});

interface Name {
  /** As it is in the data, in NFC. */
  readonly name: string;
  readonly isGiven: boolean;
}

interface StandIn extends Name {
  readonly standIn: string;
}

/**
 * Hides the first and last names of contact and sender wherever the provider would see them: in their own fields, in the
 * names of company and project, in the project's number, and in the description, there also inflected, in capitals, with ae for ä, in small
 * letters and in web addresses. Of other people it hides email addresses and what follows Herr, Frau and the like.
 * A name grown together with another word (`Müllerbau`) is not found.
 */
export function hiddenNames(task: WritingTask): HiddenNames {
  const { contact, project, sender } = task;
  const description = plain(task.description);
  const outgoing = [
    description,
    contact.company,
    contact.title,
    contact.firstName,
    contact.lastName,
    project?.number,
    project?.name,
    sender,
  ]
    .map((text) => plain(text ?? ''))
    .join('\n');
  const addresses = emailAddresses(outgoing);
  const standIns = withStandIns([...namesOf(contact, sender), ...namesBehindTitles(description)], outgoing);
  const hide = (text: string, isName = false): string =>
    hidden(addresses.hidden(plain(text)), standIns, isName);
  const hideField = (text: string | null, isName: boolean): string | null =>
    text === null ? null : hide(text, isName);
  const hiddenTask: WritingTask = {
    ...task,
    description: hide(description),
    sender: hide(sender, true),
    contact: {
      ...contact,
      company: hideField(contact.company, false),
      firstName: hideField(contact.firstName, true),
      lastName: hideField(contact.lastName, true),
    },
    project: project === null ? null : { ...project, number: hide(project.number), name: hide(project.name) },
  };
  return {
    task: hiddenTask,
    repaired: (text) => repaired(text, hiddenTask, standIns),
    restored: (text) => addresses.restored(restored(text, standIns)),
  };
}

/** In NFC and without the marks that nobody sees, which would part a name. */
const plain = (text: string): string =>
  text.normalize('NFC').replace(/(?<=\p{L})[\u00ad\u200b-\u200d\u2060\ufeff]+(?=\p{L})/gu, '');

// --- what is a name -------------------------------------------------------------------------------------------------

/** Written small they belong to a name and are none; Le is one. */
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

/** The whole and its words: people write `Frau Lüdenscheidt` to Frau Müller-Lüdenscheidt. */
function partsOf(name: string, isGiven: boolean): Name[] {
  const whole = name.normalize('NFC').replace(/\s+/g, ' ').trim();
  const words = whole.split(/[\s-]+/).filter((word) => /^\p{L}[\p{L}\p{M}'’]+$/u.test(word));
  const telling = words.filter((word) => !particles.has(word));
  return [...new Set([whole, ...telling])]
    .flatMap((part) => (/\p{L}[\p{L}\p{M}]/u.test(part) ? [part, ...transcribed(part)] : []))
    .map((part) => ({ name: part, isGiven }));
}

// Müller, Mueller, MUELLER; and the other way round for the Mueller whom a colleague writes Müller.
function transcribed(name: string): string[] {
  const umlauts: readonly (readonly [string, string])[] = [
    ['ä', 'ae'],
    ['ö', 'oe'],
    ['ü', 'ue'],
    ['Ä', 'Ae'],
    ['Ö', 'Oe'],
    ['Ü', 'Ue'],
    ['ß', 'ss'],
  ];
  const plain = umlauts.reduce((text, [letter, letters]) => text.replaceAll(letter, letters), name);
  const withLetters = umlauts.reduce((text, [letter, letters]) => text.replaceAll(letters, letter), name);
  return [plain, withLetters].filter((other) => other !== name);
}

const address = String.raw`(?:Herrn?|Frau|Hr\.|Fr\.|Familie|Fam\.|Eheleute|Ehepaar|Dr\.|Prof\.|Mr\.?|Mrs\.?|Ms\.?)`;
const rank = String.raw`(?:(?:Dr|Prof|Dipl)\.(?:-Ing\.)?\s|(?:von|van|de|der|zu)\s)`;
const nameWord = String.raw`\p{Lu}[\p{L}\p{M}'’]{1,40}(?:-\p{Lu}[\p{L}\p{M}'’]{1,40}){0,3}`;
const behindTitle = new RegExp(`(?<!\\p{L})${address}\\s${rank}{0,4}(${nameWord})`, 'gu');

// One word: "Herrn Meier Bescheid geben" is how descriptions are written.
function namesBehindTitles(description: string): Name[] {
  return [...description.matchAll(behindTitle)].map(([, name = '']) => ({
    name: name.replace(/['’]$/, ''),
    isGiven: false,
  }));
}

// --- there ----------------------------------------------------------------------------------------------------------

function withStandIns(names: readonly Name[], outgoing: string): StandIn[] {
  const taken = outgoing.toLowerCase();
  const words = [...new Set(taken.split(/[^\p{L}\p{M}]+/u))].filter((word) => word.length > 4);
  const isFree = (standIn: string): boolean => {
    const small = standIn.toLowerCase();
    return !taken.includes(small) && !words.some((word) => isNear(word, small));
  };
  const found = new Map<string, StandIn>();
  let nextGiven = 0;
  let nextFamily = 0;
  for (const each of names) {
    const key = each.name.toLowerCase();
    if (found.has(key)) continue;
    let standIn: string;
    do {
      standIn = each.isGiven ? givenStandIn(nextGiven++) : familyStandIn(nextFamily++);
    } while (!isFree(standIn) || [...found.values()].some((other) => other.standIn === standIn));
    found.set(key, { ...each, standIn });
  }
  // The longest first: Müller-Lüdenscheidt before Müller.
  return [...found.values()].toSorted((one, other) => other.name.length - one.name.length);
}

const genitive = `(?:['’]?s|['’])?`;
/** Schulz’ Angebot, not Schulzs. */
const endsLikeS = /(?:[sßxz]|ce)$/iu;

function hidden(text: string, standIns: readonly StandIn[], isName: boolean): string {
  if (standIns.length === 0) return text;
  const byName = new Map(standIns.map((each) => [each.name.toLowerCase(), each]));
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{M}])(${standIns.map(({ name }) => escaped(name)).join('|')})(${genitive})(?![\\p{L}\\p{M}])`,
    'giu',
  );
  return text.replace(pattern, (all, surface: string, ending: string, at: number) => {
    // Letters that are equal without case and yet have other small letters, such as the long s.
    const each =
      byName.get(surface.toLowerCase()) ??
      standIns.find(({ name }) => new RegExp(`^${escaped(name)}$`, 'iu').test(surface));
    if (each === undefined) return all;
    const around = `${text.slice(Math.max(0, at - 20), at)}|${text.slice(at + all.length, at + all.length + 2)}`;
    if (!isName && isOrdinary(surface) && !saysName(around, byName)) return all;
    const isGenitive = /^['’]$/.test(ending) && endsLikeS.test(surface);
    return `${inCaseOf(surface, each.standIn)}${isGenitive ? 's' : ending}`;
  });
}

const isOrdinary = (surface: string): boolean =>
  surface === surface.toLowerCase() && (ordinaryWords.has(surface) || particles.has(surface));

// Behind an address or another name, or in a mail or web address.
function saysName(around: string, byName: ReadonlyMap<string, StandIn>): boolean {
  const [before = '', behind = ''] = around.split('|');
  const word = /(\p{L}+)\.?\s$/u.exec(before)?.[1]?.toLowerCase() ?? '';
  return (
    /[\p{L}\d][.@_/-]$/u.test(before) ||
    /^[.@_/-][\p{L}\d]/u.test(behind) ||
    byName.has(word) ||
    /^(?:herrn?|frau|hr|fr|familie|fam|dr|prof)$/.test(word)
  );
}

// --- and back -------------------------------------------------------------------------------------------------------

function restored(text: string, standIns: readonly StandIn[]): string {
  return standIns
    .toSorted((one, other) => other.standIn.length - one.standIn.length)
    .reduce(
      (rest, { standIn, name, isGiven }) =>
        rest.replace(
          // Given names are real ones: Robin stands in no Robinie.
          new RegExp(
            `(?<![\\p{L}\\p{M}])(${escaped(standIn)})(s(?![\\p{L}\\p{M}]))?${isGiven ? '(?![\\p{L}\\p{M}])' : ''}`,
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

function repaired(
  text: WrittenText,
  task: WritingTask,
  standIns: readonly StandIn[],
): { text: WrittenText; findings: Finding[] } {
  const found = new Set<string>();
  const given = new Set(
    [task.description, task.contact.company, task.project?.name]
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{M}]+/u),
  );
  const repair = (part: string): string =>
    part.replace(/\p{L}[\p{L}\p{M}]{4,40}/gu, (word) => {
      const small = word.toLowerCase();
      const bare = small.replace(/(?:s|sche[mnrs]?)$/, '');
      if (given.has(small) || standIns.some(({ standIn }) => bare === standIn.toLowerCase())) return word;
      const near = nearest(bare, standIns, ({ standIn }) => standIn.toLowerCase());
      if (near === undefined) return word;
      found.add(word);
      return `${inCaseOf(word, near.standIn)}${word.endsWith('s') ? 's' : ''}`;
    });
  const whole = { subject: repair(text.subject), content: repair(text.content) };
  const initials = [...whole.content.matchAll(/(?<!\p{L})(?:Herrn?|Frau)\s(\p{Lu})\.(?=\s\p{Ll}|,|$)/gmu)]
    .filter(([, initial = '']) => standIns.some(({ standIn }) => standIn.startsWith(initial)))
    .map(([all]) => all);
  const sender = task.sender.split(' ').at(-1) ?? '';
  const isMissing = task.activityType === 'Email' && sender !== '' && !whole.content.includes(sender);
  const excerpts = [...found, ...initials, ...(isMissing ? [task.sender] : [])];
  return { text: whole, findings: excerpts.map((excerpt) => ({ code: 'name_altered', excerpt })) };
}

// --- email addresses ------------------------------------------------------------------------------------------------

function emailAddresses(outgoing: string): { hidden(text: string): string; restored(text: string): string } {
  const pattern = /[\p{L}\p{M}\d._%+-]{1,64}@[\p{L}\p{M}\d.-]{1,253}\.\p{L}{2,24}/gu;
  const all = [...new Set(outgoing.match(pattern))];
  const standIn = (address: string): string => `post${all.indexOf(address) + 1}@anschrift.example`;
  return {
    hidden: (text) =>
      text.replace(pattern, (address) => (all.includes(address) ? standIn(address) : address)),
    restored: (text) =>
      text.replace(/post(\d{1,4})@anschrift\.example/gi, (found, number) => all[Number(number) - 1] ?? found),
  };
}

// --- letters --------------------------------------------------------------------------------------------------------

function inCaseOf(surface: string, name: string): string {
  if (surface === surface.toLowerCase()) return name.toLowerCase();
  return surface.length > 1 && surface === surface.toUpperCase() ? name.toUpperCase() : name;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
