import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLetters } from '../../lib/activities/text/language/spelling.ts';
import { hiddenNames } from '../../lib/activities/text/names/hidden-names.ts';
import { salutation } from '../../lib/activities/text/names/salutation.ts';
import { contact, task } from '../unit/activities/text/writing-task.ts';

/** A name in an order, as typed, and as it is restored where normalizing changes it. */
interface Form {
  readonly typed: string;
  readonly restored?: string;
}
type FormOf = (name: string) => Form;

const typed =
  (form: (name: string) => string): FormOf =>
  (name) => ({ typed: form(name) });
const normalized =
  (form: (name: string) => string, restored: (name: string) => string): FormOf =>
  (name) => ({ typed: form(name), restored: restored(name) });
const same = (name: string): string => name;

const umlautless = (name: string): string =>
  name.replaceAll('ü', 'ue').replaceAll('ö', 'oe').replaceAll('ß', 'ss');
const entities = (name: string): string =>
  name
    .replaceAll('ü', '&uuml;')
    .replaceAll('ö', '&#246;')
    .replaceAll('ß', '&szlig;')
    .replaceAll('é', '&eacute;');
const inTwo = (name: string, between: string): string => `${name.slice(0, 3)}${between}${name.slice(3)}`;
const quotedPrintable = (name: string): string => encodeURIComponent(name).replaceAll('%', '=');
const escapes = (name: string): string =>
  name.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
const fullWidth = (letter: string): string => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0);
const genitive = (name: string): string => (/[sßxz]$/.test(name) ? `${name}’` : `${name}s`);

/** How people, and what they paste, write a name that the service knows. */
const formsOfKnown: readonly FormOf[] = [
  typed(same),
  typed((name) => name.toUpperCase().replaceAll('ß', 'SS')),
  typed((name) => `herrn ${name.toLowerCase()}`),
  typed((name) => `${genitive(name)} Angebot`),
  typed((name) => `${name}’s Angebot`),
  typed((name) => `die ${name}sche Mauer`),
  typed((name) => `P${name}`),
  typed((name) => (name.endsWith('z') ? `${name}ens Garten` : name)),
  typed((name) => umlautless(name)),
  typed((name) => umlautless(name).toUpperCase()),
  typed((name) => `(${name})`),
  typed((name) => `„${name}“`),
  typed((name) => `${name}/Becker`),
  typed((name) => `${name}-Angebot`),
  typed((name) => `${name}\u2010Meier`),
  typed((name) => `Angebot_${name}.pdf`),
  typed((name) => `Angebot${name}`),
  typed((name) => `d’${name}`),
  typed((name) => `\\\\server\\akten\\${name}\\Plan`),
  typed((name) => `https://firma.sharepoint.com/sites/bau/${encodeURIComponent(name)}/Plan.pdf`),
  typed((name) => `https://firma.sharepoint.com/r/sites?id=%2Fsites%2F${encodeURIComponent(name)}%2FPlan`),
  typed((name) => `/sites/bau/${encodeURIComponent(`${name} Akte`)}`),
  typed((name) => `www.${umlautless(name).toLowerCase()}-bau.example`),
  typed((name) => `${umlautless(name).toLowerCase()}@firma.example`),
  typed((name) => `anna.${name.toLowerCase()}@firma.example`),
  typed((name) => `${name}in`),
  typed((name) => `${name}straße 5`),
  typed((name) => `a${umlautless(name).toLowerCase()}`),
  typed((name) => Array.from(name).join(' ')),
  typed((name) => `**${inTwo(name, '**')}`),
  typed((name) => inTwo(name, '<b>')),
  typed((name) => `=?utf-8?Q?${quotedPrintable(name)}?=`),
  typed((name) => name.replace(/[^ -~]/gu, '\ufffd')),
  typed((name) => escapes(name)),
  normalized((name) => inTwo(name, '=\n'), same),
  normalized((name) => name.replace(/[A-Z]/g, fullWidth), same),
  normalized((name) => entities(name).replaceAll('&', '&amp;'), entities),
  normalized((name) => name.normalize('NFD'), same),
  normalized((name) => inTwo(name, '\u00ad'), same),
  normalized((name) => inTwo(name, '\u200b'), same),
  normalized((name) => inTwo(name, '-\n'), same),
  normalized(entities, same),
];

/** Of people whom only the order names: after a title. */
const formsOfOthers: readonly FormOf[] = [
  typed((name) => `Frau ${name}`),
  typed((name) => `Herrn ${genitive(name)} Vertrag`),
  typed((name) => `herr ${name.toLowerCase()}`),
  typed((name) => `Frau: ${name}`),
  typed((name) => `${name}, Frau,`),
  typed((name) => `gez. ${name}`),
  typed((name) => `Frau${name}`),
  typed((name) => `c/o ${name}`),
  typed((name) => `i. A. ${name}`),
  typed((name) => `Attn: ${name}`),
  typed((name) => `Kontakt: ${name}`),
  typed((name) => `Hallo ${name}!`),
  typed((name) => `\nVon: ${name}, Sabine <x@y.example>\n`),
  typed((name) => `\nMit freundlichen Grüßen\nSabine ${name}\n`),
  typed((name) => `Frau_${name}.pdf`),
  typed((name) => `Ehel. ${name}`),
  typed((name) => `Eheleute Sabine und ${name}`),
  typed((name) => `Familie ${name}`),
  typed((name) => `Herr Dipl.-Ing. (FH) ${name}`),
  typed((name) => `Herr\n${name}`),
  typed((name) => `FRAU ${name.toUpperCase().replaceAll('ß', 'SS')}`),
  typed((name) => `Herren Claussen, Ottensen und ${name}`),
  typed((name) => `${name.toLowerCase().replace(/[^a-z]/g, '')}@andere.example`),
];

