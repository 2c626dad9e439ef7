import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemCodes, ServiceError, type ProblemCode } from '../../../lib/base/service-error.ts';
import { problemOf } from '../../../lib/http/problem.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { openApiText } from '../../../release/generate/generated.ts';
import { Api } from '../../support/api.ts';
import {
  deployedPolicy,
  elementsOf,
  policyText,
  readPolicy,
  type PolicyElement,
} from '../../support/policy-document.ts';
import { respond } from '../../support/policy-run.ts';

const bicep = join(import.meta.dirname, '../../../bicep');
/** With the fragment that it includes. */
const text = deployedPolicy(policyText('api'), 32);
const template = readFileSync(join(bicep, 'api.bicep'), 'utf8');
const { root, expressions } = readPolicy(text);
const consoleText = deployedPolicy(policyText('console'), 32);
/** The policies of single operations, which start from the one of the API. */
const ofOperations = ['claim', 'claimable'].map(policyText);
const roots = [root, readPolicy(consoleText).root, ...ofOperations.map((policy) => readPolicy(policy).root)];
const all = roots.flatMap(elementsOf);
const named = (name: string): PolicyElement[] => all.filter((element) => element.name === name);

// The attributes in the policy reference of API Management.
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
  trace: { needs: ['source'], may: ['severity'] },
  message: {},
  'return-response': { may: ['response-variable-name'] },
  'set-status': { needs: ['code', 'reason'] },
  'set-body': { may: ['template'] },
  'set-variable': { needs: ['name', 'value'] },
  'cache-lookup-value': { needs: ['key', 'variable-name', 'caching-type'], may: ['default-value'] },
  'cache-store-value': { needs: ['key', 'value', 'duration', 'caching-type'] },
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
  test('is well-formed outside its expressions and has its sections in order', () => {
    for (const { name, children } of roots) {
      expect(name).toBe('policies');
      expect(children.map((section) => section.name)).toEqual(['inbound', 'backend', 'outbound', 'on-error']);
    }
    expect(expressions.length).toBeGreaterThan(5);
  });

  test.each(all.map((element, index) => [element.name, index] as const))(
    '<%s> (element %i) has the attributes of the reference',
    (name, index) => {
      const known = policies[name];
      expect(known, `${name} is not in the list of policies in this test`).toBeDefined();
      const attributes = Object.keys(all[index]?.attributes ?? {});
      for (const needed of known?.needs ?? []) expect(attributes).toContain(needed);
      for (const attribute of attributes)
        expect([...(known?.needs ?? []), ...(known?.may ?? [])]).toContain(attribute);
    },
  );

  test('the parts of the token check are in the order that API Management requires', () => {
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

  // "This policy can only be used once in a policy section" (references of cache-lookup-value and cache-store-value), and
  // "backend section allows only one policy to be specified" (the error of the management API).
  test('a section has at most one lookup and one store of the cache, and one policy in backend', () => {
    for (const section of roots.flatMap(({ children }) => children)) {
      const names = elementsOf(section).map(({ name }) => name);
      for (const once of ['cache-lookup-value', 'cache-store-value'])
        expect(names.filter((name) => name === once).length, section.name).toBeLessThanOrEqual(1);
      if (section.name === 'backend') expect(section.children).toHaveLength(1);
    }
  });

  test('the policies of operations apply the policy of the API first, in every section', () => {
    for (const { children } of roots.slice(2))
      expect(children.map((section) => section.children[0]?.name)).toEqual(Array(4).fill('base'));
  });

  test('its named values and placeholders are those that api.bicep fills', () => {
    const files = ['api', 'console', 'guard', 'claim', 'claimable'].map(policyText).join('');
    const values = [...files.matchAll(/\{\{([\w-]+)\}\}/g)].map(([, name]) => name);
    expect(values).toEqual(['backend-function-key', 'cache-empty-claims']);
    for (const name of values) expect(template).toContain(`displayName: '${name}'`);
    const placeholders = new Set(files.match(/__[A-Z_]+__/g));
    expect(placeholders).toEqual(new Set(template.match(/__[A-Z_]+__/g)));
  });
});

