import { z } from 'zod';
import { folderRequestList, folderRequestStatuses } from '../lib/contract/folder-requests.ts';
import { defaultPageLimit, pageCursor, pageLimit } from '../lib/http/paging.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const listFolderRequests = ({ folderRequests }: Services): Operation =>
  operation({
    id: 'list-folder-requests',
    method: 'GET',
    route: 'v1/folder-requests',
    tag: 'folder requests',
    summary: 'List folder requests',
    description: 'Newest first. While nextCursor is not null, there may be another page.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    query: z.strictObject({
      status: z.enum(folderRequestStatuses).optional(),
      agentId: z.string().min(1).max(200).optional(),
      limit: pageLimit,
      cursor: pageCursor(200),
    }),
    responses: {
      200: { description: 'One page', schema: folderRequestList },
    },
    problems: [],
    async handle({ query }) {
      return {
        status: 200,
        jsonBody: await folderRequests.list({ ...query, limit: query.limit ?? defaultPageLimit }),
      };
    },
  });
