import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { projectPage } from '../lib/projects/project.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, searchText } from '../lib/http/paging.ts';
import type { Services } from '../lib/services.ts';

export const listProjects = ({ projects }: Services): Operation =>
  operation({
    id: 'list-projects',
    method: 'GET',
    route: 'v1/projects',
    tag: 'projects',
    summary: 'List and search projects',
    description:
      'In the order of numbers. A search finds the projects in whose number and name each given word is the beginning of a word; case and accents are ignored. While nextCursor is not null, there is another page, even after one with few items.',
    access: { kind: 'user', anyOf: roles },
    query: z.strictObject({ search: searchText, limit: pageLimit, cursor: pageCursor(600) }),
    responses: { 200: { description: 'One page', schema: projectPage } },
    problems: [],
    async handle({ query }) {
      const page = await projects.list({ ...query, limit: query.limit ?? defaultPageLimit });
      return { status: 200, jsonBody: page };
    },
  });
