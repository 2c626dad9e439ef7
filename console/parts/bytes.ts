import type { Language } from '../texts/language.ts';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `1.5 MB`, in powers of 1,000 like the library's own pages. */
export function bytes(size: number, language: Language): string {
  let value = size;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[unit]!,
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(value);
}
