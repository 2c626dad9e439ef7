import { describe, expect, test } from 'vitest';
import { findingsIn } from '../../../../lib/activities/text/text-check.ts';
import { task } from './writing-task.ts';

const greeting = 'Sehr geehrte Frau Dr. Weber,';
const codes = (body: string, changes: Parameters<typeof task>[0] = {}): string[] =>
  findingsIn({ subject: 'Besprechung', content: `${greeting}\n\n${body}` }, task(changes)).map(
    ({ code }) => code,
  );

describe('a good text has no findings', () => {
  test.each([
    'wir laden Sie herzlich zur Besprechung am 5. Januar 2027 um 10:00 Uhr ein.',
    'wir treffen uns am 05.01.2027 um 10 Uhr. Die Kosten betragen 1250 EUR.',
    'die Kosten von 1.250 Euro für 3 Fenster sind bestätigt.',
    'bitte melden Sie sich bei Rückfragen unter bau@firma.example.',
    'es geht um das Projekt P-2026-014 „Neubau Kita Nord“.',
    'unser Schreiben vom 20. November 2026 hat Sie erreicht.',
    'zum XX. Kongress in Kiel laden wir Sie zum Projekt „p-2026-014“ herzlich ein.',
    'wir bitten um Folgendes:\n1. Prüfen Sie die Unterlagen.\n2. Geben Sie uns Bescheid.',
    'das Individuum, der Durchgang, die Direktion und Ihre Dichtungen sind geprüft; Sie und Ihr Team melden sich.',
    'die Maße a < b und c > d stimmen; wir freuen uns auf Sie – bis bald …',
    'vielen Dank für das Gespräch mit Frau Dr. Weber von Bau & Söhne GmbH.',
    'wir kommen Ihnen bei Fragen gern entgegen (auch telefonisch).',
    'wir bitten um:\n- Prüfung\n- Freigabe\n• Rückmeldung',
    'die Steuerschuldnerschaft nach § 13b UStG, § 4 Abs. 3 VOB/B und die DIN 18531 sind bekannt.',
    'im 1. OG und im 2. BA geht es weiter; siehe Anlage 1 und Seite 2.',
    'unsere Kolleg*innen und die Handwerker*innen sind rund um die Uhr (24/7) da.',
    'die Kosten betragen 1.250 € zzgl. 19 % MwSt., für alle drei Fenster.',
    'die Arbeiten am 5.1. 10 Uhr betreffen 3 Fenster mit je einem m².',
  ])('%s', (body) => {
    expect(codes(body)).toEqual([]);
  });
});

describe('a text with a fault has a finding', () => {
  test.each([
    ['placeholder_left', 'wir treffen uns am [Datum] in [Ort].'],
    ['placeholder_left', 'wir grüßen {{firstName}}.'],
    ['placeholder_left', 'es grüßt <Name>.'],
    ['placeholder_left', 'wir treffen uns am TT.MM.JJJJ.'],
    ['placeholder_left', 'Ihr Ansprechpartner ist Herr Mustermann.'],
    ['placeholder_left', 'der Preis beträgt XXX EUR.'],
    ['placeholder_left', 'wir treffen uns am XX.XX.2027.'],
    ['placeholder_left', 'wir treffen uns am 10.XX.2027.'],
    ['placeholder_left', 'wir treffen uns am xx.xx. um 10 Uhr.'],
    ['placeholder_left', 'wir treffen uns um XX:XX Uhr.'],
    ['placeholder_left', 'wir treffen uns um 10:XX Uhr.'],
    ['placeholder_left', 'Unterschrift: ________'],
    ['markdown', 'das ist **wichtig**.'],
    ['markdown', '# Einladung\nwir laden Sie ein.'],
    ['markdown', 'wir bitten um:\n* Prüfung\n* Freigabe'],
    ['markdown', 'siehe `Anlage`.'],
    ['informal_address', 'wir laden dich herzlich ein.'],
    ['informal_address', 'bitte gib uns deine Rückmeldung.'],
    ['informal_address', 'wir freuen uns auf euch.'],
    ['unknown_figure', 'die Kosten betragen 1.350,00 EUR.'],
    ['unknown_figure', 'die Kosten betragen 12,50 EUR.'],
    ['unknown_figure', 'wir treffen uns am 6. Januar 2027.'],
    ['unknown_figure', 'wir treffen uns am 5. Januar 2028.'],
    ['unknown_figure', 'wir treffen uns am 5. Februar.'],
    ['unknown_figure', 'wir treffen uns am 01.05.2027.'],
    ['unknown_figure', 'wir treffen uns um 11 Uhr.'],
    ['unknown_figure', 'zum Projekt P-2026-014 treffen wir uns um 14 Uhr.'],
    ['unknown_figure', 'es geht um das Projekt P-2026-015.'],
    ['unknown_figure', 'es geht um das Projekt P-2026-0145.'],
    ['unknown_figure', 'Sie erreichen uns unter info@andere.example.'],
    ['unknown_figure', 'mehr dazu unter https://andere.example/angebot.'],
    ['unknown_figure', 'bitte überweisen Sie auf DE89 3704 0044 0532 0130 00.'],
    ['unknown_figure', 'Sie erhalten 20 % Rabatt.'],
    ['unknown_figure', 'die Kosten betragen 1.250 CHF.'],
    ['unknown_figure', 'die Kosten betragen $ 1,250.00.'],
    ['unknown_figure', 'mehr dazu unter bau-weber.de/angebot.'],
    ['unknown_figure', 'bitte rufen Sie uns unter 0431 998877 an.'],
    ['too_long', 'wir bitten um Beachtung. '.repeat(40)],
  ])('%s: %s', (code, body) => {
    expect([...new Set(codes(body))]).toEqual([code]);
  });

  test('each finding is reported once, with an excerpt', () => {
    const found = findingsIn(
      { subject: 'Angebot [Nr.]', content: `${greeting}\n\n[Ort], [Ort] und 4711` },
      task(),
    );
    expect(found).toEqual([
      { code: 'placeholder_left', excerpt: '[Nr.]' },
      { code: 'placeholder_left', excerpt: '[Ort]' },
      { code: 'unknown_figure', excerpt: '4711' },
    ]);
  });

  test.each(['Hallo Anna,', 'Sehr geehrter Herr Weber,', 'Betreff: x', `Guten Tag. ${greeting}`])(
    'salutation_missing: %s',
    (first) => {
      const found = findingsIn({ subject: 'x', content: `${first}\n\nText` }, task());
      expect(found).toEqual([{ code: 'salutation_missing', excerpt: greeting }]);
    },
  );
});

