import { expect, test } from 'vitest';
import { editedText, writeActivityText } from '../../../../lib/activities/text/activity-text.ts';
import type {
  Message,
  TextProvider,
  WrittenText,
} from '../../../../lib/activities/text/task/text-provider.ts';
import { type FindingCode, warningOf } from '../../../../lib/activities/text/task/warning.ts';
import { ServiceError } from '../../../../lib/base/service-error.ts';
import { task } from './writing-task.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The activity of what a provider writes at each call, the last for all later ones, and the messages of each call. */
async function writtenIn(texts: readonly (WrittenText | Error)[], changes: Parameters<typeof task>[0] = {}) {
  const calls: (readonly Message[])[] = [];
  const write = async (messages: readonly Message[]): Promise<WrittenText> => {
    calls.push(messages);
    const text = texts[Math.min(calls.length, texts.length) - 1]!;
    if (text instanceof Error) throw text;
    return text;
  };
  const provider: TextProvider = { sendsNames: true, session: () => ({ write }) };
  return { ...(await writeActivityText(provider, task(changes), silent)), calls };
}

const written = (text: WrittenText, language = 'de') => writtenIn([text], { language });

const salutation = 'Sehr geehrte Frau Dr. Weber,';
const body = `${salutation}\n\nText`;
const textWith = (
  sentence: string,
  greeting = salutation,
  closing = 'Mit freundlichen Grüßen\nJörg Schäfer',
) => ({
  subject: 'Termin',
  content: [greeting, sentence, closing].join('\n\n'),
});
const codesOf = (warnings: readonly { code: string }[]): string[] => warnings.map(({ code }) => code);

test('the provider receives the data of the task, today, and the next fourteen days', async () => {
  const { calls } = await writtenIn([textWith('wir kommen bald.')], {
    description: 'Bitte um Rückruf',
    project: null,
  });
  const data = JSON.parse(calls[0]?.[1]?.content ?? '') as Record<string, unknown>;
  expect(data).toEqual({
    beschreibung: 'Bitte um Rückruf',
    anrede: salutation,
    empfaenger: { firma: 'Bau & Söhne GmbH', titel: 'Frau Dr.', vorname: 'Anna', nachname: 'Weber' },
    projekt: null,
    absender: 'Jörg Schäfer',
    datum: 'Freitag, 20. November 2026',
    naechsteTage: expect.toSatisfy(
      (days: string[]) =>
        days[0] === 'Samstag, 21. November 2026' && days[13] === 'Freitag, 4. Dezember 2026',
    ),
  });
});

test.each([
  'Betreff: Abnahme',
  'Betreff: Betreff: Subject: Abnahme',
  'aai#aai#aai# Abnahme',
  'Betr.: aai#Betreff :  AAI#Abnahme',
])('all labels of "%s" are removed', async (subject) => {
  expect((await written({ subject, content: body })).subject).toBe('Abnahme');
});

test.each(['Betreffend die Abnahme', 'Re: Abnahme', 'Abnahme, Betreff: Dach'])(
  '"%s" has no label',
  async (subject) => {
    expect((await written({ subject, content: body })).subject).toBe(subject);
  },
);

test.each([
  ['de', 'Der Text enthält eine Angabe, die nicht vorgegeben war: 4711'],
  ['de-AT', 'Der Text enthält eine Angabe, die nicht vorgegeben war: 4711'],
  ['en-GB', 'The text has a detail that was not provided: 4711'],
  ['fr', 'The text has a detail that was not provided: 4711'],
])(
  'a warning about a text in %s is German for German texts and English for others',
  async (language, message) => {
    const greeting = language.startsWith('de') ? 'Sehr geehrte Frau Dr. Weber,' : 'Dear Dr. Weber,';
    const { warnings } = await written(
      { subject: 'x', content: `${greeting}\n\n4711\n\nGrüße\nJörg Schäfer` },
      language,
    );
    expect(warnings).toEqual([{ code: 'unknown_figure', message, excerpt: '4711' }]);
  },
);

