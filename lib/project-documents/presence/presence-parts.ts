import type { Provisioning } from '../folders/provisioning.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import type { SetAsideRecords } from '../records/set-aside-records.ts';

/** What one call works with in this room. */
export interface PresenceParts extends IntentParts {
  readonly provisioning: Provisioning;
  readonly setAside: SetAsideRecords;
}
