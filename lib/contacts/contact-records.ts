import type { TableClient } from '@azure/data-tables';
import { systemClock, type Clock } from '../contract/clock.ts';
import { ServiceError } from '../base/service-error.ts';
import { SearchableRecords, type Found, type Page, type PageQuery } from '../storage/searchable-records.ts';
import type { Contact, NewContact } from './contact.ts';

/** The contacts as the system of record has written them. */
export class ContactRecords {
  readonly #records: SearchableRecords;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock = systemClock) {
    this.#records = new SearchableRecords(table, {
      name: 'contact',
      sortText: ({ lastName, company, firstName }) => [lastName ?? company, firstName].join(' '),
      searchText: ({ lastName, firstName, company, city, email }) =>
        [lastName, firstName, company, city, email].join(' '),
    });
    this.#clock = clock;
  }

  async find(id: string): Promise<Contact | null> {
    const found = await this.#records.find(id);
    return found && contactOf(found);
  }

  /** @throws ServiceError `contact_not_found` */
  async get(id: string): Promise<Contact> {
    const found = await this.find(id);
    if (found) return found;
    throw new ServiceError('contact_not_found', { detail: `There is no contact with the id ${id}.` });
  }

  /**
   * In the order of last names, with the company if there is none; the result of a search in the order of the
   * matching word of names, company, city or email.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list(query: PageQuery): Promise<Page<Contact>> {
    const { items, nextCursor } = await this.#records.list(query);
    return { items: items.map(contactOf), nextCursor };
  }

  async put(id: string, contact: NewContact): Promise<{ contact: Contact; isNew: boolean }> {
    const given = Object.entries(contact).filter((entry): entry is [string, string] => entry[1] !== null);
    const columns = { ...Object.fromEntries(given), updatedAt: new Date(this.#clock.now()).toISOString() };
    const { isNew } = await this.#records.put(id, columns);
    return { contact: contactOf({ ...columns, id }), isNew };
  }

  async delete(id: string): Promise<void> {
    await this.#records.delete(id);
  }

  /** Moves records of earlier releases to where lists find them. @returns how many */
  async moveOldRows(): Promise<number> {
    return this.#records.moveOldRows();
  }
}

const contactOf = (found: Found): Contact => ({
  id: found.id,
  company: found['company'] ?? null,
  title: found['title'] ?? null,
  firstName: found['firstName'] ?? null,
  lastName: found['lastName'] ?? null,
  street: found['street'] ?? null,
  houseNumber: found['houseNumber'] ?? null,
  zip: found['zip'] ?? null,
  city: found['city'] ?? null,
  email: found['email'] ?? null,
  updatedAt: found['updatedAt'] ?? '',
});
