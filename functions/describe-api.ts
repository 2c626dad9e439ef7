import { z } from 'zod';
import { openApiDocument } from '../lib/http/openapi.ts';
import { operation, type Operation } from '../lib/http/operation.ts';

const openApi = z
  .looseObject({
    openapi: z.literal('3.0.3'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.looseObject({}),
  })
  .meta({ id: 'OpenApi' });

/** Describes the other operations and itself. */
export function describeApi(others: readonly Operation[], version: string): Operation {
  let document: string | undefined;
  const self: Operation = operation({
    id: 'describe-api',
    method: 'GET',
    route: 'v1/openapi.json',
    tag: 'operations',
    summary: 'This document',
    description: 'OpenAPI 3.0.3, generated from the schemas that validate the requests.',
    access: { kind: 'anonymous' },
    responses: { 200: { description: 'The OpenAPI document', schema: openApi } },
    async handle() {
      document ??= JSON.stringify(openApiDocument([...others, self], version));
      return { status: 200, headers: { 'content-type': 'application/json' }, body: document };
    },
  });
  return self;
}
