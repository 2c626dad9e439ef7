import type { EventLog } from './event-log.ts';

/**
 * Does what a later call does again if it fails now. The present call continues; the failure is only logged.
 *
 * @returns undefined if it failed
 */
export async function orLater<T>(
  log: EventLog,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    log.warn('left_for_later', { what, reason: error instanceof Error ? error.name : 'unknown' });
    return undefined;
  }
}
