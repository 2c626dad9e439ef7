import type { LetterMoment } from '../../lib/activities/letter/filling/letter-moment.ts';

/** Half past midnight on Monday in Berlin, still Sunday in UTC. */
export const letterMoment: LetterMoment = {
  atMs: Date.parse('2026-11-22T23:30:05Z'),
  timeZone: 'Europe/Berlin',
  language: 'de',
};
