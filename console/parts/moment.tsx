import { useLanguage } from '../texts/use-texts.ts';
import { exactTime, momentText } from './moments.ts';
import { useNow } from '../base/use-now.ts';

/** A time as people say it, with the exact time as its title. */
export function Moment({ at }: { at: string }) {
  const language = useLanguage();
  const now = useNow();
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exactTime(moment, language)}>
      {momentText(moment, now, language)}
    </time>
  );
}