test('the other warnings exist in both languages', () => {
  expect(warningOf('mailto_link_too_long', 'de', '2100').message).toMatch(/^Der Link hat 2100 Zeichen/);
  expect(warningOf('mailto_link_too_long', 'en', '2100').message).toMatch(/^The link has 2100 characters/);
  expect(warningOf('profile_unavailable', 'de').message).toContain('Signatur');
});

test.each([
  ['fewer', 'Am [Datum].', 'second'],
  ['as many', 'Am [Datum] um [Uhrzeit].', 'second'],
  ['more', 'Am [Datum] um [Uhrzeit] mit [Name].', 'first'],
])('a second text with %s gaps: the %s', async (_how, secondText, kept) => {
  const first = { ...textWith('Am [Datum] um [Uhrzeit].'), subject: 'first' };
  const { subject } = await writtenIn([first, { ...textWith(secondText), subject: 'second' }]);
  expect(subject).toBe(kept);
});

const english = 'We postpone the acceptance of the roof because the scaffolding is still missing.';
const twice = 'Das Gerüst steht noch an der Fassade.';
const examples: Readonly<Record<FindingCode, readonly [calls: 1 | 2, text: WrittenText, named: RegExp]>> = {
  placeholder_left: [2, textWith('wir kommen am [Datum].'), /\[Datum\]/],
  markdown: [2, textWith('wir kommen **bald**.'), /\*\*bald\*\*/],
  model_chatter: [2, textWith('wir kommen. Soll ich den Ton noch verbindlicher formulieren?'), /Soll ich/],
  salutation_missing: [2, textWith('wir kommen bald.', 'Hallo,'), /Sehr geehrte Frau Dr\. Weber,/],
  wrong_language: [2, textWith(english), /Sprache/],
  name_altered: [2, textWith('wir kommen bald.', salutation, 'Mit freundlichen Grüßen'), /Jörg Schäfer/],
  too_long: [2, textWith(`${'wir bitten um Beachtung aller Einzelheiten, '.repeat(30)}danke.`), /165/],
  unknown_figure: [1, textWith('es kostet 4.711 Euro.'), /4\.711/],
  unknown_attachment: [1, textWith('der Plan ist im Anhang.'), /Anhang/],
  unknown_name: [1, textWith('wir kommen mit Herrn Petersen.'), /Petersen/],
  wrong_weekday: [1, textWith('wir kommen am Montag, dem 5. Januar 2027.'), /Montag/],
  informal_address: [1, textWith('wir kommen zu dir.'), /dir/],
  unusual_characters: [1, textWith('wir kommen b\u0430ld.'), /\u0430/],
  closing_missing: [1, textWith('wir kommen bald.', salutation, 'Jörg Schäfer'), /Grußformel/],
  sender_repeated: [
    1,
    textWith('wir kommen bald.', salutation, 'Mit freundlichen Grüßen\nJörg Schäfer\nJörg Schäfer'),
    /Jörg Schäfer/,
  ],
  paragraph_repeated: [1, textWith(`${twice} ${twice}`), /Gerüst/],
  damaged_characters: [2, textWith('wir pr\u0000fcfen es heute noch im Haus.'), /pr�fcfen/],
};

