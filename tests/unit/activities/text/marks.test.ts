import { describe, expect, test } from 'vitest';
import { checkOf } from '../../../../lib/activities/text/text-check.ts';
import { task } from './writing-task.ts';

const about = (description: string, body: string) => {
  const content = `Sehr geehrte Frau Dr. Weber,\n\n${body}\n\nMit freundlichen Grüßen\nJörg Schäfer`;
  const { findings, derived } = checkOf(
    { subject: 'Angebot', content },
    task({ description, project: null }),
  );
  for (const { excerpt, start } of derived)
    expect(`Angebot\n${content}`.slice(start, start + excerpt.length)).toBe(excerpt);
  return {
    hard: findings.map(({ excerpt }) => excerpt),
    soft: derived.map(({ excerpt, from }) => `${excerpt} = ${from}`),
  };
};

const money = (value: number): string =>
  value.toLocaleString('de-DE', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const amounts = [412.5, 1380, 96.4, 2750, 638.25, 1199, 85];

describe.each([3, 4, 5, 6, 7])('of %i positions', (count) => {
  const positions = amounts.slice(0, count);
  const order = positions.map((each, index) => `Pos ${index + 1}: ${money(each)}`).join(', ');
  const list = positions.map((each, index) => `Position ${index + 1}: ${money(each)} EUR`).join('\n');
  const sum = positions.reduce((all, each) => all + each);

  test('the right total is derived, and price, discount, and tax step by step', () => {
    const less = Math.round(sum * 97) / 100;
    const totals = [sum, less, less * 1.19].map((each) => `${money(each)} EUR`);
    const body = `${list}\nSumme: ${totals[0]}\nabzüglich 3 %: ${totals[1]}\nmit 19 % MwSt.: ${totals[2]}`;
    const { hard, soft } = about(`${order}, 3 % Nachlass, plus MwSt`, body);
    expect(hard).toEqual([]);
    expect(soft).toEqual([
      `${totals[0]} = ${positions.map((each) => `${money(each)} EUR`).join(' + ')}`,
      `${totals[1]} = ${totals[0]} - 3 %`,
      `${totals[2]} = ${totals[1]} + 19 %`,
    ]);
  });

  test('a wrong total is marked', () => {
    const wrong = `${money(sum + 90)} EUR`;
    expect(about(order, `${list}\nSumme: ${wrong}`).hard).toEqual([wrong]);
  });

  test('the total of the positions of the order alone is derived', () => {
    const { hard, soft } = about(positions.map(money).join(' + '), `zusammen sind es ${money(sum)} EUR.`);
    expect([hard, soft]).toEqual([[], [`${money(sum)} EUR = ${positions.map(money).join(' + ')}`]]);
  });
});

test('a date with a year is that of no other year', () => {
  expect(about('Vertrag vom 12.01.2020', 'Am 12.01.2027 ist es fertig.').hard).toEqual(['12.01.2027']);
});

test('no day follows from a day and a half', () => {
  const marksOf = (period: string) =>
    about(`seit dem 12.11.2026, nach ${period}`, 'Am 13.11.2026 ist es fertig.');
  expect(marksOf('24 Stunden').hard).toEqual([]);
  expect(marksOf('36 Stunden').hard).toEqual(['13.11.2026']);
});

test('a total is the sum of the last numbers of the lines before it', () => {
  const order = '3 Fenster zu 100, 2 Türen zu 250, 4 Tore zu 125,50';
  const list = '3 Fenster zu 100 EUR: 300 EUR\n2 Türen zu 250 EUR: 500 EUR\n4 Tore zu 125,50 EUR: 502 EUR';
  const { hard, soft } = about(order, `${list}\nSumme: 1.302 EUR`);
  expect([hard, soft.at(-1)]).toEqual([[], '1.302 EUR = 300 EUR + 500 EUR + 502 EUR']);
  expect(about(order, `${list}\nSumme: 1.402 EUR`).hard).toEqual(['1.402 EUR']);
});

test.each<[description: string, body: string, step: string]>([
  ['netto 6.200, plus 19 %', 'brutto sind es 7.378,00 EUR.', '7.378,00 EUR = 6.200 + 19 %'],
  ['Pos 1: 412,50, Pos 2: 380, Pos 3: 96,40', 'zusammen 888,90 EUR.', '888,90 EUR = 412,50 + 380 + 96,40'],
  ['Miete 980, Garage 65', 'zusammen zahlen Sie 1.045 EUR.', '1.045 EUR = 980 + 65'],
  ['12 Stück à 48 €', 'das kostet 576 EUR.', '576 EUR = 48 € × 12'],
  ['3.600 € in 6 Raten', 'das sind je 600 EUR.', '600 EUR = 3.600 € ÷ 6'],
  ['Frist 14 Tage', 'bitte bis zum 04.12.2026.', '04.12.2026 = 14 Tage'],
  ['ab 30.11. für 3 wochen', 'also bis zum 21.12.2026.', '21.12.2026 = 30.11. + 3 wochen'],
  ['Angebot gilt 4 wo', 'bis zum 18.12.2026.', '18.12.2026 = 4 wo'],
  ['Montag in einer Woche', 'am 30.11.2026.', '30.11.2026 = Montag'],
  ['am 2.12. abholen', 'wir kommen am Mittwoch.', 'Mittwoch = 2.12.'],
  ['bis Jahresende', 'bitte bis zum 31.12.2026.', '31.12.2026 = Jahresende'],
  ['Fotos liegen bei', 'anbei sehen Sie Fotos.', 'anbei = liegen bei'],
])('what follows from "%s" shows its step: %s', (description, body, step) => {
  expect(about(description, body)).toEqual({ hard: [], soft: [step] });
});

test.each([
  ['an bau-amt@firma.example', 'bau.amt@firma.example'],
  ['an bau-amt@firma.example', 'bau_amt@firma.example'],
  ['an bauamt@firma.example', 'bau-amt@firma.example'],
  ['an post@bau-amt.example', 'post@bauamt.example'],
  ['an post@firma.example', 'post@firma.example.de'],
  ['siehe www.bau-amt.example/plan_1', 'www.bau-amt.example/plan-1'],
  ['siehe https://firma.example/plan', 'https://firma.example/plaene'],
])('the order "%s" does not cover %s', (description, address) => {
  expect(about(description, `bitte nutzen Sie ${address} dafür.`).hard).toEqual([address]);
});

test.each([
  ['an Bau-Amt@firma.example', 'bau-amt@firma.example'],
  ['siehe https://www.firma.example/plan', 'firma.example/plan'],
])('the order "%s" covers %s', (description, address) => {
  expect(about(description, `bitte nutzen Sie ${address} dafür.`)).toEqual({ hard: [], soft: [] });
});

// As people type orders; today is 20 November 2026.
test.each([
  ['15.12', '15. Dezember 2026'],
  ['05.12', '5.12.2026'],
  ['01.12-03.12', '1. Dezember bis 3. Dezember 2026'],
  ['10h', '10 Uhr'],
  ['um 16 h', '16:00 Uhr'],
  ['25k', '25.000 EUR'],
  ['25 k€', '25.000 EUR'],
])('the order "Termin %s" has %s', (written, said) => {
  expect(about(`Termin ${written}`, `wie besprochen: ${said}.`)).toEqual({ hard: [], soft: [] });
});

// What the text repeats has no mark, and what it changes a hard one.
test.each<[written: string, repeated: string, changed: string, marked: string]>([
  ["Rechnung 1'250,- anmahnen", '1.250,00 EUR sind offen', '1.520,00 EUR sind offen', '1.520,00 EUR'],
  ['EUR 1.250,00 offen', '1.250 € sind offen', 'CHF 1.250 sind offen', 'CHF 1.250'],
  ['1.250 EUR offen', '1.250 sind offen', '1.250 CHF sind offen', '1.250 CHF'],
  ['1.250 offen', '1.250 CHF sind offen', '1.205 CHF sind offen', '1.205 CHF'],
  ['86 m Zaun', '86 m Zaun', '86 m² Zaun', '86 m²'],
  ['12,75 qm Fliesen', '12,75 m² Fliesen', '12,75 m Fliesen', '12,75 m'],
  ['86 m Zaun', '86 Meter Zaun', '86 Quadratmeter Zaun', '86 Quadratmeter'],
  ['86 m Zaun', 'an 86 Metern Zaun', '68 lfm Zaun', '68'],
  ['1.250 Euro', '1.250 € offen', '1.250 Franken offen', '1.250 Franken'],
  ['5 m Kabel', '5 Meter Kabel', '5 T-Stücke, 5 l Farbe', '5 l'],
  ['5 Tonnen Kies', '5 t Kies', '5 kg Kies', '5 kg'],
  ['Höhe 2-3 m', '2 bis 3 m hoch', '2 bis 4 m hoch', '4 m'],
  ['Höhe 2,50-3,50 m', '2,50 bis 3,50 m hoch', '2,00 bis 3,50 m hoch', '2,00'],
  ['am 5.1. liefern', 'Lieferung am 5. Januar', '5 kg am 5. Januar', '5 kg'],
  ['Beton C25/30, 8 m3', '8 m³ Beton C25/30', '8 m³ Beton C25/37', '25/37'],
  ['KG 300 412.000', 'Kostengruppe 300: 412.000 EUR', 'Kostengruppe 300: 421.000 EUR', '421.000 EUR'],
  ['1,2 Mio Bausumme', '1.200.000 EUR', '2.100.000 EUR', '2.100.000 EUR'],
  ['dauert 12 h', '12 Stunden lang', '14 Stunden lang', '14 Stunden'],
  ['KW 48', 'in KW 48', 'in KW 49', '49'],
  ['Anlieferung 10–12 Uhr', 'von 10 bis 12 Uhr', 'von 10 bis 13 Uhr', '13 Uhr'],
  ['Anlieferung 10-12 Uhr', 'zwischen 10:00 und 12:00 Uhr', 'zwischen 9:00 und 12:00 Uhr', '9:00'],
  ['2 pm', 'um 14 Uhr', 'um 15 Uhr', '15 Uhr'],
  [
    'DE89 3704 0044 0532 0130 00',
    'auf DE89370400440532013000',
    'auf DE89370400440532013001',
    'DE89370400440532013001',
  ],
  ['Tel. 0431/55 12 80', 'unter +49 431 551280', 'unter 0431 551290', '0431 551290'],
  ['+49 (0)431 551280', 'unter 0431 551280', 'unter 0431 551281', '0431 551281'],
  ['Mangel § 634 BGB', 'nach § 634 BGB', 'nach § 635 BGB', '635'],
  ['Plan-Nr. 104b', 'der Plan 104b', 'der Plan 105b', '105'],
  ['Plan 3.02/A', 'der Plan 3.02/A', 'der Plan 3.03/A', '3.03'],
  ['Lindenstr. 12-14', 'Lindenstraße 12 bis 14', 'Lindenstraße 12 bis 16', '16'],
  ['DIN 18040-1', 'nach DIN 18040-1', 'nach DIN 18040-2', '18040-2'],
  ['RE-2026/0815', 'Rechnung RE-2026/0815', 'Rechnung RE-2026/0816', '2026/0816'],
  ['Abnahme 3.12.', 'am 3. Dezember 2026', 'am 13. Dezember 2026', '13. Dezember 2026'],
  ['vom 14.-16.12.', 'vom 14. bis 16. Dezember', 'vom 15. bis 16. Dezember', '15.'],
  ['14. + 15.12.', 'am 14. und 15. Dezember', 'am 13. und 15. Dezember', '13.'],
  ['am 8., 15. oder 22.1.', 'am 8. Januar 2027', 'am 9. Januar 2027', '9. Januar 2027'],
  ['am 9.12.', 'am 9. Dez. 2026', 'am 9. Dez. 2027', '9. Dez. 2027'],
  ['di 8. od do 10.12.', 'am Dienstag, dem 8. Dezember', 'am 9. Dezember', '9. Dezember'],
  ['Urlaub 21.12.-3.1.', 'bis zum 3. Januar 2027', 'bis zum 4. Januar 2027', '4. Januar 2027'],
  ['fertig Mitte Dezember', 'fertig Mitte Dezember', 'fertig Mitte Januar', 'Januar'],
  ['fertig Ende Nov.', 'fertig Ende November', 'fertig Ende Oktober', 'Oktober'],
  ['am 3.2. fertig', 'fertig im Februar', 'fertig im Mai', 'Mai'],
  ['Dienstag abends', 'am Dienstagabend', 'am Mittwochabend', 'Mittwochabend'],
  ['Frist 10 Werktage', 'binnen zehn Werktagen', 'binnen zwölf Werktagen', 'zwölf Werktagen'],
  ['in 6-8 Wochen', 'in sechs bis acht Wochen', 'in sechs bis zehn Wochen', 'zehn Wochen'],
  ['in einer Woche', 'in einer Woche', 'in einem Monat', 'einem Monat'],
  ['Abschluss 2023, 1 Seite', 'der Abschluss 2023', 'der Abschluss 2024', '2024'],
])('the order "%s" has "%s", and not "%s"', (written, repeated, changed, marked) => {
  expect(about(written, `es geht um Folgendes: ${repeated}.`)).toEqual({ hard: [], soft: [] });
  expect(about(written, `es geht um Folgendes: ${changed}.`)).toEqual({ hard: [marked], soft: [] });
});

test.each([
  ['another day', '15.12', '16. Dezember 2026'],
  ['another year', '15.12', '15. Dezember 2027'],
  ['another hour', '10h', '11 Uhr'],
  ['the hour of a longer work', '36h', '12 Uhr'],
  ['a thousand of nothing', '25 kN', '25.000 EUR'],
])('the order does not have %s', (_what, written, said) => {
  expect(about(`Termin ${written}`, `wie besprochen: ${said}.`).hard).toEqual([said]);
});

test.each([
  ['today excuses no number', 'Termin', 'wir liefern 20 Fenster.', ['20']],
  ['today excuses no weekday', 'Termin', 'wir kommen am Freitag.', ['Freitag']],
  ['parts of a date are no time', 'am 14.12. abholen', 'wir kommen um 14 Uhr.', ['14 Uhr']],
  ['an amount has no parts', '14.300 netto', 'binnen 14 Tagen.', ['14 Tagen']],
  ['a word that looks like a weekday is none', 'Termin', 'wir melden uns so bald wie möglich.', []],
  [
    'a requested document is no attachment',
    'Prüfbericht fehlt, bitte schicken',
    'anbei der Prüfbericht.',
    ['anbei'],
  ],
])('%s', (_rule, description, body, hard) => {
  expect(about(description, body).hard).toEqual(hard);
});

// There are no other steps: a person predicts the marks by the list of those above.
test.each([
  ['von 9 bis 13 Uhr gesperrt', 'also für vier Stunden.', 'vier Stunden'],
  ['um 15 Uhr, 1 Std', 'wir enden um 16 Uhr.', '16 Uhr'],
  ['morgen Abnahme', 'die Abnahme ist am 21. November 2026.', '21. November 2026'],
  ['zahlbar zum 15.', 'zahlbar bis zum 15. Dezember 2026.', '15. Dezember 2026'],
  ['ab Januar', 'ab dem 1. Januar 2027.', '1. Januar 2027'],
])('from "%s" does not follow: %s', (description, body, marked) => {
  expect(about(description, body)).toEqual({ hard: [marked], soft: [] });
});

test('of many numbers and dates, only the first explain others', () => {
  const numbers = Array.from({ length: 40 }, (_, index) => 1000 + index ** 3);
  const sumOf = (one: number, other: number) => numbers[one]! + numbers[other]!;
  const order = numbers.join(' Stück, ');
  expect(about(order, `zusammen ${sumOf(0, 9)} Stück.`).soft).toEqual([`${sumOf(0, 9)} = 1000 + 1729`]);
  expect(about(order, `zusammen ${sumOf(30, 39)} Stück.`).hard).toEqual([`${sumOf(30, 39)}`]);
  // A list has at least three positions.
  expect(about(order, `zusammen ${sumOf(38, 39)} Stück.`).hard).toEqual([`${sumOf(38, 39)}`]);
  const dates = Array.from({ length: 14 }, (_, index) => `${index + 1}.12.`).join(' oder ');
  expect(about(`${dates}, 3 Wochen`, 'bis zum 22. Dezember 2026.').hard).toEqual([]);
  expect(about(`${dates}, 3 Wochen`, 'bis zum 4. Januar 2027.').hard).toEqual(['4. Januar 2027']);
});

// Each is what a guard of the marks keeps from following from the order.
test.each<[description: string, body: string, marked: readonly string[]]>([
  ['5 Stück liefern', 'wir liefern bis zum 31.05.2027.', ['31.05.2027']],
  ['5 Stück liefern', 'wir liefern ab dem 01.05.2026.', ['01.05.2026']],
  ['Raum 7/8 reinigen', 'wir kommen um 7 Uhr.', ['7 Uhr']],
  ['Maß 7,30 m', 'wir kommen um 7.30 Uhr.', ['7.30 Uhr']],
  ['Preis 200 EUR', 'erst zahlen Sie 310 EUR, dann 510 EUR.', ['310 EUR', '510 EUR']],
  ['10 % Rabatt, 3 Stück', 'wir liefern 30 Stück.', ['30']],
  ['10 % Rabatt, 3 Stück', 'es sind 30 % Rabatt.', ['30 %']],
  ['10 % und 20 %', 'es sind 30 % Rabatt.', ['30 %']],
  ['10 % Rabatt, 3 Boxen', 'es sind dann 30.', ['30']],
  ['um 10 Uhr, 30 EUR', 'es kostet 300 EUR.', ['300 EUR']],
  ['10 % Rabatt, 3 Boxen', 'es sind dann 13.', ['13']],
  ['45 EUR, 1,50 m breit', 'es kostet 30 EUR.', ['30 EUR']],
  ['10 Türen, 2 Fenster', 'binnen 12 Tagen.', ['12 Tagen']],
  ['Mail an max.muster@bau.example', 'Mail an Max-Muster@bau.example', ['Max-Muster@bau.example']],
])('%j: %j has marks', (description, body, marked) => {
  expect(about(description, body)).toEqual({ hard: marked, soft: [] });
});

test.each([
  ['Termin', 'Jan Kröger ruft Sie an.'],
  ['Nr. R 5521 prüfen', 'die Rechnung R5521 haben wir.'],
  ['am 15.03. liefern', 'wir liefern im März.'],
  ['siehe https://www.huber.example/', 'auf huber.example steht es.'],
  ['siehe huber.example/pläne', 'auf https://huber.example/pläne/ steht es.'],
  ['Mail an Max.Muster@Bau.example', 'Mail an max.muster@bau.example'],
])('%j: %j has none', (description, body) => {
  expect(about(description, body)).toEqual({ hard: [], soft: [] });
});
