import { describe, expect, test } from 'vitest';
import { findingsIn } from '../../../../lib/activities/text/text-check.ts';
import { task } from './writing-task.ts';

const greeting = 'Sehr geehrte Frau Dr. Weber,';
const closing = 'Mit freundlichen Grüßen\nJörg Schäfer';
const email = (body: string): { subject: string; content: string } => ({
  subject: 'Besprechung',
  content: `${greeting}\n\n${body}\n\n${closing}`,
});
const codes = (body: string, changes: Parameters<typeof task>[0] = {}): string[] =>
  findingsIn(email(body), task(changes)).map(({ code }) => code);

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
    'im 1. OG und im 2. BA geht es weiter; siehe Anlage 1 und Seite 2.',
    'die Kosten betragen 1.250 € zzgl. 19 % MwSt., für alle drei Fenster.',
    'die Arbeiten am 5.1. 10 Uhr betreffen 3 Fenster mit je einem m².',
    'wir sehen uns am Dienstag, dem 5. Januar 2027, oder am Di., 5.1.',
    'wir grüßen Herrn Bürgermeister, Ihre Familie und Frau Dr. Webers Team.',
    'die Anlage im Keller (µm, kΩ) ist geprüft.',
    'Termin: 5. Januar 2027, um 10 Uhr\nEnde: am 5. Januar 2027, um 10 Uhr',
    'beide Fenster sind da. Vielen Dank.\n\nVielen Dank.',
    'wir hoffen, dass Sie gut erholt sind.',
  ])('%s', (body) => {
    expect(codes(body)).toEqual([]);
  });
});

