import { z } from 'zod';
import { permissions } from '../lib/callers/roles.ts';
import { contact, contactPage, contactParams, newContact } from '../lib/contacts/contact.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText } from '../lib/http/paging.ts';
import { newProject, project, projectPage, projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';
import type { Fields, SearchableRecords } from '../lib/storage/searchable-records.ts';

interface Resource<F extends Fields, P> {
  readonly name: 'project' | 'contact';
  readonly records: SearchableRecords<F>;
  readonly params: z.ZodType<P>;
  readonly idOf: (params: P) => string;
  readonly body: z.ZodType<F>;
  readonly saved: z.ZodType;
  readonly page: z.ZodType;
  /** The order of the list, and what a search finds. */
  readonly listDescription: string;
  readonly deleteDescription: string;
}

export const projectOperations = ({ projects }: Services): readonly Operation[] =>
  recordOperations({
    name: 'project',
    records: projects,
    params: projectParams,
    idOf: ({ projectId }) => projectId,
    body: newProject,
    saved: project,
    page: projectPage,
    listDescription:
      'In the order of numbers. A search finds the projects in whose number and name each given word is the beginning of a word',
    deleteDescription:
      'Succeeds also when there is no such project. Folders, files, and document records of the project are kept.',
  });

export const contactOperations = ({ contacts }: Services): readonly Operation[] =>
  recordOperations({
    name: 'contact',
    records: contacts,
    params: contactParams,
    idOf: ({ contactId }) => contactId,
    body: newContact,
    saved: contact,
    page: contactPage,
    listDescription:
      'In the order of last names, with the company if there is none. A search finds the contacts in whose names, company, city and email each given word is the beginning of a word',
    deleteDescription: 'Succeeds also when there is no such contact.',
  });

/** What the system of record writes and the users read. */
function recordOperations<F extends Fields, P>(resource: Resource<F, P>): readonly Operation[] {
  const { name, records, params, idOf, body, saved, page } = resource;
  const tag = `${name}s`;
  const record = { tag, route: `v1/${name}s/{${name}Id}`, params };
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
      query: z.strictObject({ search: searchText, limit: pageLimit, cursor: pageCursor(600) }),
      responses: { 200: { description: 'One page', schema: page } },
      problems: [],
      async handle({ query }) {
        const jsonBody = await records.list({ ...query, limit: query.limit ?? defaultPageLimit });
        return { status: 200, jsonBody };
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
        const { saved, isNew } = await records.put(idOf(params), body);
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
        return { status: 200, jsonBody: await records.get(idOf(params)) };
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
        await records.delete(idOf(params));
        return { status: 204 };
      },
    }),
  ];
}
