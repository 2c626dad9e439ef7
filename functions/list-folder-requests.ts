import { z } from 'zod';
import { ServiceError } from '../lib/base/service-error.ts';
import { folderRequestList, folderRequestStatuses } from '../lib/contract/folder-requests.ts';
import { projectId } from '../lib/contract/project-id.ts';
import { marked } from '../lib/folder-requests/routing.ts';
import { defaultPageLimit, pageCursor, pageLimit } from '../lib/http/paging.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const listFolderRequests = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'list-folder-requests',
    method: 'GET',
    route: 'v1/folder-requests',
    tag: 'folder requests',
    summary: 'List folder requests',
    description:
      'Newest first. While nextCursor is not null, there may be another page, even after a short or empty one. Callers other than administrators list their own requests or those of a project.',
    access: { kind: 'user', anyOf: ['BackOffice', 'Management', 'Administrator'] },
    query: z.strictObject({
      status: z.enum(folderRequestStatuses).optional(),
      agentId: z.string().min(1).max(200).optional(),
      requestedBy: z.literal('me').optional().meta({ description: "The caller's own requests." }),
      projectId: projectId.optional(),
      limit: pageLimit,
      cursor: pageCursor(200),
    }),
    responses: {
      200: { description: 'One page', schema: folderRequestList },
    },
    problems: [],
    async handle({ caller, query }) {
      const { requestedBy, limit = defaultPageLimit, ...filter } = query;
      const mayAny = caller.permissions.has('Administrator');
      if (!mayAny && requestedBy === undefined && filter.projectId === undefined) {
        throw new ServiceError('forbidden', {
          detail:
            'The list of all folder requests requires the app role Administrator; others use requestedBy=me or projectId.',
        });
      }
      const page = await folderRequests.list({
        ...filter,
        limit,
        requestedBy: requestedBy && caller.oid,
      });
      const isServed = await agents.isServed();
      return {
        status: 200,
        jsonBody: { ...page, items: page.items.map((entry) => marked(entry, isServed)) },
      };
    },
  });