test.each(Object.entries(examples))(
  '%s: calls %i, and a warning when it remains',
  async (code, [calls, text, named]) => {
    const made = await writtenIn([text]);
    expect(codesOf(made.warnings)).toEqual([code]);
    expect(made.warnings[0]?.message).toMatch(named);
    expect(made.calls).toHaveLength(calls);
    if (calls === 1) return;
    const [, second] = made.calls;
    expect(second?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(second?.at(-1)?.content).toMatch(named);
    expect((await writtenIn([text, textWith('wir kommen bald.')])).warnings).toEqual([]);
  },
);

test('a text with a gap is returned when the provider fails at the second call', async () => {
  const gap = textWith('wir kommen am [Datum].');
  const { warnings } = await writtenIn([gap, new ServiceError('ai_provider_unavailable')]);
  expect(codesOf(warnings)).toEqual(['placeholder_left']);
});

test("the sender's name below a letter is removed, because the template has it", async () => {
  const closing =
    'Vielen Dank im Voraus und freundliche Grüße\n\nIhr\nJörg Schäfer\nBauleitung\n\nAnlage: Terminplan';
  const text = textWith('wir schicken den Terminplan.', salutation, closing);
  const { content, warnings, calls } = await writtenIn([text], {
    activityType: 'Document',
    description: 'Terminplan als Anlage',
  });
  expect(content).toMatch(/freundliche Grüße\n\nAnlage: Terminplan$/);
  expect([warnings, calls.length]).toEqual([[], 1]);
});

test('without a closing formula, nothing is removed from a letter', async () => {
  const text = textWith(
    'wir kommen bald.',
    salutation,
    'Ihr Ansprechpartner\nJörg Schäfer\nTelefon siehe oben',
  );
  const { content, warnings } = await writtenIn([text], { activityType: 'Document' });
  expect(content).toBe(text.content);
  expect(codesOf(warnings)).toEqual(['sender_repeated']);
});

test('direction marks and characters of no width are removed', async () => {
  const invisible = String.fromCodePoint(0x200b, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069);
  const { subject, content } = await written({
    subject: `Ab${invisible}nahme`,
    content: `${body}${invisible}e`,
  });
  expect([subject, content]).toEqual(['Abnahme', `${body}e`]);
});

const edited = (greeting: string, closing = 'Mit freundlichen Grüßen') =>
  editedText(
    { subject: 'x', content: `${greeting}\n\nes bleibt dabei.\n\n${closing}\nJörg Schäfer` },
    task(),
  ).warnings.map(({ code }) => code);

test('"Mit den besten Wünschen" closes a text', () => {
  expect(edited('Liebe Frau Dr. Weber', 'Mit den besten Wünschen')).toEqual([]);
  expect(edited('Liebe Frau Dr. Weber', 'Wir wünschen alles Gute.')).toContain('closing_missing');
});

test.each([
  ['Guten Morgen Frau Dr. Weber', []],
  ['Guten Morgen Herr Dr. Weber', ['salutation_missing']],
])(
  'the greeting "%s" of a person or a model: %j, and a second call for a finding',
  async (greeting, codes) => {
    const text = textWith('es bleibt dabei.', greeting);
    const made = await writtenIn([text]);
    expect(codesOf(made.warnings)).toEqual(codes);
    expect(editedText(text, task()).warnings).toEqual(made.warnings);
    expect(made.calls).toHaveLength(1 + codes.length);
  },
);

test('with names hidden, each derived place is where its reader finds it', async () => {
  const write = async (messages: readonly Message[]): Promise<WrittenText> => {
    const [name] = /Tarna\p{L}+/u.exec(messages.at(-1)!.content)!;
    const sum = (result: string) => `${name} und ${name} zahlen ${result} EUR.`;
    return { subject: `An ${name}`, content: `${salutation}\n\n${sum('1.045')}\n${sum('915')}` };
  };
  const provider: TextProvider = { sendsNames: false, session: () => ({ write }) };
  const order = task({ description: 'Miete 980, Garage 65', project: null });
  const { subject, content, derived } = await writeActivityText(provider, order, silent);
  expect(subject).toBe('An Weber');
  const places = derived.map(({ start, excerpt }) =>
    `${subject}\n${content}`.slice(start, start + excerpt.length),
  );
  expect(places).toEqual(['1.045 EUR', '915 EUR']);
});

test('a bug while a text is written again is not hidden by the first text', async () => {
  const unusable = textWith('wir kommen mit [Name].');
  const bug = new TypeError('a bug');
  await expect(writtenIn([unusable, bug])).rejects.toBe(bug);
});
