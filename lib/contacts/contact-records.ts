import type { TableClient } from '@azure/data-tables';
import { ServiceError } from '../http/problems.ts';
import { orNullIfMissing, refusedWith } from '../storage/refusals.ts';
import type { Contact, NewContact } from './contact.ts';

// Table Storage has no null: an absent value is an absent column.
type Row = { readonly [Name in keyof NewContact]?: string } & { readonly updatedAt: string };

// A partition per contact: point reads only, nothing ever lists contacts.
const rowKey = 'contact';

/** The contacts as the system of record has written them (contract.md, "Projects and contacts"). */
export class ContactRecords {
  readonly #table: TableClient;
  readonly #now: () => Date;

  constructor(table: TableClient, now: () => Date = () => new Date()) {
    this.#table = table;
    this.#now = now;
  }

  async find(id: string): Promise<Contact | null> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(id, rowKey));
    return row && contactOf(id, row);
  }

  /** @throws ServiceError `contact_not_found` */
  async get(id: string): Promise<Contact> {
    const found = await this.find(id);
    if (!found) {
      throw new ServiceError('contact_not_found', { detail: `There is no contact with the id ${id}.` });
    }
    return found;
  }

  async put(id: string, contact: NewContact): Promise<{ contact: Contact; isNew: boolean }> {
    const updatedAt = this.#now().toISOString();
    const given = Object.entries(contact).filter(([, value]) => value !== null);
    const entity = { partitionKey: id, rowKey, ...Object.fromEntries(given), updatedAt };
    let isNew = true;
    try {
      await this.#table.createEntity(entity);
    } catch (error) {
      if (refusedWith(error) !== 409) throw error;
      isNew = false;
      // Upsert, not update: the row may have been deleted since.
      await this.#table.upsertEntity(entity, 'Replace');
    }
    return { contact: contactOf(id, entity), isNew };
  }

  /** Deleting what is not there is fine: the write is idempotent. */
  async delete(id: string): Promise<void> {
    await orNullIfMissing(this.#table.deleteEntity(id, rowKey));
  }
}

const contactOf = (id: string, row: Row): Contact => ({
  id,
  company: row.company ?? null,
  title: row.title ?? null,
  firstName: row.firstName ?? null,
  lastName: row.lastName ?? null,
  street: row.street ?? null,
  houseNumber: row.houseNumber ?? null,
  zip: row.zip ?? null,
  city: row.city ?? null,
  email: row.email ?? null,
  updatedAt: row.updatedAt,
});
