import { z } from 'zod';
import { operation, type Operation } from '../lib/http/operation.ts';
import { ServiceError } from '../lib/base/service-error.ts';
import type { Services } from '../lib/services.ts';

const health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    agentsTooOld: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'So many of the agents at work should be upgraded; absent where none should.' }),
  })
  .meta({ id: 'Health' });

export const checkHealth = (services: Services, version: string): Operation =>
  operation({
    id: 'check-health',
    method: 'GET',
    route: 'v1/health',
    tag: 'operations',
    summary: 'Is the service able to work?',
    description: 'Settings were valid at start, and the tables answer now.',
    access: { kind: 'anonymous' },
    responses: { 200: { description: 'Able to work', schema: health } },
    async handle() {
      const [agentsTooOld] = await Promise.all([
        // That the table of the agents does not answer is told below, by its name.
        services.agents.tooOld().catch(() => 0),
        ...services.tables.map(async (table) => {
          try {
            // One row of an empty answer: whether the table answers, not what it holds.
            await table
              .listEntities({ queryOptions: { filter: "PartitionKey eq ''" } })
              .byPage({ maxPageSize: 1 })
              .next();
          } catch (cause) {
            throw new ServiceError('storage_unavailable', {
              detail: `The check table:${table.tableName} fails.`,
              cause,
            });
          }
        }),
      ]);
      return {
        status: 200,
        jsonBody: { status: 'ok', version, ...(agentsTooOld > 0 && { agentsTooOld }) },
      };
    },
  });
