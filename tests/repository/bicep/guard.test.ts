import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { deployedPolicy, elementsOf, policyText, readPolicy } from '../../support/policy-document.ts';
import { runInbound } from '../../support/policy-run.ts';

const bicep = join(repositoryRoot, 'bicep');
const template = readFileSync(join(bicep, 'api.bicep'), 'utf8');
const names = readdirSync(join(bicep, 'policies')).map((file) => file.replace(/\.xml$/, ''));

const resourceStart = String.raw`resource (\w+) 'Microsoft\.ApiManagement/service/apis@`;
const itsPath = String.raw`path: '([^']+)'`;
const itsVersion = String.raw`\s+apiVersion: '(\w+)'`;

/** The APIs of the template by symbol, with the paths below which the gateway serves them. */
const apis = [...template.matchAll(new RegExp(`${resourceStart}[^]*?${itsPath}(?:${itsVersion})?`, 'g'))].map(
  ([, symbol = '', path = '', version]) => ({
    symbol,
    root: `/${[path, version].filter(Boolean).join('/')}/`,
  }),
);

/** The file of the policy of an API: named in its resource, or in the variable that its resource has. */
function policyOf(symbol: string): string {
  const [resource = ''] =
    template
      .split(/^(?=resource )/m)
      .filter((text) => text.includes('service/apis/policies@') && text.includes(`parent: ${symbol}\n`)) ??
    [];
  const [, value = ''] = /value: (.*)/.exec(resource) ?? [];
  const source = value.includes('(') ? value : (template.split(`var ${value} = `)[1] ?? '');
  const [, name = ''] = /loadTextContent\('policies\/(\w+)\.xml'\)/.exec(source) ?? [];
  return name;
}

describe('every door to the Functions host is guarded', () => {
  test('only the guard has the key of the host', () => {
    const holders = names.filter((name) => /x-functions-key|backend-function-key/i.test(policyText(name)));
    expect(holders).toEqual(['guard']);
    expect(template.replaceAll(/^ *\/\/.*/gm, '')).not.toMatch(/x-functions-key|\{\{backend-function-key/i);
  });

  test('the template has an API for the operations, and one for the console, each with its policy', () => {
    expect(apis).toEqual([
      { symbol: 'api', root: '/api/v1/' },
      { symbol: 'console', root: '/api/console/' },
    ]);
    expect(apis.map(({ symbol }) => policyOf(symbol))).toEqual(['api', 'console']);
    // A policy of another scope could bypass those of the APIs.
    expect(
      [...template.matchAll(/'Microsoft\.ApiManagement\/service\/([\w/]*policies)@/gi)]
        .map(([, type = '']) => type)
        .toSorted(),
    ).toEqual(['apis/operations/policies', 'apis/operations/policies', 'apis/policies', 'apis/policies']);
  });

  test.each(apis)(
    'the policy of $root includes it before anything else, and in no branch',
    ({ symbol, root }) => {
      const text = policyText(policyOf(symbol));
      const [inbound] = readPolicy(text).root.children;
      const steps = (inbound?.children ?? []).filter(({ name }) => name !== 'base' && name !== 'cors');
      expect(steps.slice(0, 2)).toMatchObject([
        { name: 'set-variable', attributes: { name: 'root', value: root } },
        { name: 'include-fragment', attributes: { 'fragment-id': 'guard' } },
      ]);
      const all = elementsOf(readPolicy(text).root);
      expect(all.filter(({ name }) => name === 'include-fragment')).toHaveLength(1);
      expect(all.filter(({ attributes }) => attributes['name'] === 'root')).toHaveLength(1);
    },
  );

  test('it is no larger than API Management accepts', () => {
    expect(policyText('guard').length).toBeLessThan(32 * 1024);
  });
});

describe.each(apis)('below $root', ({ symbol, root }) => {
  const { root: policy } = readPolicy(deployedPolicy(policyText(policyOf(symbol)), 32));
  const sent = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    runInbound(policy, {
      operation: 'check-health',
      method,
      url,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    });
  const expectRejected = ({ headers, response }: ReturnType<typeof sent>, place: string): void => {
    expect(response?.status).toBe(400);
    expect(headers.has('x-functions-key')).toBe(false);
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ errors: [{ path: place }] });
  };

  test.each(['', 'health', 'a.b/..c/d..', 'a//b', 'a+b', 'a%20b', '%C3%A4'])(
    '/%s is a path of its own',
    (path) => {
      expect(sent(`${root}${path}?x=%2e%2e`).response).toBeUndefined();
    },
  );

  test.each([
    '%2e%2e/v1/me',
    '%2E%2e/v1/me',
    '../v1/me',
    'a/../../v1/me',
    '..',
    '.',
    'a/.',
    '%2e%2e/%2e%2e/admin/host/status',
    'a%2f..%2fb',
    'a%5c..%5cb',
    'a\\..\\b',
    '%252e%252e/v1/me',
  ])('/%s is rejected', (path) => {
    expectRejected(sent(`${root}${path}`), 'params');
  });

  test.each(['/admin/host/status', '/api/v2/me', '/', root === '/api/v1/' ? '/api/console/' : '/api/v1/me'])(
    '%s, to which a gateway may have resolved a path, is rejected',
    (path) => {
      expectRejected(sent(path), 'params');
    },
  );

  test.each(['x(a', 'x@a', 'x[a]', 'x a', 'x/a', 'x"a', 'x:a', 'xä', 'x{a', 'x\\a'])(
    'the header name %s, for which the host would wait, is rejected',
    (name) => {
      expectRejected(sent(root, { [name]: '1' }), 'headers');
    },
  );

  test('every character of a token is accepted in the name of a header', () => {
    expect(sent(root, { "!#$%&'*+-.^_`|~09azAZ": '1' }).response).toBeUndefined();
  });

  test.each(['GET', 'HEAD', 'DELETE'])('a body of %s is rejected, whatever its length', (method) => {
    expect(sent(root, { 'Content-Length': '0' }, method).response).toBeUndefined();
    for (const headers of [
      { 'Content-Length': '1' },
      { 'Content-Length': '262144000' },
      { 'Transfer-Encoding': 'chunked' },
    ])
      expectRejected(sent(root, headers, method), 'body');
  });

  test.each(['gzip', 'chunked, gzip', 'identity'])('Transfer-Encoding: %s is rejected', (coding) => {
    expectRejected(sent(root, { 'Transfer-Encoding': coding }, 'POST'), 'headers.transfer-encoding');
  });

  test('Transfer-Encoding with Content-Length is rejected', () => {
    const headers = { 'Transfer-Encoding': 'chunked', 'Content-Length': '1' };
    expectRejected(sent(root, headers, 'POST'), 'headers.transfer-encoding');
    expect(sent(root, { 'Transfer-Encoding': 'Chunked' }, 'POST').response).toBeUndefined();
  });

  test('what the host never answers is rejected or removed', () => {
    for (const value of ['é', 'a\u007fb', 'a\u0000b'])
      expectRejected(sent(root, { 'x-note': value }), 'headers.x-note');
    expect(sent(root, { 'x-note': 'a'.repeat(16_500) }).response?.status).toBe(431);
    const { headers } = sent(root, { Expect: 'nonsense', 'x-ms-invocation-id': '1', 'x-functions-key': '1' });
    expect(Object.fromEntries(headers)).toEqual({
      'x-functions-key': '{{backend-function-key}}',
      'x-request-id': 'id-of-the-gateway',
      'x-caller-address': '203.0.113.7',
    });
  });
});
