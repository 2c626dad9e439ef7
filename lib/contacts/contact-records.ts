import type { TableClient } from '@azure/data-tables';
import { systemClock, type Clock } from '../contract/clock.ts';
import { ServiceError } from '../base/service-error.ts';
import { PointRecords } from '../storage/point-records.ts';
import type { Contact, NewContact } from './contact.ts';

type Row = { readonly [Name in keyof NewContact]?: string } & { readonly updatedAt: string };

/** The contacts as the system of record has written them. */
export class ContactRecords {
  readonly #records: PointRecords<Row>;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock = systemClock) {
    this.#records = new PointRecords(table, 'contact');
    this.#clock = clock;
  }

  async find(id: string): Promise<Contact | null> {
    const row = await this.#records.find(id);
    return row && contactOf(id, row);
  }

  /** @throws ServiceError `contact_not_found` */
  async get(id: string): Promise<Contact> {
    const found = await this.find(id);
    if (found) return found;
    throw new ServiceError('contact_not_found', { detail: `There is no contact with the id ${id}.` });
  }

  async put(id: string, contact: NewContact): Promise<{ contact: Contact; isNew: boolean }> {
    const given = Object.entries(contact).filter((entry): entry is [string, string] => entry[1] !== null);
    const row = { ...Object.fromEntries(given), updatedAt: new Date(this.#clock.now()).toISOString() };
    const { isNew } = await this.#records.put(id, row);
    return { contact: contactOf(id, row), isNew };
  }

  async delete(id: string): Promise<void> {
    await this.#records.delete(id);
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
