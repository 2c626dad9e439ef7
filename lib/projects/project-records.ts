import type { TableClient } from '@azure/data-tables';
import { systemClock, type Clock } from '../contract/clock.ts';
import { ServiceError } from '../base/service-error.ts';
import { PointRecords } from '../storage/point-records.ts';
import type { NewProject, Project } from './project.ts';

type Row = Omit<Project, 'id'>;

/** The projects as the system of record has written them. */
export class ProjectRecords {
  readonly #records: PointRecords<Row>;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock = systemClock) {
    this.#records = new PointRecords(table, 'project');
    this.#clock = clock;
  }

  async find(id: string): Promise<Project | null> {
    const row = await this.#records.find(id);
    return row && projectOf(id, row);
  }

  /** @throws ServiceError `project_not_found` */
  async get(id: string): Promise<Project> {
    const found = await this.find(id);
    if (found) return found;
    throw new ServiceError('project_not_found', { detail: `There is no project with the id ${id}.` });
  }

  async put(id: string, { number, name }: NewProject): Promise<{ project: Project; isNew: boolean }> {
    const row = { number, name, updatedAt: new Date(this.#clock.now()).toISOString() };
    const { isNew } = await this.#records.put(id, row);
    return { project: projectOf(id, row), isNew };
  }

  async delete(id: string): Promise<void> {
    await this.#records.delete(id);
  }
}

const projectOf = (id: string, { number, name, updatedAt }: Row): Project => ({
  id,
  number,
  name,
  updatedAt,
});
