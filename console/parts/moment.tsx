import { useLanguage } from '../texts/use-texts.ts';
import { exactTime, relativeTime } from './moments.ts';
import { useNow } from './use-now.ts';

/** A time relative to now, with the exact time as its title. */
export function Moment({ at }: { at: string }) {
  const language = useLanguage();
  const now = useNow();
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exactTime(moment, language)}>
      {relativeTime(moment, now, language)}
    </time>
  );
}
