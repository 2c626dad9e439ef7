import type { DriveItem } from '../../document-library/drive-item.ts';
import { LibraryError } from '../../document-library/library-error.ts';
import type { IntentParts } from './intent-parts.ts';

/**
 * Makes a file that was just stored visible to others. A library with required check-out, or with a required column, keeps it
 * checked out to its uploader, and hides it from everybody else until it is checked in (drive rule A16). Costs one request
 * in ten minutes for a library that does neither, two for each upload for one that does.
 *
 * Never throws: the file is stored.
 *
 * @returns whether it stays checked out
 */
export async function checkIn(
  { library, habits, clock, log }: IntentParts,
  item: DriveItem,
): Promise<boolean> {
  try {
    if (item.publication === undefined && habits.keepsCheckedIn(clock.now())) return false;
    const level = item.publication?.level ?? (await library.publicationLevelOf(item.id));
    habits.sawLevel(level, clock.now());
    if (level !== 'checkout') return false;
  } catch (error) {
    // Nobody knows: others have read access to files of most libraries as soon as they are stored.
    log.warn('check_in_unknown', { reason: error instanceof LibraryError ? error.reason : 'unknown' });
    return false;
  }
  try {
    await library.checkIn(item.id);
    return false;
  } catch (error) {
    log.warn('file_stays_checked_out', { reason: error instanceof LibraryError ? error.reason : 'unknown' });
    return true;
  }
}