describe('a text with a fault has a finding', () => {
  test.each([
    ['model_chatter', 'wir melden uns. Soll ich den Ton noch verbindlicher formulieren?'],
    ['placeholder_left', 'wir treffen uns am [Datum] in [Ort].'],
    ['placeholder_left', 'wir grüßen {{firstName}}.'],
    ['placeholder_left', 'es grüßt <Name>.'],
    ['placeholder_left', 'wir treffen uns am TT.MM.JJJJ.'],
    ['unknown_name', 'Ihr Ansprechpartner ist Herr Mustermann.'],
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
    ['unknown_figure', 'mehr dazu unter bau-weber.de/angebot.'],
    ['unknown_figure', 'bitte rufen Sie uns unter 0431 998877 an.'],
    ['too_long', 'wir bitten um Beachtung. '.repeat(40)],
    [
      'model_chatter',
      'wir melden uns. Soll ich den Text noch förmlicher fassen oder einen Hinweis auf die Spenden ergänzen?',
    ],
    ['model_chatter', 'wir melden uns.\n\nHinweis: Ein Termin wurde nicht genannt und daher weggelassen.'],
    ['model_chatter', 'wir melden uns. Gern passe ich den Text noch an.'],
    ['model_chatter', 'als KI-Sprachmodell kann ich das nicht beurteilen.'],
    ['unusual_characters', 'der Т\u0435rmin steht.'],
    ['unusual_characters', 'wir bitten um ٣ Muster.'],
    ['unusual_characters', 'wir danken 🎉.'],
    ['unknown_attachment', 'die Pläne finden Sie im Anhang.'],
    ['unknown_attachment', 'anbei erhalten Sie unsere Liste.'],
    ['unknown_attachment', 'eine Skizze liegt diesem Schreiben bei.'],
    ['paragraph_repeated', 'wir melden uns bald bei Ihnen.\n\nWir melden uns bald bei Ihnen.'],
    [
      'paragraph_repeated',
      'wir kommen gern am 5. Januar 2027 zu Ihnen. Gut. Wir kommen gern am 5. Januar 2027 zu Ihnen.',
    ],
    ['paragraph_repeated', 'wir melden uns bald bei Ihnen. Bis bald. Wir melden uns bald bei Ihnen!'],
    ['wrong_weekday', 'wir sehen uns am Montag, dem 5. Januar 2027.'],
    ['wrong_weekday', 'wir sehen uns am Mo., 5.1.2027.'],
    ['wrong_weekday', 'wir sehen uns am Freitag, den 05.01.'],
    ['unknown_name', 'bitte sprechen Sie mit Herrn Jensen.'],
    ['unknown_name', 'bitte sprechen Sie mit Frau Dr. Wagner.'],
    ['informal_address', 'wir danken euch.'],
    ['informal_address', 'wenn es passt, gib uns dann bitte kurz Bescheid.'],
  ])('%s: %s', (code, body) => {
    expect([...new Set(codes(body))]).toEqual([code]);
  });

  test('each finding is reported once, with an excerpt', () => {
    const found = findingsIn({ ...email('[Ort], [Ort] und 4711'), subject: 'Angebot [Nr.]' }, task());
    expect(found).toEqual([
      { code: 'placeholder_left', excerpt: '[Nr.]' },
      { code: 'placeholder_left', excerpt: '[Ort]' },
      { code: 'unknown_figure', excerpt: '4711' },
    ]);
  });

  test.each(['Hallo Anna,', 'Sehr geehrter Herr Weber,', 'Betreff: x', `${greeting} Text`])(
    'salutation_missing: %s',
    (first) => {
      const found = findingsIn({ subject: 'x', content: `${first}\n\nText\n\n${closing}` }, task());
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
    ['Budget 5521', 'Ihr Budget von 5.521,00 EUR', false],
    ['Angebot Nr. 4711 über 980 EUR', 'Ihr Angebot 4711 über 980,00 EUR', false],
    ['Rechnung $980', 'Ihre Rechnung über 980 USD', false],
    // Addresses differ in every character.
    ['an bau-amt@stadt.example', 'an bau.amt@stadt.example', true],
    ['an bau_amt@stadt.example', 'an bau-amt@stadt.example', true],
    ['an bau@stadt-kiel.example', 'an bau@stadtkiel.example', true],
    ['an bau@stadt-kiel.example', 'an Bau@Stadt-Kiel.example', false],
    ['siehe www.bau-amt.de/plan_1', 'siehe www.bau-amt.de/plan-1', true],
    ['siehe www.bau-amt.de/plan_1', 'siehe https://www.bau-amt.de/plan_1.', false],
    ['siehe bau-amt.de', 'siehe bau-amt.dev', true],
    ['mail an m.weber@x.de', 'an mweber@x.de', true],
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
    ['KG 300 412.000', 'die Kostengruppe 300 mit 412.000 EUR', false],
    ['KG 300 412.000', 'Kosten von 300.412.000 EUR', true],
    ['Fuge 8 mm', 'die Fuge von 12 mm', true],
    ['für 6 Kollegen', 'sechs unserer Kollegen', false],
    ['Plan A, Plan B, Liste, Protokoll', 'alle vier Unterlagen', false],
    ['für 6 Kollegen', 'zwei Korrekturen: Ort und Raum', false],
    ['am Dienstag Nachmittag', 'am Dienstagnachmittag', false],
    ['kommt ende januar', 'Ende Februar', true],
    ['kommt ende januar', 'Ende Januar', false],
    ['nächste Woche Dienstag', 'am Montag', true],
    ['www.firma.example/x', 'siehe https://firma.example/x', false],
    ['Tel. 0431 5566-12', 'Telefon +49 431 556612', false],
    ['Rechnung 1.250,00 offen', 'Ihre Rechnung über 1.250,00 EUR', false],
    ['Umsatz 2,4 Mio', 'der Umsatz von 2,4 Millionen Euro', false],
    ['vom 21.-23.12. zu', 'vom 21. bis zum 23. Dezember', false],
    ['vom 21.-23.12. zu', 'vom 20. bis zum 23. Dezember', true],
    ['Urlaub 18.1. bis 29.1.27', 'vom 18. bis zum 29. Januar 2027', false],
    ['außer 9. und 16. Dezember', 'nicht am 9. und am 16. Dezember', false],
    ['Dezember, außer 9. und 16.', 'nicht am 16. Dezember', true],
    ['Dezember, außer 9. und 16.', 'nicht am 10. Dezember', true],
  ])('%s: %s', (given, says, isUnknown) => {
    expect(codes(`es geht um Folgendes: ${says}`, { description: given, project: null })).toEqual(
      isUnknown ? ['unknown_figure'] : [],
    );
  });
});

