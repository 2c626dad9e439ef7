import * as z from 'zod';
import { permissions } from '../lib/callers/roles.ts';
import { contact, contactId, contactItem, newContact } from '../lib/contacts/contact.ts';
import { line } from '../lib/base/line.ts';
import { because } from '../lib/contract/faults.ts';
import { projectId } from '../lib/contract/project-id.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText } from '../lib/http/paging.ts';
import { newProject, project, projectItem } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';
import { batchOperations, type BatchedRecords } from './record-batches.ts';
import type { Fields } from '../lib/master-data/searchable-records.ts';

interface Resource<F extends Fields> extends BatchedRecords<F> {
  readonly body: z.ZodType<F>;
  readonly saved: z.ZodType;
  readonly listQuery: z.ZodType<ListQuery>;
  /** The order of the list, and what a search finds. */
  readonly listDescription: string;
  readonly deleteDescription: string;
}

export const projectOperations = ({ projects, projectSyncs }: Services): readonly Operation[] =>
  recordOperations({
    records: projects,
    syncs: projectSyncs,
    id: projectId,
    body: newProject,
    item: projectItem,
    saved: project,
    listQuery: projectQuery,
    listDescription:
      'In the order of numbers, or with sort=-number the highest first. A search finds the projects in whose number and name each given word is the beginning of a word',
    deleteDescription:
      'Succeeds also when there is no such project. Folders, files, and document records of the project are kept.',
  });

export const contactOperations = ({ contacts, contactSyncs }: Services): readonly Operation[] =>
  recordOperations({
    records: contacts,
    syncs: contactSyncs,
    id: contactId,
    body: newContact,
    item: contactItem,
    saved: contact,
    listQuery: contactQuery,
    listDescription:
      'In the order of last names, with the company if there is none. A search finds the contacts in whose names, company, city and email each given word is the beginning of a word',
    deleteDescription: 'Succeeds also when there is no such contact.',
  });

const externalId = line(200)
  .optional()
  .meta({ description: 'The records with this external id, instead of the list.' });

const isArchived = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional()
  .meta({ type: 'boolean', enum: undefined, description: 'The archived ones, instead of the others.' });

const sort = z
  .enum(['number', '-number'])
  .optional()
  .meta({ description: 'The order of the list: number, or -number for the highest first. Not with search.' });

interface ListQuery {
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly externalId?: string | undefined;
  /** Of projects. */
  readonly isArchived?: boolean | undefined;
  /** Of projects. */
  readonly sort?: 'number' | '-number' | undefined;
}

const ofEach = { search: searchText, limit: pageLimit, cursor: pageCursor(900), externalId };
const isAloneOrAbsent = ({ externalId: id, search, isArchived: archived, sort: order }: ListQuery): boolean =>
  id === undefined || (search === undefined && archived === undefined && order === undefined);
const notAlone = { path: ['externalId'], message: because('external_id_alone') };
const contactQuery = z.strictObject(ofEach).refine(isAloneOrAbsent, notAlone);
const projectQuery = z
  .strictObject({ ...ofEach, isArchived, sort })
  .refine(isAloneOrAbsent, notAlone)
  .refine((query) => query.sort === undefined || query.search === undefined, {
    path: ['sort'],
    message: because('sort_of_list'),
  });

/** What the system of record writes and the users read. */
function recordOperations<F extends Fields>(resource: Resource<F>): readonly Operation[] {
  const { records, body, saved } = resource;
  const { name } = records.kind;
  const tag = `${name}s`;
  const idName = `${name}Id` as const;
  const record = {
    tag,
    route: `v1/${name}s/{${idName}}`,
    params: z.strictObject({ [idName]: resource.id }),
  };
  const page = z
    .object({ items: z.array(saved), nextCursor: z.string().nullable() })
    .meta({ id: `${saved.meta()!.id}Page` });
  // Also who writes to contacts about projects without another role.
  const readers = { kind: 'user', anyOf: permissions, orApplication: 'Records.Sync' } as const;
  const writers = { ...readers, anyOf: ['Administrator'] } as const;
  return [
    operation({
      id: `list-${name}s`,
      method: 'GET',
      route: `v1/${name}s`,
      tag,
      summary: `List and search ${name}s`,
      description: `${resource.listDescription}; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.`,
      access: readers,
      query: resource.listQuery,
      responses: { 200: { description: 'One page', schema: page } },
      problems: [],
      async handle({ query: { sort: order, limit = defaultPageLimit, ...query } }) {
        if (order !== '-number') return { status: 200, jsonBody: await records.list({ ...query, limit }) };
        const { items, nextCursor } = await records.listBackwards({ ...query, limit });
        return { status: 200, jsonBody: { items: items.map(({ record }) => record), nextCursor } };
      },
    }),
    operation({
      ...record,
      id: `put-${name}`,
      method: 'PUT',
      summary: `Create or replace a ${name}`,
      description: 'Written by the system of record. Repeating the call changes only updatedAt.',
      access: writers,
      body,
      responses: {
        200: { description: 'Replaced', schema: saved },
        201: { description: 'Created', schema: saved },
      },
      async handle({ params, body }) {
        const { saved, isNew } = await records.put(params[idName]!, body);
        return { status: isNew ? 201 : 200, jsonBody: saved };
      },
    }),
    operation({
      ...record,
      id: `get-${name}`,
      method: 'GET',
      summary: `Read a ${name}`,
      description: 'As the system of record last wrote it.',
      access: readers,
      responses: { 200: { description: `The ${name}`, schema: saved } },
      problems: [`${name}_not_found`],
      async handle({ params }) {
        return { status: 200, jsonBody: await records.get(params[idName]!) };
      },
    }),
    operation({
      ...record,
      id: `delete-${name}`,
      method: 'DELETE',
      summary: `Delete a ${name}`,
      description: resource.deleteDescription,
      access: writers,
      responses: { 204: { description: `The ${name} no longer exists` } },
      async handle({ params }) {
        await records.delete(params[idName]!);
        return { status: 204 };
      },
    }),
    ...batchOperations(resource, writers),
  ];
}
