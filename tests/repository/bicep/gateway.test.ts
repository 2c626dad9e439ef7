import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../functions/operations.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { openApiText } from '../../../release/generate/generated.ts';
import { deployedPolicy, elementsOf, policyText, readPolicy } from '../../support/policy-document.ts';

const bicep = join(import.meta.dirname, '../../../bicep');
const policy = deployedPolicy(policyText('api'), 32);
const all = operations(
  connect(
    readSettings({ STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' }),
  ),
  '0',
);

test('API Management imports the same document that the service serves', () => {
  expect(readFileSync(join(bicep, 'openapi.json'), 'utf8'), 'run: npm run generate').toBe(openApiText());
});

describe('the policy distinguishes callers as the service does', () => {
  test('only agent and anonymous operations are exempt from the user token', () => {
    const idsOf = (kind: string): string[] =>
      all
        .filter(({ access }) => access.kind === kind)
        .map(({ id }) => id)
        .toSorted();
    const lists = [...policy.matchAll(/new \[\] \{([^}]*)\}\.Contains\(context\.Operation\.Id\)/g)].map(
      ([, list = '']) => [...list.matchAll(/"([^"]+)"/g)].map(([, id = '']) => id).toSorted(),
    );
    expect(lists).toEqual([idsOf('agent'), idsOf('anonymous')]);
    // No branch can bypass the token: the check is the last branch of a choice that has only these branches, and it is a
    // direct child of the section.
    const inbound = readPolicy(policy).root.children.find(({ name }) => name === 'inbound');
    const choices = inbound?.children.filter((element) =>
      elementsOf(element).some(({ name }) => name === 'validate-azure-ad-token'),
    );
    expect(choices?.map(({ name }) => name)).toEqual(['choose']);
    const [choice] = choices ?? [];
    expect(choice?.children.map(({ name }) => name)).toEqual(['when', 'when', 'otherwise']);
    expect(choice?.children[2]?.children[0]?.name).toBe('validate-azure-ad-token');
    const conditions = choice?.children.map(({ attributes }) => attributes['condition'] ?? '') ?? [];
    expect(
      conditions.filter((condition) => condition.includes('.Contains(context.Operation.Id)')),
    ).toHaveLength(2);
  });

  test('the token is one of the tenant, for the service, and from a known client', () => {
    const check = elementsOf(readPolicy(policy).root).find(({ name }) => name === 'validate-azure-ad-token')!;
    expect(check.attributes).toMatchObject({ 'tenant-id': '__TENANT_ID__', 'header-name': 'Authorization' });
    // Those of lib/callers/user-token.ts.
    expect(
      check.children.map(({ name, text, children }) => [name, text || children.map((each) => each.text)]),
    ).toEqual([
      ['client-application-ids', '__CLIENT_IDS__'],
      ['audiences', ['__API_CLIENT_ID__', 'api://__API_CLIENT_ID__']],
    ]);
  });

  test('nothing is buffered in transit, and only the gateway sets the key of the backend', () => {
    expect(policy).toContain('buffer-request-body="false" buffer-response="false"');
    expect(policy).toMatch(/<set-header name="x-functions-key" exists-action="override">/);
  });

  test('the policy is far below the size that API Management accepts', () => {
    expect(policyText('api').length).toBeLessThan(16 * 1024);
  });
});

// API Management, "API import restrictions and known issues", lists what it rejects, drops, or rewrites.
describe('API Management can import the document', () => {
  const text = openApiText();
  const document = JSON.parse(text) as {
    openapi: string;
    paths: Record<string, Record<string, OperationObject>>;
    components: Record<string, Record<string, unknown>>;
  };
  interface OperationObject {
    operationId: string;
    description: string;
    parameters: { in: string }[];
    servers?: unknown;
    requestBody?: { content: Record<string, { schema: object }> };
    responses: Record<string, { content?: Record<string, { schema: object }> }>;
  }
  const each = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

  test('its version, size, and parts are accepted', () => {
    expect(document.openapi).toBe('3.0.3');
    // Inline import accepts 4 MiB, and Bicep loads at most 1,048,576 characters of JSON.
    expect(text.length).toBeLessThan(1_048_576);
    expect(Object.keys(document.components).toSorted()).toEqual(['schemas', 'securitySchemes']);
    for (const path of Object.keys(document.paths)) expect(`/api/v1${path}`.length).toBeLessThan(128);
  });

  // The compiler's BCP332 for Microsoft.ApiManagement/service/apis/operations@2024-05-01.
  test('a description has at most 1,000 characters', () => {
    for (const { operation } of each)
      expect(operation.description.length, operation.operationId).toBeLessThanOrEqual(1000);
  });

  test('operation IDs are unique, and API Management does not change them', () => {
    const ids = each.map(({ operation }) => operation.operationId);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(76);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(each.map(({ method, path, operation }) => [`${method} ${path}`, operation, method] as const))(
    '%s',
    (_title, operation, method) => {
      expect(operation.servers).toBeUndefined();
      expect(operation.parameters.filter((parameter) => parameter.in === 'cookie')).toEqual([]);
      if (method === 'get') expect(operation.requestBody).toBeUndefined();
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const schema of bodies
        .flatMap((body) => Object.values(body?.content ?? {}))
        .map((media) => media.schema)) {
        const isFile = 'format' in schema && schema.format === 'binary';
        if (!isFile) expect(Object.keys(schema)).toEqual(['$ref']);
      }
    },
  );

  test('references are inside the document, resolve, and have no cycles', () => {
    const schemas = document.components['schemas'] ?? {};
    const follow = (name: string, seen: readonly string[]): void => {
      expect(seen).not.toContain(name);
      expect(schemas).toHaveProperty(name);
      for (const [, next = ''] of JSON.stringify(schemas[name]).matchAll(
        /"\$ref":"#\/components\/schemas\/(\w+)"/g,
      )) {
        follow(next, [...seen, name]);
      }
    };
    const references = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      expect(reference).toMatch(/^#\/components\/schemas\/\w+$/);
      follow(reference.replace('#/components/schemas/', ''), []);
    }
  });
});