test("the sender's name appears once below an email and not below a letter", () => {
  const end = (lines: string, activityType: 'Email' | 'Document', body = 'wir melden uns.\n'): string[] =>
    findingsIn(
      { subject: 'x', content: `${greeting}\n\n${body}\nMit freundlichen Grüßen\n${lines}` },
      task({ activityType }),
    ).map(({ code }) => code);
  expect(end('Jörg Schäfer', 'Email')).toEqual([]);
  expect(end('Jörg Schäfer\n\nJörg Schäfer\nBauleitung', 'Email')).toEqual(['sender_repeated']);
  expect(end('', 'Document')).toEqual([]);
  expect(end('i. A. J. Schäfer', 'Document')).toEqual(['sender_repeated']);
  expect(end('', 'Document', 'es meldet sich Jörg Schäfer.')).toEqual([]);
});

test('a letter may be longer than an email, and other languages have no informal address', () => {
  const letter = email('wir bitten um Beachtung. '.repeat(60)).content.replace('\nJörg Schäfer', '');
  expect(findingsIn({ subject: 'x', content: letter }, task({ activityType: 'Document' }))).toEqual([]);
  const french = findingsIn(
    { subject: 'x', content: 'Madame,\n\nnous avons du retard.\n\nJörg Schäfer' },
    task({ language: 'fr' }),
  );
  expect(french).toEqual([]);
});

