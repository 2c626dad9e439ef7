import type { Clock } from '../../contract/clock.ts';
import type { Library } from '../../document-library/library.ts';
import type { DocumentRecords } from '../records/document-records.ts';
import type { UploadIntents } from './upload-intents.ts';
import type { UploadKeys } from './upload-keys.ts';

/** What the classes of this room work with. */
export interface IntentParts {
  readonly library: Library;
  readonly records: DocumentRecords;
  readonly intents: UploadIntents;
  readonly keys: UploadKeys;
  /** The storage's: other instances compare its times with theirs. */
  readonly clock: Clock;
}
