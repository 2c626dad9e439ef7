import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText } from '../lib/http/paging.ts';
import { foundDocumentPage } from '../lib/project-documents/records/document.ts';
import type { Services } from '../lib/services.ts';

export const searchDocuments = ({ documentRecords, projects }: Services): Operation =>
  operation({
    id: 'search-documents',
    method: 'GET',
    route: 'v1/documents',
    tag: 'documents',
    summary: 'Search the documents of all projects',
    description:
      "By file name, from the service's own records, in the order of the matching word: each given word has to begin a word of the name; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.",
    access: { kind: 'user', anyOf: roles },
    query: z.strictObject({
      search: searchText.unwrap().meta(searchText.meta() ?? {}),
      limit: pageLimit,
      cursor: pageCursor(600),
    }),
    responses: { 200: { description: 'One page', schema: foundDocumentPage } },
    problems: [],
    async handle({ query: { limit = defaultPageLimit, ...asked } }) {
      const { items, nextCursor } = await documentRecords.search({ ...asked, limit });
      const ids = [...new Set(items.map(({ projectId }) => projectId))];
      const found = await Promise.all(ids.map(async (id) => [id, await projects.find(id)] as const));
      const byId = new Map(found);
      const withProject = items.map((document) => {
        const project = byId.get(document.projectId);
        return { ...document, projectNumber: project?.number ?? null, projectName: project?.name ?? null };
      });
      return { status: 200, jsonBody: { items: withProject, nextCursor } };
    },
  });
