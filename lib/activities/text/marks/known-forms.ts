import { dateOf, type Day } from './calendar.ts';
import { daysOf } from './days.ts';
import { isAlike } from './steps.ts';
import { addressForm, type Place, lettersAndDigits, valueOf } from './places.ts';

/** All forms in which a text may repeat what the data have. */
export class KnownForms {
  /** With the units of each. */
  readonly #forms = new Map<string, Set<string>>();
  readonly #data: string;
  readonly #squeezed: string;
  readonly #today: Day;

  constructor(data: string, places: readonly Place[], today: Day) {
    this.#data = data.toLowerCase();
    this.#squeezed = lettersAndDigits(data);
    this.#today = today;
    let rest = data;
    for (const { kind, form, start, excerpt, value, unit } of places) {
      this.#add(form, unit);
      if (value !== undefined) this.#add(`n${value}`, unit);
      if (kind === 'date') this.#addDate(form);
      // `Termin 10h` is a time.
      if (/^(?:1?\d|2[0-4])\s?h$/i.test(excerpt)) this.#add(`t${Number(form.slice(1)) % 1440}`);
      // The parts of a date are no time, and no number but the day and the year; 14 days are not 14 pieces.
      if (kind === 'date' || unit) rest = blankOut(rest, start, excerpt.length);
    }
    // Digits are also times and parts: "8-16 h", "7.30", "Raum 1.14", "P-2026-014".
    for (const [digits] of rest.matchAll(/\d+(?:[.,:/-]\d+)*/gu)) this.#addDigits(digits);
  }

  has({ kind, form, value, unit = '' }: Place): boolean {
    if (kind === 'address') return this.#hasAddress(form.slice(1));
    if (kind === 'reference') return this.#squeezed.includes(form.slice(1));
    if (this.#hasUnit(form, unit)) return true;
    return kind === 'period' && value !== 1 && this.#forms.get(`n${value}`)?.has('') === true;
  }

  #hasUnit(form: string, unit: string): boolean {
    const units = this.#forms.get(form);
    return units !== undefined && [...units].some((each) => isAlike(each, unit) || unit === '');
  }

  /** The whole address, or the domain of an email address. */
  #hasAddress(address: string): boolean {
    if (this.#forms.has(addressForm(address))) return true;
    for (let at = this.#data.indexOf(address); at !== -1; at = this.#data.indexOf(address, at + 1)) {
      const before = this.#data.slice(0, at).replace(/www\.$/u, '');
      const after = this.#data.slice(at + address.length);
      if (!/[\p{L}\d._+-]$/u.test(before) && !/^(?:[\p{L}\d_/@-]|\.[\p{L}\d])/u.test(after)) return true;
    }
    return false;
  }

  /** @returns the days that the form means */
  #addDay(form: string): Day[] {
    const [date, month] = form.slice(1).split('.');
    this.#add(`d${date}.${month}`);
    const days = daysOf(form, this.#today);
    for (const day of days) this.#add(`d${date}.${month}.${dateOf(day).year}`);
    return days;
  }

  #addDate(form: string): void {
    const [date, month] = form.slice(1).split('.');
    for (const day of this.#addDay(form)) {
      this.#add(`n${dateOf(day).year}`);
      // Today is in all data, and excuses no other number.
      if (day === this.#today) continue;
      this.#add(`m${month}`);
      this.#add(`n${date}`, 'day');
      this.#add(`n${Number(`${date}.${month}`)}`, 'day');
    }
  }

  #addDigits(digits: string): void {
    const value = valueOf(digits);
    // People omit the last dot of "15.12" and "01.12-03.12", and "Raum 2.11" at the end of a sentence looks like a date.
    for (const [, date, month] of digits.matchAll(/(?<![\d.])0?(\d{1,2})\.0?(\d{1,2})(?![\d.])/g))
      this.#addDay(`d${date}.${month}`);
    this.#add(`n${value ?? digits}`);
    // A part of an amount is none: 14.300 EUR are not 14 days.
    for (const part of value === null ? digits.split(/[.,:/-]/) : []) {
      this.#add(`n${Number(part)}`);
      this.#add(`n${part}`);
    }
    if (!/^[\d.:]+(?:-[\d.:]+)?$/.test(digits)) return;
    for (const [, hour, minutes = '0'] of digits.matchAll(/(?<!\d)(\d{1,2})(?:[.:](\d\d))?(?!\d)/g))
      if (Number(hour) <= 24) this.#add(`t${(Number(hour) * 60 + Number(minutes)) % 1440}`);
  }

  #add(form: string, unit = ''): void {
    const units = this.#forms.get(form);
    if (units === undefined) this.#forms.set(form, new Set([unit]));
    else units.add(unit);
  }
}

const blankOut = (text: string, start: number, length: number): string =>
  text.slice(0, start) + ' '.repeat(length) + text.slice(start + length);
