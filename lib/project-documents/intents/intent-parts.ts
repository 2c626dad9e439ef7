import type { TableClient } from '@azure/data-tables';
import type { EventLog } from '../../base/event-log.ts';
import type { User } from '../../callers/caller.ts';
import type { IdempotencyKeys } from '../../storage/idempotency-keys.ts';
import type { SharedClock } from '../../storage/storage-clock.ts';
import type { Library } from '../../document-library/library.ts';
import type { DocumentRecords } from '../document-records/document-records.ts';
import type { FolderMemory } from '../folders/folder-memory.ts';
import type { Places } from '../folders/places.ts';
import type { Provisioning } from '../folders/provisioning.ts';
import type { LibraryHabits } from './library-habits.ts';
import type { UploadIntents } from './upload-intents.ts';

/** What one call works with. */
export interface IntentParts {
  readonly user: User;
  readonly log: EventLog;
  /** As the user sees it. */
  readonly library: Library;
  readonly records: DocumentRecords;
  readonly provisioning: Provisioning;
  readonly memory: FolderMemory;
  /** As the user sees them. */
  readonly places: Places;
  readonly intents: UploadIntents;
  /** Of the process. */
  readonly habits: LibraryHabits;
  /** Of the intents. */
  readonly table: TableClient;
  readonly keys: IdempotencyKeys;
  /** Other instances compare its times with theirs: for these, see `certainNowBy`. */
  readonly clock: SharedClock;
}
