import { dateOf, type Day } from './calendar.ts';
import { daysOf } from './days.ts';
import { type Place, valueOf } from './places.ts';

/** All forms in which a text may repeat what the data have. */
export class KnownForms {
  readonly #forms = new Set<string>();
  readonly #today: Day;

  /** @param places of `data` */
  constructor(data: string, places: readonly Place[], today: Day) {
    this.#today = today;
    let rest = data;
    for (const { kind, form, start, excerpt } of places) {
      this.#forms.add(form);
      if (kind !== 'date') continue;
      this.#addDate(form);
      // The parts of a date are no time, and no number but the day and the year.
      rest = rest.slice(0, start) + ' '.repeat(excerpt.length) + rest.slice(start + excerpt.length);
    }
    // Digits are also times, dates, and parts: "8-16 h", "7.30", "15.12", "Raum 1.14", "P-2026-014".
    for (const [digits] of rest.matchAll(/\d+(?:[.,:/-]\d+)*/gu)) this.#addDigits(digits);
  }

  has({ kind, form, value }: Place): boolean {
    return this.#forms.has(form) || (kind === 'period' && this.#forms.has(`n${value}`));
  }

  #addDate(form: string): void {
    const [date, month] = form.slice(1).split('.');
    // People omit the last dot of `2.12.`.
    this.#forms.add(`d${date}.${month}`).add(`n${Number(`${date}.${month}`)}`);
    for (const day of daysOf(form, this.#today)) {
      const { year } = dateOf(day);
      this.#forms.add(`d${date}.${month}.${year}`).add(`n${year}`);
      // Today is in all data, and excuses no other number.
      if (day !== this.#today) this.#forms.add(`m${month}`).add(`n${date}`);
    }
  }

  #addDigits(digits: string): void {
    const value = valueOf(digits);
    this.#forms.add(`n${value ?? digits}`);
    // A part of an amount is none: 14.300 EUR are not 14 days.
    if (value === null) for (const part of digits.split(/[.,:/-]/)) this.#forms.add(`n${Number(part)}`);
    for (const [, date, month] of digits.matchAll(/(?<![\d.])0?(\d{1,2})\.(0?[1-9]|1[0-2])(?![\d.])/g))
      this.#addDate(`d${date}.${Number(month)}`);
    if (!/^[\d.:]+(?:-[\d.:]+)?$/.test(digits)) return;
    for (const [, hour, minutes = '0'] of digits.matchAll(/(?<!\d)(\d{1,2})(?:[.:](\d\d))?(?!\d)/g))
      if (Number(hour) <= 24) this.#forms.add(`t${(Number(hour) * 60 + Number(minutes)) % 1440}`);
  }
}
