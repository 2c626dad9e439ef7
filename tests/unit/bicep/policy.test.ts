import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApiText } from '../../../local/generated.ts';
import { elementsOf, readPolicy, type PolicyElement } from '../../support/policy-document.ts';

const bicep = join(import.meta.dirname, '../../../bicep');
const text = readFileSync(join(bicep, 'policies/api.xml'), 'utf8');
const template = readFileSync(join(bicep, 'api.bicep'), 'utf8');
const { root, expressions } = readPolicy(text);
const all = elementsOf(root);
const named = (name: string): PolicyElement[] => all.filter((element) => element.name === name);

// Attributes as the policy reference of API Management has them.
const policies: Record<string, { needs?: string[]; may?: string[] }> = {
  policies: {},
  inbound: {},
  backend: {},
  outbound: {},
  'on-error': {},
  base: {},
  choose: {},
  when: { needs: ['condition'] },
  otherwise: {},
  cors: { may: ['allow-credentials', 'terminate-unmatched-request'] },
  'allowed-origins': {},
  'allowed-methods': { may: ['preflight-result-max-age'] },
  method: {},
  'allowed-headers': {},
  'expose-headers': {},
  header: {},
  'rate-limit-by-key': {
    needs: ['calls', 'renewal-period', 'counter-key'],
    may: ['increment-condition', 'increment-count', 'retry-after-header-name', 'remaining-calls-header-name'],
  },
  'validate-azure-ad-token': {
    needs: ['tenant-id'],
    may: [
      'header-name',
      'query-parameter-name',
      'token-value',
      'failed-validation-httpcode',
      'failed-validation-error-message',
      'output-token-variable-name',
    ],
  },
  'client-application-ids': {},
  audiences: {},
  audience: {},
  'set-header': { needs: ['name', 'exists-action'] },
  'set-query-parameter': { needs: ['name', 'exists-action'] },
  value: {},
  'set-body': { may: ['template'] },
  'forward-request': {
    may: [
      'http-version',
      'timeout',
      'timeout-ms',
      'continue-timeout',
      'follow-redirects',
      'buffer-request-body',
      'buffer-response',
      'fail-on-error-status-code',
    ],
  },
};

describe('the policy', () => {
  test('is well-formed around its expressions, and has its sections in order', () => {
    expect(root.name).toBe('policies');
    expect(root.children.map(({ name }) => name)).toEqual(['inbound', 'backend', 'outbound', 'on-error']);
    expect(expressions.length).toBeGreaterThan(5);
  });

  test.each(all.map((element, index) => [element.name, index] as const))(
    '<%s> (element %i) has the attributes of the reference',
    (name, index) => {
      const known = policies[name];
      expect(known, `${name} is no policy used so far`).toBeDefined();
      const attributes = Object.keys(all[index]?.attributes ?? {});
      for (const needed of known?.needs ?? []) expect(attributes).toContain(needed);
      for (const attribute of attributes)
        expect([...(known?.needs ?? []), ...(known?.may ?? [])]).toContain(attribute);
    },
  );

  test('the parts of the token check stand in the order API Management asks for', () => {
    const order = [
      'backend-application-ids',
      'client-application-ids',
      'audiences',
      'required-claims',
      'decryption-keys',
    ];
    for (const { children } of named('validate-azure-ad-token')) {
      const places = children.map(({ name }) => order.indexOf(name));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    }
    expect(named('validate-azure-ad-token')).toHaveLength(1);
  });

  test('named values and placeholders are those that api.bicep fills', () => {
    const values = [...text.matchAll(/\{\{([\w-]+)\}\}/g)].map(([, name]) => name);
    expect(values).toEqual(['backend-function-key']);
    for (const name of values) expect(template).toContain(`displayName: '${name}'`);
    const placeholders = new Set(text.match(/__[A-Z_]+__/g));
    expect(placeholders).toEqual(new Set(template.match(/__[A-Z_]+__/g)));
  });
});

test('browsers may send and read what the users operations ask for and answer', () => {
  const { paths } = JSON.parse(openApiText()) as {
    paths: Record<
      string,
      Record<string, { security: object[]; parameters: { in: string; name: string }[]; requestBody?: object }>
    >;
  };
  const operations = Object.values(paths)
    .flatMap((item) => Object.entries(item))
    .filter(([, { security }]) => security.some((entry) => 'user' in entry));
  const allowed = (list: string, item: string): string[] => {
    const section = new RegExp(`<${list}[^>]*>([^]*?)</${list}>`).exec(text)?.[1] ?? '';
    return [...section.matchAll(new RegExp(`<${item}>([^<]+)</${item}>`, 'g'))].map(([, name = '']) => name);
  };
  const methods = new Set(operations.map(([method]) => method.toUpperCase()));
  expect(allowed('allowed-methods', 'method').toSorted()).toEqual([...methods].toSorted());
  const headers = operations.flatMap(([, { parameters }]) =>
    parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name),
  );
  expect(headers.length).toBeGreaterThan(0);
  for (const header of [...headers, 'authorization', 'content-type', 'x-request-id'])
    expect(allowed('allowed-headers', 'header')).toContain(header);
  for (const header of ['content-disposition', 'etag', 'location', 'retry-after', 'www-authenticate'])
    expect(allowed('expose-headers', 'header')).toContain(header);
});

test.each([
  ['an element that does not end', '</otherwise>', ''],
  ['an expression that does not end', 'context.Operation.Id))', 'context.Operation.Id)'],
  ['a string in an expression that does not end', '"check-health"', '"check-health'],
  ['an attribute without quotes', 'timeout="230"', 'timeout=230'],
])('%s is found', (_kind, right, wrong) => {
  expect(text).toContain(right);
  expect(() => readPolicy(text.replace(right, wrong))).toThrow(/line \d+/);
});