test('a phrase from the description is not a finding', () => {
  const description =
    'Bitte [Anlage 4711] prüfen, **eilt**, Motto „du schaffst das“, siehe https://firma.example/x';
  expect(codes('zur [Anlage 4711]: **eilt**, siehe https://firma.example/x', { description })).toEqual([]);
});

test('a project number in the description does not vouch for other figures', () => {
  const description = 'Termin zu P-2026-014 absprechen';
  expect(codes('wir sehen uns zu P-2026-014 im Jahr 2026.', { description })).toEqual([]);
  expect(codes('wir sehen uns zu P-2026-014 um 14 Uhr.', { description })).toEqual(['unknown_figure']);
});

describe('a given figure vouches for its own kind only', () => {
  test.each<[given: string, says: string, unknown: boolean]>([
    ['Angebot Nr. 4711 annehmen', 'Ihr Angebot Nr. 4711', false],
    ['Angebot Nr. 4711 annehmen', 'Ihr Angebot über 4.711,00 EUR', true],
    ['Rechnung R-5521 offen', 'unsere Rechnung R-5521 über 5.521,00 EUR', true],
    ['Budget 5521', 'Ihr Budget von 5.521,00 EUR', false],
    ['Kosten 1,2 Mio. EUR', 'Kosten von 1.200.000 EUR', false],
    ['Kosten 12 TEUR', 'Kosten von 12.000 €', false],
    ['Tür im 2. OG', 'die Tür im 2. Obergeschoss', false],
    ['Tür im 2. OG', 'die Tür im 3. OG', true],
    ['§ 4 VOB/B', 'nach § 6 VOB/B', true],
    ['Plan S-104', 'Ihr Plan S-105', true],
    ['Tür T30', 'die Tür T90', true],
    ['Termin Dienstag', 'am Dienstag, dem 24.11.2026', false],
    ['Termin Dienstag', 'am Mittwoch, dem 25.11.2026', true],
    ['Frist zwei Wochen', 'binnen 14 Tagen', false],
    ['Frist in zwei Wochen', 'bis zum 04.12.2026', false],
    ['am 10.11. passiert', 'am 10. November 2026', false],
    ['am 10.11. passiert', 'am 10. November 2024', true],
    ['Besprechung 15 Uhr', 'um 15:00 Uhr', false],
    ['meeting 3 pm', 'um 15:00 Uhr', false],
    ['Raum 2.11 streichen', 'in Raum 2.11.', false],
    ['www.firma.example/x', 'siehe https://firma.example/x', false],
    ['Tel. 0431 5566-12', 'Telefon +49 431 556612', false],
  ])('%s: %s', (given, says, isUnknown) => {
    expect(codes(`es geht um Folgendes: ${says}`, { description: given, project: null })).toEqual(
      isUnknown ? ['unknown_figure'] : [],
    );
  });
});

test("the sender's name appears once below an email and not below a letter", () => {
  const end = (lines: string, activityType: 'Email' | 'Document'): string[] =>
    codes(`wir melden uns.\n\nMit freundlichen Grüßen\n${lines}`, { activityType });
  expect(end('Jörg Schäfer', 'Email')).toEqual([]);
  expect(end('Jörg Schäfer\n\nJörg Schäfer\nBauleitung', 'Email')).toEqual(['sender_repeated']);
  expect(end('', 'Document')).toEqual([]);
  expect(end('i. A. J. Schäfer', 'Document')).toEqual(['sender_repeated']);
});

test('a letter may be longer than an email, and other languages have no informal address', () => {
  expect(codes('wir bitten um Beachtung. '.repeat(60), { activityType: 'Document' })).toEqual([]);
  const french = findingsIn(
    { subject: 'x', content: 'Madame,\n\nnous avons du retard.' },
    task({ language: 'fr' }),
  );
  expect(french).toEqual([]);
});
