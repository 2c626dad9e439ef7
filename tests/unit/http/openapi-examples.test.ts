import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { describedOperations, openApiText } from '../../../release/generate/generated.ts';

// A reader pastes the examples of the OpenAPI document, and generators make mocks of them.

interface Media {
  readonly example?: unknown;
}
interface Described {
  readonly parameters: readonly { name: string; in: string; schema: { example?: unknown } }[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>;
}

const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, Described>> };
const all = describedOperations().map((operation) => {
  const path = operation.route.replace(/^v1/, '');
  return { ...operation, described: paths[path]![operation.method.toLowerCase()]! };
});
const faultsIn = (schema: z.ZodType | undefined, value: unknown): unknown =>
  schema?.safeParse(value).error?.issues;

describe.each(all)(
  'the examples of $id',
  ({ params, query, headers, body, streamedBody, responses, described }) => {
    const examplesIn = (at: string): [string, unknown][] =>
      described.parameters
        .filter((parameter) => parameter.in === at)
        .map(({ name, schema }) => [name, schema.example]);

    test('of the request are accepted as they stand', () => {
      expect(faultsIn(params, Object.fromEntries(examplesIn('path')))).toBeUndefined();
      for (const [name, example] of [...examplesIn('query'), ...examplesIn('header')]) {
        if (example === undefined) continue;
        const schema =
          described.parameters.find((each) => each.name === name)!.in === 'query' ? query : headers;
        const faults = schema?.safeParse({ [name]: example }).error?.issues ?? [];
        expect(faults.filter(({ path }) => path[0] === name)).toEqual([]);
      }
      for (const { example } of Object.values(described.requestBody?.content ?? {}))
        expect(faultsIn(body ?? streamedBody?.schema, example)).toBeUndefined();
    });

    test('of the responses have their shape, and their facts agree', () => {
      for (const [status, { schema, contentType }] of Object.entries(responses)) {
        const examples = Object.values(described.responses[status]?.content ?? {}).map(
          ({ example }) => example,
        );
        expect(examples).toHaveLength(schema || contentType ? 1 : 0);
        for (const example of examples) {
          expect(example).toBeDefined();
          expect(faultsIn(schema, example)).toBeUndefined();
          for (const value of objectsIn(example)) expectAgreement(value);
        }
      }
    });
  },
);

function objectsIn(value: unknown): Record<string, any>[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? within : [value as Record<string, any>, ...within];
}

/** What the types do not say. */
function expectAgreement(example: Record<string, any>): void {
  const { status, targetPath, code, message, created, unchanged, updated, faults, items } = example;
  if (targetPath !== undefined) {
    const { errorMessage, errorCode, agentId, processedAt, unserved, attempts } = example;
    const hasEnded = status === 'FULFILLED' || status === 'FAILED';
    expect([errorMessage !== null, errorCode !== undefined]).toEqual([
      status === 'FAILED',
      status === 'FAILED',
    ]);
    expect(processedAt !== null).toBe(hasEnded);
    expect(agentId !== null).toBe(attempts > 0);
    if (status !== 'PENDING') expect([attempts > 0, unserved]).toEqual([true, undefined]);
  }
  if (code === 'too_long') expect(message).toContain('must not be longer');
  if (items !== undefined && unchanged !== undefined)
    expect(created + updated + unchanged + faults).toBe(items.length);
  if (example['fragmentMultiple']) expect(example['maxFragmentBytes'] % example['fragmentMultiple']).toBe(0);
  if (example['receivedBytes']) expect(example['receivedBytes']).toBeLessThan(example['size']);
}
