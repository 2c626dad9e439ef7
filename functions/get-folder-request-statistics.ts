import { z } from 'zod';
import { folderRequestStatistics } from '../lib/contract/folder-requests.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const getFolderRequestStatistics = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'get-folder-request-statistics',
    method: 'GET',
    route: 'v1/folder-requests/statistics',
    tag: 'folder requests',
    summary: 'Count folder requests',
    description:
      'Counts of the requests in the queue, and of those that became FULFILLED or FAILED in each hour.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    query: z.strictObject({
      hours: z
        .string()
        .regex(/^([1-9]\d?|1[0-5]\d|16[0-8])$/, 'expected a whole number from 1 to 168')
        .transform(Number)
        .optional()
        .meta({ type: 'integer', minimum: 1, maximum: 168, default: 24, pattern: undefined }),
    }),
    responses: { 200: { description: 'The counts', schema: folderRequestStatistics } },
    problems: [],
    async handle({ query }) {
      const isServed = await agents.isServed();
      return { status: 200, jsonBody: await folderRequests.statistics(query.hours ?? 24, isServed) };
    },
  });