describe('a value that follows from the data by one step, or from three numbers by two, is known', () => {
  test.each<[given: string, says: string, unknown: boolean]>([
    // Sum, difference, product, percentage, VAT.
    ['8.400 Forderung, Zinsen 210', 'zusammen 8.610,00 EUR', false],
    ['8.400 Forderung, Zinsen 210', 'zusammen 8.601,00 EUR', true],
    ['Lohn 3.200 auf 3.450 EUR', 'das sind 250 EUR mehr', false],
    ['84 m², nur 72 m²', 'also 12 m² weniger', false],
    ['12 Termine je 40 Euro', 'zusammen 480 EUR', false],
    ['drei Jahre je 600 €', 'zusammen 1.800 €', false],
    ['60 % von 12.500', 'also 7.500 EUR', false],
    ['3 % Skonto auf 2.000 EUR', 'also 1.940 EUR', false],
    ['2.380 EUR brutto', 'also 2.000 EUR netto und 380 EUR Umsatzsteuer', false],
    // A rate of VAT needs no order.
    ['2.380 EUR', 'also 2.000 EUR', false],
    ['1.250 EUR', 'zzgl. 19 % MwSt., also 1.487,50 EUR', false],
    ['1.250 EUR', 'zzgl. 16 % MwSt.', true],
    ['20 Fenster', '20 % weniger', true],
    ['Termin', 'zu 100 % sicher', false],
    ['am 8.12. für 20 min', 'am 6. Dezember', true],
    ['um 8 Uhr, 3 Monate', 'um 9:31 Uhr', true],
    ['Betrag 1.250,14', 'um 14 Uhr', true],
    ['DE89370400440532013000', 'auf DE89 3704 0044 0532 0130 00', false],
    // Each step that the text shows is the basis of the next.
    [
      '12 Termine je 40 Euro, 2 fallen aus',
      'zusammen 480 EUR, davon fallen 80 EUR weg, es bleiben 400 EUR',
      false,
    ],
    ['12 Termine je 40 Euro, 2 fallen aus', 'es bleiben 3.840 EUR', true],
    // Three numbers, and not more.
    ['60 m, 3 Wochen, 1,10 je m und Woche', 'zusammen 198 Euro', true],
    ['60 m, 3 Wochen, 1,10 je m und Woche', 'zusammen 189 Euro', true],
    ['bisher 4, zwei mehr, je 65 €', 'künftig 390 €', true],
    ['bisher 4, zwei mehr, je 65 €', 'künftig 380 €', true],
    ['bisher 4, zwei mehr, je 65 €, Büro 500 €', 'künftig 390 €', true],
    ['4 Räume, 3 Flure', 'zusammen 28 Stück', true],
    // Days.
    ['Frist 14 Tage', 'bis zum 4. Dezember 2026', false],
    ['Frist 14 Tage', 'bis zum 5. Dezember 2026', true],
    ['Frist 1 Monat, Bescheid vom 9.11.', 'bis zum 9. Dezember 2026', false],
    ['ab 1.2.2027, sechs Monate', 'bis zum 31. Juli 2027', false],
    ['31.12.2026 plus zwei Monate', 'bis zum 28. Februar 2027', false],
    ['seit 9 Tagen', 'seit dem 11. November', false],
    ['seit Montag kaputt', 'seit dem 16. November 2026', false],
    ['ab 1.12. zahlt der Eigentümer', 'bis einschließlich 30. November 2026', true],
    ['am 1.12. zahlt der Eigentümer', 'am 30. November 2026', true],
    ['bis Ende des Monats', 'bis zum 30. November', false],
    ['bis Jahresende', 'bis zum 31.12.2026', false],
    ['jedes Jahr', 'bis zum 31. Dezember 2027', true],
    ['ab Januar', 'ab dem 1. Januar 2027', true],
    ['Ende Februar', 'am 28. Februar 2027', false],
    ['KW 4', 'am Mittwoch, dem 27. Januar 2027', true],
    ['übermorgen', 'am 22. November', true],
    ['vorgestern', 'am 18. November', true],
    ['gestern', 'am 19. November', true],
    ['gestern', 'am 21. November', true],
    ['am 30.12. passiert', 'am 30. Dezember 2026', false],
    ['am 30.12. passiert', 'am 30. Dezember 2027', true],
    // The usual slip at the turn of a year; nine months ago is still last spring.
    ['am 12.1. um 8', 'am 12. Januar 2026', true],
    ['am 12.1. um 8', 'am 12. Januar 2027', false],
    ['am 1.3. gekauft', 'am 1. März 2026', false],
    ['Fr 15.1., Montag drauf', 'am Montag, dem 18. Januar 2027', false],
    ['Montage der Halle', 'am Montag', true],
    ['Lieferung', 'nach der Montage der Halle', false],
    ['19.-29.1.', 'für zwei Wochen', true],
    ['18.-28.1.', 'für zwei Wochen', true],
    ['20.-22.1.', 'an fünf Tagen', true],
    ['18.-19.1.', 'an vier Tagen', true],
    ['14.-16.12.', 'an vier Tagen', true],
    ['7-17 Uhr', 'zehn Stunden lang', true],
    ['7-17 Uhr', 'elf Stunden lang', true],
    ['7-17 Uhr', 'ab 7:00 Uhr', false],
    ['8 und 9:30 Uhr', 'in anderthalb Stunden', false],
    ['Probe', 'an diesem Morgen', false],
    ['am 5.7. Sommerfest', 'am Montag, dem 5. Juli 2027', false],
    ['10.1. plus 14 Tage', 'am 24. Januar 2027', false],
    ['so bald wie möglich', 'am 24. November', true],
    // Words.
    ['Mi 10 Uhr, dauert ca. 1 Std', 'von 10:00 bis etwa 11:00 Uhr', true],
    ['Mi 10 Uhr, dauert ca. 1 Std', 'bis 12:00 Uhr', true],
    ['halb zehn', 'um 9:30 Uhr', false],
    ['unverzweigt, Beachtung', '2 Stück', true],
    // Each amount once, and one step.
    ['12 Tage à 48 €, Rechnung über 720 €', 'die Differenz von 134 €', true],
    ['3.600 € in 6 Raten', 'je 600 €', false],
    ['3.600 € in 6 Raten', 'je 660 €', true],
    // Units.
    ['84 m², nur 72', 'also 12 m² weniger', false],
    ['1,5 t Kies', '1.600 kg Kies', true],
    ['48 h vorher', 'zwei Tage vorher', false],
    ['Betrag 5, Rechnung', 'binnen 5 Tagen', false],
    ['bitte antworten', 'binnen fünf Tagen', true],
    // Weeks, months, and quarters.
    ['Mittwoch nicht geputzt', 'am 18. November', false],
    ['Freitag den 13.', 'am 13. November', true],
    ['bis 15.', 'bis zum 15. Dezember', true],
    ['nächste Woche Mittwoch', 'am 25. November', false],
    ['erst am 2.12. statt 30.11.', 'erst am 2.12', false],
    ['am 9.12.', 'in KW 51', true],
    ['drei Kräne für 890 im Monat', 'am 30. November', true],
    ['zweimal die Woche putzen', 'am 27. November', true],
    ['im März', 'im März 2027', false],
    ['im März', 'im März 2029', true],
    // Nights.
    ['Nachtrag vom 3.12.', 'am 2. Dezember', true],
    // A month before an amount.
    ['USt Okt 18.340, wir 16.920', '18.340 Euro, also 1.420 Euro mehr', false],
    ['USt Okt 18.340', 'am 18. Oktober', true],
    ['Miete Nov 18 €', '18,00 €', false],
    ['Abschlag Mai 1834', '1.834,00 Euro', false],
    // A month before a year of two digits.
    ['gekauft märz 24', 'gekauft im März 2023', true],
    ['Vertrag vom 3. Okt. ’24', 'am 4. Oktober 2024', true],
    ['Miete Nov 240 €', 'im November 2024', true],
    // The month of a later date.
    ['di 8. od do 10.12.', 'am 8. Dezember oder am 10. Dezember', false],
    ['di 8. od do 10.12.', 'am 9. Dezember', true],
    ['am 8. vormittags, sonst am 10.12.', 'am 8. Dezember', true],
    ['3 Fenster bis 10.12.', 'am 3. Dezember', true],
    // Letters with digits.
    ['vorsorge g37', 'die G-37-Vorsorge nach G 37 und G37', false],
    ['plan s 104', 'Plan S-104', false],
    ['plan s 104', 'Plan S-105', true],
    ['plan S-104', 'Plan S 105', true],
  ])('%s: %s', (given, says, isUnknown) => {
    const found = codes(`es geht um Folgendes: ${says}`, { description: given, project: null });
    expect(found).toEqual(isUnknown ? ['unknown_figure'] : []);
  });
});

