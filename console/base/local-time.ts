const padNumber = (value: number): string => String(value).padStart(2, '0');

/** The value of a field for date and time (`2026-11-26T14:00`, in local time); empty for undefined. */
export function inputOf(at: string | undefined): string {
  if (at === undefined) return '';
  const time = new Date(at);
  const day = [time.getFullYear(), padNumber(time.getMonth() + 1), padNumber(time.getDate())].join('-');
  return `${day}T${padNumber(time.getHours())}:${padNumber(time.getMinutes())}`;
}

/** A field has year 2 while somebody types 2026. */
const firstYear = 2000;
const lastYear = 9999;

/** The time of such a value, in UTC as the service takes it and addresses contain it; undefined unless it is complete. */
export function timeOf(text: string | null): string | undefined {
  const time = new Date(text ?? '');
  const year = time.getFullYear();
  // Not a number for an invalid text.
  const isTime = year >= firstYear && year <= lastYear;
  return isTime ? time.toISOString().replace('.000Z', 'Z') : undefined;
}
