import { dateOf, type Day, daysOf } from './calendar.ts';
import { type Place, valueOf } from './places.ts';

/** Of `2-3 m`, `2,50-3,50`, and `2026-014`. */
const parts = /\d+(?:,\d\d(?!\d))?/g;

/**
 * Whether a text repeats what the data have.
 * @param given the places of `data`
 */
export function knownForms(data: string, given: readonly Place[], today: Day): (place: Place) => boolean {
  const forms = new Set<string>();
  let rest = data;
  for (const { kind, form, start, excerpt, value, unit = '' } of given) {
    forms.add(form).add(`${form} ${unit}`);
    if (kind === 'number' && value === undefined)
      for (const [part] of excerpt.matchAll(parts)) forms.add(`n${valueOf(part)} ${unit}`);
    if (kind !== 'date') continue;
    addDate(form);
    // The parts of a date are no time, and no number but the day and the year.
    rest = rest.slice(0, start) + ' '.repeat(excerpt.length) + rest.slice(start + excerpt.length);
  }
  // Digits are also times, dates, and parts: "8-16 h", "7.30", "15.12", "Raum 1.14", "P-2026-014".
  for (const [digits] of rest.matchAll(/\d+(?:[.,:/-]\d+)*/gu)) addDigits(digits);
  // A number is also known where only one of both has a unit.
  return ({ kind, form, value, unit }) =>
    unit === undefined
      ? forms.has(form) || (kind === 'period' && forms.has(`n${value}`))
      : forms.has(`${form} ${unit}`) || forms.has(`${form} `);

  function addDate(form: string): void {
    const [date, month] = form.slice(1).split('.');
    // People omit the last dot of `2.12.`.
    forms.add(`d${date}.${month}`).add(`n${Number(`${date}.${month}`)}`);
    for (const day of daysOf(form, today)) {
      const { year } = dateOf(day);
      forms.add(`d${date}.${month}.${year}`).add(`n${year}`);
      // Today is in all data, and excuses no other number.
      if (day !== today) forms.add(`m${month}`).add(`n${date}`);
    }
  }

  function addDigits(digits: string): void {
    const value = valueOf(digits);
    forms.add(`n${value ?? digits}`);
    // A part of an amount is none: 14.300 EUR are not 14 days.
    if (value === null) for (const [part] of digits.matchAll(parts)) forms.add(`n${valueOf(part)}`);
    for (const [, date, month] of digits.matchAll(/(?<![\d.])0?(\d{1,2})\.(0?[1-9]|1[0-2])(?![\d.])/g))
      addDate(`d${date}.${Number(month)}`);
    if (!/^[\d.:]+(?:-[\d.:]+)?$/.test(digits)) return;
    for (const [, hour, minutes = '0'] of digits.matchAll(/(?<!\d)(\d{1,2})(?:[.:](\d\d))?(?!\d)/g))
      if (Number(hour) <= 24) forms.add(`t${(Number(hour) * 60 + Number(minutes)) % 1440}`);
  }
}