test.each([
  ['Einladung verschicken', 'du'],
  ['neuer Termin durch uns', 'euer'],
  ['Rückfrage an dich weiterleiten', 'dich'],
])('the order "%s" does not excuse "%s"', (description, word) => {
  expect(codes(`wir grüßen ${word}.`, { description })).toEqual(['informal_address']);
});

test('an informal quotation from the order is not a finding', () => {
  const description = 'Motto „du schaffst das“ vorstellen';
  expect(codes('unser Motto lautet „du schaffst das“.', { description })).toEqual([]);
});

test.each([
  ['Angebot 77 schicken', 'anbei erhalten Sie unser Angebot 77.'],
  ['Fotos liegen bei', 'Fotos des Schadens liegen diesem Schreiben bei.'],
  ['Vollmacht hängt an', 'die Vollmacht fügen wir als Anlage bei.'],
  ['Skizze im Anhang', 'im Anhang erhalten Sie alles.'],
  ['Attest, siehe anl.', 'Sie finden es in der Anlage.'],
])('the order "%s" wants the attachment', (description, body) => {
  expect(codes(body, { description })).toEqual([]);
});

test('the name of another person is known in every form of the order', () => {
  const description = 'Kollege Rahn, Frau Müller-Lüdenscheidt und Mueller treffen';
  expect(codes('mit Herrn Rahns Auto, Frau Lüdenscheidt und Herrn Müller.', { description })).toEqual([]);
  expect(codes('mit Frau Rahnert.', { description })).toEqual(['unknown_name']);
});

test('the contact’s name with the other title is known where the order has it', () => {
  const description = 'Herr Weber (ihr Mann) kommt mit';
  expect(codes('auch Herr Weber kommt mit.', { description })).toEqual([]);
});

