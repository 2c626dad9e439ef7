import type { TableClient } from '@azure/data-tables';
import { contactKind, type NewContact, newContact } from '../../lib/contacts/contact.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { RecordSyncs, type SyncOptions } from '../../lib/master-data/record-syncs.ts';
import { SearchableRecords } from '../../lib/master-data/searchable-records.ts';

/** Contacts in a table, with synchronizations in small steps. */
export function contactsAt(table: TableClient, options: Partial<SyncOptions> = {}) {
  const records = new SearchableRecords<NewContact>(table, contactKind);
  const syncs = new RecordSyncs<NewContact>(table, records, {
    maxMissingPercent: 40,
    removalsPerStep: 5,
    clock: systemClock,
    ...options,
  });
  return { records, syncs };
}

export const contactOf = (lastName: string, more: object = {}): NewContact =>
  newContact.parse({ lastName, city: 'Kiel', email: `${lastName}@example.com`, ...more });