const lastNames = ['Lehmann', 'Müller', 'Krüger', 'Schulz', 'Strauß', 'Yılmaz', 'Nguyễn', 'Claussen'];
const firstNames = ['Thomas', 'Jürgen', 'André', 'Friederike'];
const otherNames = ['Petersen', 'Ottensen', 'Krögerson', 'Größler', 'Bülowa', 'Hinrichs'];

const known = (names: readonly string[]): fc.Arbitrary<Form> =>
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...formsOfKnown)).map(([name, form]) => form(name));

/** Fields of a contact, as address books have them. */
const recipient = fc
  .tuple(fc.constantFrom(...lastNames), fc.constantFrom(...firstNames), fc.nat(6))
  .map(([lastName, firstName, how]) => ({
    names: [lastName, firstName],
    fields: [
      { title: 'Herr', firstName, lastName },
      { title: `Frau ${lastName}`, firstName, lastName },
      { title: 'Eheleute Sabine und Petersen', firstName, lastName },
      { title: 'Herr Dr.', firstName: null, lastName: `${lastName}, ${firstName}` },
      { title: 'Frau', firstName, lastName: `${lastName} (geb. Größler)` },
      { title: null, firstName, lastName: `${lastName}\u2010Ottensen` },
      { title: 'Herr', firstName: firstName.toUpperCase(), lastName: lastName.toLowerCase() },
    ][how]!,
  }));

const order = recipient.chain(({ names, fields }) =>
  fc.record({
    fields: fc.constant(fields),
    sender: fc.constantFrom('Friederike Krüger', 'KRÜGER Friederike', 'Friederike Krüger (Bau GmbH)'),
    names: fc.constant([...names, 'Friederike', 'Krüger', ...otherNames, 'Sabine', 'Ottensen']),
    parts: fc.array(
      fc.oneof(
        known([...names, 'Krüger', 'Friederike']),
        fc
          .tuple(fc.constantFrom(...otherNames), fc.constantFrom(...formsOfOthers))
          .map(([name, form]) => form(name)),
        fc
          .constantFrom('Termin', 'am 5.1. um 8 Uhr', 'bitte verschieben;', '20 % Rabatt', 'zu lang,')
          .map((text): Form => ({ typed: text })),
      ),
      { minLength: 1, maxLength: 8 },
    ),
    place: fc.constantFrom('description', 'hint', 'company', 'projectName', 'previous', 'houseStyle'),
    between: fc.constantFrom(' ', ', ', '\n', ' | '),
  }),
);

/** As somebody could read it, whatever its encoding. */
function readable(request: string): string {
  const plain = request.replace(/%[\dA-F]{2}(?:%[\dA-F]{2})*/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
  return plainLetters(
    plain
      .replace(/=([\dA-F]{2})/g, '%$1')
      .replace(/\\n/g, ' ')
      .normalize('NFC')
      .replace(/\p{Cf}/gu, ''),
  );
}

test('no name of 3,000 orders reaches the provider, and each text is restored', () => {
  fc.assert(
    fc.property(order, ({ fields, sender, names, parts, place, between }) => {
      const text = parts.map((part) => part.typed).join(between);
      const restored = parts.map((part) => part.restored ?? part.typed).join(between);
      const given = task({
        contact: { ...contact, company: place === 'company' ? text : 'Bau GmbH', ...fields },
        sender,
        project: {
          id: 'p',
          number: 'P-1',
          name: place === 'projectName' ? text : 'Kita Nord',
          updatedAt: '',
        },
        description: place === 'description' ? text : 'Termin',
        hint: place === 'hint' ? text : '',
        houseStyle: place === 'houseStyle' ? text : '',
        ...(place === 'previous' && { previous: { subject: 'Termin', content: text } }),
      });
      const hidden = hiddenNames(given);
      // The prompt and each correction are made of the hidden task and nothing else.
      const sent = readable(JSON.stringify([hidden.task, salutation(hidden.task.contact, 'de')]));
      for (const name of names) expect(sent).not.toContain(plainLetters(name));
      const { description, hint = '', houseStyle, previous, contact: hiddenContact, project } = hidden.task;
      const back = {
        description,
        hint,
        houseStyle,
        previous: previous?.content ?? '',
        company: hiddenContact.company ?? '',
        projectName: project?.name ?? '',
      }[place];
      expect(hidden.restored(back)).toBe(restored);
    }),
    { numRuns: 3000, seed: 58 },
  );
}, 120_000);