describe('the signature of an email', () => {
  const end = (lines: string, changes = {}): string[] =>
    findingsIn({ subject: 'x', content: `${greeting}\n\nwir melden uns.${lines}` }, task(changes)).map(
      ({ code }) => code,
    );

  test.each([
    ['another person', '\n\nMit freundlichen Grüßen\nTanja Textor', ['name_altered']],
    ['a misspelled name', '\n\nMit freundlichen Grüßen\nJörg Schäffer', ['name_altered']],
    ['nobody', '\n\nMit freundlichen Grüßen', ['name_altered']],
    ['no closing', '', ['closing_missing']],
    ['a closing that no other text has', '\n\nVielen Dank und ein schönes Wochenende\n\nJörg Schäfer', []],
    ['six words before the greetings', '\n\nVielen Dank im Voraus und freundliche Grüße', ['name_altered']],
    ['an unusual closing', '\n\nHerzliche Grüße aus Kiel\nJörg Schäfer', []],
    ['a closing with a verb', '\n\nEs grüßt Sie freundlich\nJörg Schäfer', []],
    ['greetings to someone', '\nRichten Sie allen einen Gruß aus.\nJörg Schäfer', ['closing_missing']],
  ])('%s', (_case, lines, expected) => {
    expect(end(lines)).toEqual(expected);
  });

  test('an account without a name needs none, and a letter neither', () => {
    expect(end('\n\nMit freundlichen Grüßen', { sender: '' })).toEqual([]);
    expect(end('\n\nMit freundlichen Grüßen', { activityType: 'Document' })).toEqual([]);
    expect(end('', { activityType: 'Document' })).toEqual(['closing_missing']);
    expect(end('\n\nIn stillem Gedenken', { activityType: 'Document' })).toEqual([]);
    expect(end('\n\nBitte senden Sie uns bis dahin noch die', { activityType: 'Document' })).toEqual([
      'closing_missing',
    ]);
    expect(findingsIn({ subject: 'x', content: greeting }, task({ activityType: 'Document' }))).toEqual([
      { code: 'closing_missing' },
    ]);
    expect(end('\n\nsofern Sie uns bis dahin noch die', { activityType: 'Document' })).toEqual([
      'closing_missing',
    ]);
  });

  test('a letter is signed by nobody else', () => {
    const letter = (below: string) =>
      end(`\n\nMit freundlichen Grüßen\n\n${below}`, { activityType: 'Document' });
    expect(letter('Stefan Möller')).toEqual(['name_altered']);
    expect(letter('Stefan Möller, Bauleitung')).toEqual([]);
    expect(letter('Jörg Schäfer')).toEqual(['sender_repeated']);
    expect(letter('Anlage: Lageplan Nord')).toEqual(['unknown_attachment']);
    expect(letter('Anlagen\nLageplan Nord')).toEqual(['unknown_attachment']);
  });

  test('is required in other languages, whose closings are not known', () => {
    const french = (name: string): string[] =>
      findingsIn(
        { subject: 'x', content: `Madame,\n\nnous avons du retard.\n\nCordialement\n${name}` },
        task({ language: 'fr' }),
      ).map(({ code }) => code);
    expect(french('Jörg Schäfer')).toEqual([]);
    expect(french('Tanja Textor')).toEqual(['name_altered']);
  });
});

test.each([
  ['vom 30.11. bis 2.12.', 'wir kommen von Montag bis Mittwoch, 30. November bis 2. Dezember.'],
  ['Rückmeldung per Mail', 'lassen Sie mich bitte per E-Mail wissen, ob es passt.'],
  ['herr weber kommt mit', 'auch Herr Weber kommt mit.'],
])('the order "%s" gives no finding in "%s"', (description, body) => {
  expect(codes(body, { description })).toEqual([]);
});

test('one sentence in the other language is a finding, unless the order has it', () => {
  const english = 'Please let us know if you need any further information.';
  const body = `wir kommen zu Ihnen und bringen alles mit, was Sie uns genannt haben. Die Pläne haben wir dabei. ${english}`;
  expect(findingsIn(email(body), task())).toEqual([{ code: 'wrong_language', excerpt: english }]);
  expect(codes(body, { description: `Zitat: ${english}` })).toEqual([]);
});

