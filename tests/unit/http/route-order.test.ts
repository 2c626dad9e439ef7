import { expect, test } from 'vitest';
import { unknownRoutes } from '../../../functions/rejecting-routes.ts';
import { serveConsole } from '../../../functions/serve-console.ts';
import { functionName } from '../../../lib/http/route-order.ts';
import { describedOperations, describedServices } from '../../../release/generate/generated.ts';
import { routePairs } from '../../support/route-pairs.ts';

const get = (id: string, route: string) => ({ id, route, method: 'GET' as const });
const byId = ({ id }: { id: string }) => id;

/** The pairs of which the host would use the less specific route. */
const wrong = (routes: ReturnType<typeof get>[], nameOf?: typeof byId) =>
  routePairs(routes, nameOf)
    .filter(({ isRight }) => !isRight)
    .map(({ path, taken, passedOver }) => `${path}: ${taken.id} before ${passedOver.id}`);

/** Each pair as `path: matching route before the less specific one`. */
const pairs = (routes: ReturnType<typeof get>[], nameOf?: typeof byId) =>
  routePairs(routes, nameOf).map(
    ({ path, taken, passedOver }) => `${path}: ${taken.id} before ${passedOver.id}`,
  );

test.each([
  ['v1/health', 'll-a'],
  ['v1/documents/{documentId}/download', 'llpl-a'],
  ['v1/{*rest}', 'lr-a'],
])('%s is registered as %s', (route, name) => {
  expect(functionName(get('a', route))).toBe(name);
});

test.each(['v1/{id:guid}', 'v1/{id?}', 'v1/{*rest}/more', 'v1/a{id}', 'v1//a', ''])(
  'the template "%s" is rejected',
  (route) => {
    expect(() => functionName(get('a', route))).toThrow(`Route "${route}"`);
  },
);

test.each([
  ['literal and parameter', ['b/{id}', 'b/fixed'], 'b/fixed: 1 before 0'],
  ['a parameter further left', ['b/{id}/end', 'b/fixed/{id}'], 'b/fixed/end: 1 before 0'],
  ['literals regardless of case', ['b/{id}', 'B/Fixed'], 'B/Fixed: 1 before 0'],
  ['a rest parameter and a path below it', ['b/{*rest}', 'b/{id}/end'], 'b/x/end: 1 before 0'],
  ['a rest parameter and its prefix', ['b/{*rest}', 'b'], 'b: 1 before 0'],
])('%s: the more specific route matches', (_what, routes, pair) => {
  const numbered = routes.map((route, index) => get(`${index}`, route));
  expect(pairs(numbered)).toEqual([pair]);
  expect(wrong(numbered)).toEqual([]);
});

test.each([
  ['different literals', ['b/one', 'b/two']],
  ['different lengths', ['b/{id}', 'b/{id}/end']],
  ['different literals after a parameter', ['b/{id}/start', 'b/{id}/end']],
  ['a different prefix', ['b/{*rest}', 'c/{id}']],
])('%s: no path matches both', (_what, routes) => {
  expect(pairs(routes.map((route, index) => get(`${index}`, route)))).toEqual([]);
});

test('routes of different methods are not a pair', () => {
  expect(routePairs([get('a', 'b/{id}'), { ...get('c', 'b/fixed'), method: 'POST' }])).toEqual([]);
});

test('names that put a less specific route first are found, regardless of case', () => {
  const routes = [
    get('download-document', 'v1/documents/{documentId}/download'),
    get('List-project-documents', 'v1/documents/projects/{projectId}'),
    get('unknown-route', 'v1/{*rest}'),
    get('zoo', 'v1/zoo'),
  ];
  expect(wrong(routes, byId)).toEqual([
    'v1/documents/projects/download: download-document before List-project-documents',
    'v1/zoo: unknown-route before zoo',
  ]);
  expect(wrong(routes)).toEqual([]);
});

test('of two indistinguishable routes, neither is right', () => {
  const routes = [get('a', 'v1/things/{id}'), get('b', 'v1/Things/{name}')];
  expect(wrong(routes)).toEqual(['v1/things/x: a before b']);
});

test('the routes of the service: of each pair, the more specific one matches', () => {
  const operations = describedOperations();
  const console = serveConsole(describedServices(), '');
  const found = routePairs([...operations, console, ...unknownRoutes]);
  expect(found.filter(({ isRight }) => !isRight)).toEqual([]);
  const [known, unknown] = [false, true].map((isUnknown) =>
    found.filter(({ passedOver }) => unknownRoutes.includes(passedOver as never) === isUnknown),
  );
  // A path that matches no other route is not part of a pair.
  expect(unknown!.map(({ taken }) => taken.id).toSorted()).toEqual(
    [...operations, console].map(({ id }) => id).toSorted(),
  );
  expect(known!.map(({ path, taken, passedOver }) => `${path}: ${taken.id} before ${passedOver.id}`)).toEqual(
    [
      'v1/folder-requests/statistics: get-folder-request-statistics before get-folder-request',
      'v1/documents/projects/download: list-project-documents before download-document',
      'v1/documents/projects/link: list-project-documents before link-document',
      'v1/documents/projects/versions: list-project-documents before list-document-versions',
    ],
  );
});

test('no two functions have the same name, regardless of case', () => {
  const names = [...describedOperations(), ...unknownRoutes].map((route) =>
    functionName(route).toLowerCase(),
  );
  expect(new Set(names).size).toBe(names.length);
});
