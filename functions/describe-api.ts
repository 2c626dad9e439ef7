import * as z from 'zod';
import { operation, type Operation } from '../lib/http/operation.ts';

const openApi = z
  .looseObject({
    openapi: z.literal('3.0.3'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.looseObject({}),
  })
  .meta({ id: 'OpenApi' });

/** Returns the document that `npm run generate` makes of all operations, this one included. */
export const describeApi: Operation = operation({
  id: 'describe-api',
  method: 'GET',
  route: 'v1/openapi.json',
  tag: 'operations',
  summary: 'This document',
  description: 'OpenAPI 3.0.3, generated from the schemas that validate the requests.',
  access: { kind: 'anonymous' },
  responses: { 200: { description: 'The OpenAPI document', schema: openApi } },
  async handle() {
    // Loaded by the first request: no other route needs it.
    const { default: jsonBody } = await import('../bicep/openapi.json', { with: { type: 'json' } });
    return { status: 200, jsonBody };
  },
});