describe('an attachment is found by whole words of the order', () => {
  test.each([
    ['Hausanschluss beantragen', 'anbei erhalten Sie den Bauantrag.', true],
    ['Antrag auf Hausanschluss', 'anbei erhalten Sie den Bauantrag.', true],
    ['Ausbildung zusagen', 'anbei ein Bild.', true],
    ['bilder vom schaden', 'anbei ein Bild.', true],
    ['Angaben berichtigen', 'der Prüfbericht ist beigefügt.', true],
    ['prüfberichte an den Bauherrn', 'der Prüfbericht ist beigefügt.', true],
    ['Heizungsanlage warten', 'die Liste finden Sie im Anhang.', true],
    ['die Anlage im Keller ist defekt', 'anbei ein Bild.', true],
    ['Plan als Anlage', 'anbei ein Bild.', false],
    ['Anlage: Plan', 'anbei ein Bild.', false],
    ['das Schild hängt an der Wand', 'anbei ein Bild.', true],
    ['häng das Bild an', 'anbei ein Bild.', false],
    ['sende die Liste mit', 'anbei die Liste.', false],
    ['Termin mit der Stadt, sende die Liste mit der Post', 'anbei die Liste.', true],
    ['schick ihm das Angebot', 'anbei das Angebot.', false],
    ['er soll das Angebot schicken', 'anbei das Angebot.', true],
    ['Anlage: Liste', 'die Liste finden Sie im Anhang.', false],
    ['termin planen', 'den Lageplan legen wir bei.', true],
    ['lagepläne', 'den Lageplan legen wir bei.', true],
    ['Bescheid prüfen', 'eine Kopie des Bescheids ist beigefügt.', true],
    ['termin', 'den Lageplan fügen wir bei.', true],
    ['Grundriss ist angehängt', 'der Plan ist beigefügt.', false],
    ['Vertrag dran', 'der Plan ist beigefügt.', false],
    ['Anmerkungen hängen dran (zwei PDF)', 'der Plan ist beigefügt.', false],
    ['foto hab ich dran gehängt', 'der Plan ist beigefügt.', false],
    ['bitte dran denken', 'der Plan ist beigefügt.', true],
    ['fotos und lieferschein dabei', 'photos are attached.', false],
    ['kollege dabei', 'photos are attached.', true],
    ['termin', 'den Lageplan fügen wir an.', true],
    ['termin', 'den Lageplan hängen wir an.', true],
    ['termin', 'der Lageplan liegt hier bei.', true],
    ['termin', 'der Lageplan liegt bei.', true],
    ['termin', 'der Lageplan ist beigelegt.', true],
    // What the recipient is asked for is no attachment.
    ['termin', 'bitte legen Sie den Lageplan bei.', false],
    ['termin', 'bitte hängen Sie den Lageplan an.', false],
    ['termin', 'wir legen im Flur eine Musterfläche an.', false],
  ])('order "%s", text "%s": %s', (description, body, isUnknown) => {
    expect(codes(body, { description })).toEqual(isUnknown ? ['unknown_attachment'] : []);
  });
});

test('digits of other scripts belong to languages that use them', () => {
  const found = (language: string) =>
    findingsIn({ subject: 'x', content: 'سلام\n\n١٢\n\nJörg Schäfer' }, task({ language })).map(
      ({ code }) => code,
    );
  expect(found('fa')).not.toContain('unusual_characters');
  expect(found('de')).toContain('unusual_characters');
});

test('in January, a day of December is one of last year', () => {
  const facts = { description: '28.12. plus 14 Tage', project: null, date: '2027-01-05' };
  expect(codes('es geht um den 11. Januar 2027.', facts)).toEqual([]);
});

test('a word of the order covers that word alone, not its letters in other words', () => {
  const body = 'der Artikel XXX kommt.';
  expect(codes(body, { description: 'Artikel XXX liefern' })).not.toContain('placeholder_left');
  expect(codes(body, { description: 'Artikel AXXXB liefern' })).toContain('placeholder_left');
});
