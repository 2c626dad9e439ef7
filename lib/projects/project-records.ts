import type { TableClient } from '@azure/data-tables';
import { systemClock, type Clock } from '../contract/clock.ts';
import { ServiceError } from '../base/service-error.ts';
import { SearchableRecords, type Found, type Page, type PageQuery } from '../storage/searchable-records.ts';
import type { NewProject, Project } from './project.ts';

/** The projects as the system of record has written them. */
export class ProjectRecords {
  readonly #records: SearchableRecords;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock = systemClock) {
    this.#records = new SearchableRecords(table, {
      name: 'project',
      sortText: ({ number = '' }) => number,
      searchText: ({ number, name }) => `${number} ${name}`,
    });
    this.#clock = clock;
  }

  async find(id: string): Promise<Project | null> {
    const found = await this.#records.find(id);
    return found && projectOf(found);
  }

  /** @throws ServiceError `project_not_found` */
  async get(id: string): Promise<Project> {
    const found = await this.find(id);
    if (found) return found;
    throw new ServiceError('project_not_found', { detail: `There is no project with the id ${id}.` });
  }

  /**
   * In the order of numbers; the result of a search in the order of the matching word of number or name.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list(query: PageQuery): Promise<Page<Project>> {
    const { items, nextCursor } = await this.#records.list(query);
    return { items: items.map(projectOf), nextCursor };
  }

  async put(id: string, { number, name }: NewProject): Promise<{ project: Project; isNew: boolean }> {
    const columns = { number, name, updatedAt: new Date(this.#clock.now()).toISOString() };
    const { isNew } = await this.#records.put(id, columns);
    return { project: { id, ...columns }, isNew };
  }

  async delete(id: string): Promise<void> {
    await this.#records.delete(id);
  }

  /** Moves records of earlier releases to where lists find them. @returns how many */
  async moveOldRows(): Promise<number> {
    return this.#records.moveOldRows();
  }
}

const projectOf = ({ id, number = '', name = '', updatedAt = '' }: Found): Project => ({
  id,
  number,
  name,
  updatedAt,
});
