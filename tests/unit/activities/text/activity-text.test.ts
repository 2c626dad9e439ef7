import { expect, test, vi } from 'vitest';
import { editedText, writeActivityText } from '../../../../lib/activities/text/activity-text.ts';
import type { WrittenText } from '../../../../lib/activities/text/task/text-response.ts';
import type { TextProvider } from '../../../../lib/activities/text/provider/text-provider.ts';
import { warningOf } from '../../../../lib/activities/text/task/warning.ts';
import { task } from './writing-task.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function written(text: WrittenText, language = 'de'): ReturnType<typeof writeActivityText> {
  const provider = { sendsNames: true, session: () => ({ write: () => Promise.resolve(text) }) };
  return writeActivityText(provider as unknown as TextProvider, task({ language }), silent);
}

const body = 'Sehr geehrte Frau Dr. Weber,\n\nText';

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
  const texts = ['Am [Datum] um [Uhrzeit].', secondText].map((text, index) => ({
    subject: index === 0 ? 'first' : 'second',
    content: `Sehr geehrte Frau Dr. Weber,\n\n${text}`,
  }));
  const write = () => Promise.resolve(texts.shift()!);
  const provider = { sendsNames: true, session: () => ({ write }) };
  const { subject } = await writeActivityText(provider as unknown as TextProvider, task(), silent);
  expect(subject).toBe(kept);
});

test.each([
  ['a figure', 'am 12.3.2027 kostet es 4.711 Euro, siehe Anlage.', 1],
  ['a gap', 'wir kommen am [Datum].', 2],
  ['formatting', 'wir kommen **bald**.', 2],
])('%s in the text: %o, calls %i', async (_what, sentence, calls) => {
  let count = 0;
  const write = () => {
    count += 1;
    const content = `Sehr geehrte Frau Dr. Weber,\n\n${sentence}\n\nMit freundlichen Grüßen\nJörg Schäfer`;
    return Promise.resolve({ subject: 'Termin', content });
  };
  const provider = { sendsNames: true, session: () => ({ write }) };
  const { warnings } = await writeActivityText(provider as unknown as TextProvider, task(), silent);
  expect(warnings).not.toEqual([]);
  expect(count).toBe(calls);
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

test.each(['Guten Tag Frau Dr. Weber', 'Liebe Frau Weber', 'Guten Morgen, Frau Dr. Anna Weber!'])(
  'a person may greet with "%s"',
  (greeting) => {
    expect(edited(greeting)).toEqual([]);
  },
);

test.each(['Guten Tag Herr Dr. Weber', 'Liebe Frau Dr. Wagner', 'Liebe Frau Dr. Weber, lieber Herr Lang'])(
  'but not somebody else: "%s"',
  (greeting) => {
    expect(edited(greeting)).toContain('salutation_missing');
  },
);

test('"Mit den besten Wünschen" closes a text', () => {
  expect(edited('Liebe Frau Dr. Weber', 'Mit den besten Wünschen')).toEqual([]);
  expect(edited('Liebe Frau Dr. Weber', 'Wir wünschen alles Gute')).toContain('closing_missing');
});

test.each([
  ['Guten Morgen Frau Dr. Weber', 1],
  ['Guten Morgen Herr Dr. Weber', 2],
])('a text that begins with "%s" costs %i calls', async (greeting, calls) => {
  const write = vi.fn(() =>
    Promise.resolve({
      subject: 'x',
      content: `${greeting}\n\nes bleibt dabei.\n\nMit freundlichen Grüßen\nJörg Schäfer`,
    }),
  );
  const provider = { sendsNames: true, session: () => ({ write }) };
  const { warnings } = await writeActivityText(provider as unknown as TextProvider, task(), silent);
  expect(warnings.map(({ code }) => code)).toContain('salutation_missing');
  expect(write).toHaveBeenCalledTimes(calls);
});
