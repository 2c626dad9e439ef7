import type { TableClient } from '@azure/data-tables';
import { ServiceError } from '../http/problems.ts';
import { orNullIfMissing, refusedWith } from '../storage/refusals.ts';
import type { NewProject, Project } from './project.ts';

interface Row {
  readonly number: string;
  readonly name: string;
  readonly updatedAt: string;
}

// A partition per project: point reads only, nothing ever lists projects.
const rowKey = 'project';

/** The projects as the system of record has written them (contract.md, "Projects and contacts"). */
export class ProjectRecords {
  readonly #table: TableClient;
  readonly #now: () => Date;

  constructor(table: TableClient, now: () => Date = () => new Date()) {
    this.#table = table;
    this.#now = now;
  }

  async find(id: string): Promise<Project | null> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(id, rowKey));
    return row && projectOf(id, row);
  }

  /** @throws ServiceError `project_not_found` */
  async get(id: string): Promise<Project> {
    const found = await this.find(id);
    if (!found) {
      throw new ServiceError('project_not_found', { detail: `There is no project with the id ${id}.` });
    }
    return found;
  }

  async put(id: string, { number, name }: NewProject): Promise<{ project: Project; isNew: boolean }> {
    const row: Row = { number, name, updatedAt: this.#now().toISOString() };
    const entity = { partitionKey: id, rowKey, ...row };
    let isNew = true;
    try {
      await this.#table.createEntity(entity);
    } catch (error) {
      if (refusedWith(error) !== 409) throw error;
      isNew = false;
      // Upsert, not update: the row may have been deleted since.
      await this.#table.upsertEntity(entity, 'Replace');
    }
    return { project: projectOf(id, row), isNew };
  }

  /** Deleting what is not there is fine: the write is idempotent. */
  async delete(id: string): Promise<void> {
    await orNullIfMissing(this.#table.deleteEntity(id, rowKey));
  }
}

const projectOf = (id: string, { number, name, updatedAt }: Row): Project => ({
  id,
  number,
  name,
  updatedAt,
});
