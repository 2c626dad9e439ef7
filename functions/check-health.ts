import * as z from 'zod';
import { operation, type Operation } from '../lib/http/operation.ts';
import { ServiceError } from '../lib/base/service-error.ts';
import { firstRows, odata } from '../lib/storage/table-rows.ts';
import type { Services } from '../lib/services.ts';

const health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    agentsTooOld: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Number of active agents that should be upgraded; absent when there are none.' }),
    aiModelEnds: z.object({ model: z.string(), endsAt: z.iso.date(), daysLeft: z.int() }).optional().meta({
      description:
        'The AI model (AI_MODEL) and the day on which its provider switches it off, from 60 days before; daysLeft is negative afterwards.',
    }),
  })
  .meta({ id: 'Health' });

const maxDifferenceMs = 60_000;

export const checkHealth = (services: Services, version: string): Operation =>
  operation({
    id: 'check-health',
    method: 'GET',
    route: 'v1/health',
    tag: 'operations',
    summary: 'Check whether the service can work',
    description: 'The settings were valid at start, and the tables respond.',
    access: { kind: 'anonymous' },
    responses: { 200: { description: 'The service can work', schema: health } },
    problems: ['clock_differs'],
    async handle({ log }) {
      const differenceMs = Math.abs(services.clock.differenceMs);
      if (differenceMs > maxDifferenceMs) {
        const seconds = Math.round(differenceMs / 1000);
        const detail = `The check clock fails: it differs from the storage's by ${seconds} s; expected at most 60.`;
        throw new ServiceError('clock_differs', { detail });
      }
      const modelEnd = services.modelEnd();
      // In the background: a later call shows what it finds.
      void modelEnd?.refresh(log);
      const [agentsTooOld] = await Promise.all([
        // A table of agents that does not respond is reported below, by its name.
        services.agents.tooOld().catch(() => 0),
        ...services.tables.map(async (table) => {
          try {
            // A query with an empty result: it shows whether the table responds.
            await firstRows(table, odata`PartitionKey eq ${''}`, 1);
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
        jsonBody: {
          status: 'ok',
          version,
          ...(agentsTooOld > 0 && { agentsTooOld }),
          ...(modelEnd?.near && { aiModelEnds: modelEnd.near }),
        },
      };
    },
  });