describe('the gateway’s own error response', () => {
  const onError = root.children.find(({ name }) => name === 'on-error');
  const [, whole = ''] = /<on-error>([^]*)<\/on-error>/.exec(text) ?? [];
  const section = whole.replace(/<trace[^]*<\/trace>/, '');

  test('always has the request ID, no-store, HSTS, and nosniff, and is a problem', () => {
    const always = (onError?.children ?? []).filter(({ name }) => name !== 'choose');
    expect(always.map(({ name, attributes }) => attributes['name'] ?? name)).toEqual([
      'base',
      'x-request-id',
      'cache-control',
      'strict-transport-security',
      'x-content-type-options',
      'content-type',
      'set-body',
    ]);
    expect(section).toContain('<value>no-store</value>');
    // Set on every other response too, including those that the host sends before the service receives the request.
    const hsts = '<value>max-age=31536000</value>';
    for (const value of [hsts, '<value>nosniff</value>']) {
      expect(section).toContain(value);
      expect(/<outbound>([^]*)<\/outbound>/.exec(text)?.[1]).toContain(value);
    }
    expect(section).toContain('<value>application/problem+json</value>');
    // The caller's ID, in the header and in the body; the gateway's own ID if the caller sent none.
    const id = 'context.Variables.GetValueOrDefault<string>("requestId", context.RequestId.ToString())';
    expect(section.split(id)).toHaveLength(3);
    expect(section.split('RequestId')).toHaveLength(3);
    // Nothing that can name a host behind the gateway.
    expect(section).not.toMatch(/LastError\.(?!Source)/);
  });

  test('to a rejected token is a 401, and its line says why, in the form of the lines of the service', () => {
    const api = readPolicy(deployedPolicy(text, 32)).root;
    const headers = { authorization: ['Bearer x'], 'x-request-id': ['r-1'] };
    const run = respond({ api }, { operation: 'get-me', headers, rejectedFor: 'TokenExpired' });
    let step = run.next();
    while (!step.done) step = run.next();
    expect(step.value).toMatchObject({ status: 401 });
    expect(step.value.body).not.toMatch(/TokenExpired|203\.0\.113\.7/);
    expect(step.value.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(step.value.traces.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        event: 'gateway_rejected',
        requestId: 'r-1',
        operation: 'get-me',
        reason: 'TokenExpired',
        callerAddress: '203.0.113.7',
      },
    ]);
  });

  test('uses the codes and titles of the contract', () => {
    const [, choice = ''] = /var code = ([^;]*);/.exec(section) ?? [];
    const codes = [...choice.matchAll(/[?:] "(\w+)"/g)].map(([, code = '']) => code);
    expect(codes).toEqual([
      'unauthenticated',
      'rate_limited',
      'not_found',
      'internal_error',
      'invalid_request',
    ]);
    expect(problemCodes).toEqual(expect.arrayContaining(codes));
    for (const table of ['titles', 'details']) {
      const [, rows = ''] = new RegExp(`var ${table} = new JObject\\(([^]*?)\\);`).exec(section) ?? [];
      const texts = [...rows.matchAll(/"(\w+)", "([^"]+)"/g)].map(([, ...row]) => row);
      expect(texts.map(([code]) => code)).toEqual(codes);
      if (table === 'details') continue;
      for (const [code, title] of texts) {
        const { body } = problemOf(new ServiceError(code as ProblemCode), 'id');
        expect((JSON.parse(body) as { title: string }).title).toBe(title);
      }
    }
    const conditions = [...choice.matchAll(/LastError\.Source == "([^"]+)"/g)].map(
      ([, source = '']) => source,
    );
    for (const source of conditions) expect(named(source), source).not.toEqual([]);
  });

  test('uses the caller’s ID if the service would accept it, and the gateway forwards the ID to the service', async () => {
    const [, pattern = ''] = /IsMatch\(given, "([^"]+)"\)/.exec(text) ?? [];
    const api = new Api(
      connect(
        readSettings({
          STORAGE_TABLE_ENDPOINT: 'https://localhost',
          STORAGE_BLOB_ENDPOINT: 'https://localhost',
        }),
      ),
    );
    for (const given of [
      'a',
      'A-z_0.9',
      'x'.repeat(128),
      'x'.repeat(129),
      '',
      'a b',
      '%C3%A4',
      '{id}',
      'a/b',
    ]) {
      const { headers } = await api.call('GET', '/openapi.json', { headers: { 'x-request-id': given } });
      expect(new RegExp(pattern).test(given), given).toBe(headers.get('x-request-id') === given);
    }
    expect(policyText('guard').replaceAll(/>\s+</g, '><')).toContain(
      '<set-header name="x-request-id" exists-action="override"><value>@((string)context.Variables["requestId"])</value>',
    );
    // Before anything that can reject the request; a rejection of CORS has no body.
    expect(root.children[0]?.children.map(({ name }) => name).slice(0, 4)).toEqual([
      'base',
      'cors',
      'set-variable',
      'set-variable',
    ]);
    expect(root.children[0]?.children[3]?.attributes['name']).toBe('requestId');
  });
});

test('every caller has a limit that it cannot avoid by changing what it sends', () => {
  const branches = [...named('when'), ...named('otherwise')].filter(({ children }) =>
    children.some(({ name }) => name === 'rate-limit-by-key'),
  );
  expect(branches).toHaveLength(4);
  const client = named('set-variable').find(({ attributes }) => attributes['name'] === 'client');
  const ofToken = client?.attributes['value'] ?? '';
  for (const { children } of branches) {
    const keys = children
      .filter(({ name }) => name === 'rate-limit-by-key')
      .map(({ attributes }) => attributes['counter-key'] ?? '')
      .map((key) => key.replace('(string)context.Variables["client"]', ofToken));
    const isUnavoidable = keys.some((key) =>
      /context\.Request\.IpAddress|\(Jwt\)context\.Variables/.test(key),
    );
    expect(isUnavoidable, keys.join()).toBe(true);
  }
});

test('browsers can send and read the headers that the users’ operations accept and return', () => {
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
  // The libraries that trace calls of pages add headers of their own to each.
  const tracing = ['traceparent', 'tracestate', 'request-id', 'sentry-trace', 'baggage'];
  const usual = ['authorization', 'content-type', 'x-request-id', 'if-match', 'cache-control'];
  for (const header of [...headers, ...usual, ...tracing])
    expect(allowed('allowed-headers', 'header')).toContain(header);
  for (const header of ['content-disposition', 'etag', 'location', 'retry-after', 'www-authenticate'])
    expect(allowed('expose-headers', 'header')).toContain(header);
});

test.each([
  ['an element that does not end', '</otherwise>', ''],
  ['an expression that does not end', 'context.Operation.Id))', 'context.Operation.Id)'],
  ['a string in an expression that does not end', '"check-health"', '"check-health'],
  ['an attribute without quotes', 'timeout="230"', 'timeout=230'],
])('%s is detected', (_kind, right, wrong) => {
  expect(text).toContain(right);
  expect(() => readPolicy(text.replace(right, wrong))).toThrow(/line \d+/);
});
