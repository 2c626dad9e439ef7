import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DeploymentTarget, ruleOf } from '../../../tools/verify/deployment/deployment.ts';
import { removalBy } from '../../../tools/verify/deployment/removal.ts';
import { deploymentRules, probeDeployment } from '../../../tools/verify/deployment/rules.ts';
import { GraphUser } from '../../../tools/verify/graph.ts';
import { linesOf, verdictOf } from '../../../tools/verify/report.ts';

// Deployments as the local stack is none: each row has the responses of one. What a whole run does is in
// tests/whole/deployed-api/acceptance.ts.

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
/** By method and path below `/api/v1`; of several, one after the other, and the last one again. */
type Answers = Readonly<Record<string, Answer | readonly Answer[]>>;

let answers: Answers = {};
let sent: { line: string; headers: IncomingHttpHeaders }[] = [];
let times: Record<string, number> = {};

const server = createServer(({ method, url = '', headers }, response) => {
  const line = `${method} ${url.split('?', 1)[0]!.replace(/^\/api\/v1/, '')}`;
  sent.push({ line, headers });
  const of = [answers[line] ?? { status: 404, body: { code: 'not_found' } }].flat();
  times[line] = (times[line] ?? 0) + 1;
  const { status, body, headers: own } = of[Math.min(times[line], of.length) - 1]!;
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'x', ...own });
  response.end(body === undefined ? '' : JSON.stringify(body));
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => void ([answers, sent, times] = [{}, [], {}]));

const token = () => Promise.resolve('t');
const linesSent = () => sent.map(({ line }) => line);

async function probed(id: string, given: Answers, changed: Partial<DeploymentTarget> = {}) {
  answers = given;
  let waitedMs = 0;
  const target: DeploymentTarget = {
    baseUrl: origin,
    credentials: { user: token, author: token, noRole: token },
    hasGateway: true,
    now: () => waitedMs,
    wait: async (ms) => void (waitedMs += ms),
    ...changed,
  };
  const rules = deploymentRules.filter((rule) => rule.id === id);
  return probeDeployment(rules, target, { onOutcome: () => undefined });
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const notConfigured: Answer = { status: 503, body: { code: 'not_configured' } };
const request = 'GET /folder-requests/r';
const requested = { 'POST /folder-requests': { status: 201, body: { id: 'r' } } };
const oneAgent = { 'GET /agents': ok({ items: [{ state: 'idle' }, { state: 'silent' }] }) };
const documents = 'GET /documents/projects/acce97ed-0000-4000-8000-000000000001';
const removeItem = () => Promise.resolve();
const serviceUrl = () => ({ serviceUrl: origin });
const toNobody: Answer = { status: 302, headers: { location: 'http://127.0.0.1:1/' } };

test.each<[id: string, holds: boolean | null, seen: string, Answers, (() => Partial<DeploymentTarget>)?]>([
  [
    'E1.1',
    false,
    'GET returned 302, expected 200',
    {
      'GET /health': { status: 302, headers: { location: '/elsewhere' } },
      'GET /elsewhere': ok({ status: 'ok', version: '1' }),
    },
  ],
  ['E1.3', null, 'needs --no-role, or ACCEPT_NO_ROLE_TOKEN', {}, () => ({ credentials: {} })],
  ['E2.7', false, 'no upload has succeeded', { [documents]: ok({ items: [] }) }],
  [
    'E3.1',
    null,
    'no agent has called in the last three minutes; the request was accepted and withdrawn',
    {
      'GET /agents': ok({ items: [{ state: 'silent' }] }),
      ...requested,
      'DELETE /folder-requests/r': { status: 204 },
    },
  ],
  [
    'E3.1',
    true,
    '1 agents; the directory Abnahme\\Probelauf remains on the share',
    { ...oneAgent, ...requested, [request]: [ok({ status: 'PENDING' }), ok({ status: 'FULFILLED' })] },
  ],
  [
    'E3.1',
    false,
    'the agent reported FAILED; the request says why',
    { ...oneAgent, ...requested, [request]: ok({ status: 'FAILED', errorMessage: '\\\\server\\share' }) },
  ],
  ['E4.1', null, 'activities are not configured', { 'POST /activities/generate': notConfigured }],
  ['E4.2', null, 'needs --drive, and a sign-in or GRAPH_TOKEN, to remove the letter again', {}],
  [
    'E4.2',
    null,
    'activities are not configured',
    { 'POST /activities/letters': notConfigured },
    () => ({ removeItem }),
  ],
  ['E5.1', null, 'the console is switched off', {}],
  ['E5.1', false, 'returned 500', { 'GET /api/console': { status: 500 } }],
  ['E5.2', true, 'without a gateway, only the headers', {}, () => ({ hasGateway: false })],
  ['E5.4', null, 'there is no gateway', {}, () => ({ hasGateway: false })],
  ['E5.4', null, 'needs --service-url', {}],
  // A sign-in page that this machine does not reach does not close the service.
  [
    'E5.4',
    false,
    'without the gateway, GET /api/v1/health returned 302',
    {
      'GET /health': toNobody,
      'GET /projects': { status: 401 },
      'POST /folder-requests/claim': { status: 401 },
      'GET /api/console': { status: 403 },
    },
    serviceUrl,
  ],
  ['E5.5', null, 'there is no gateway', {}, () => ({ hasGateway: false })],
  [
    'E5.5',
    true,
    'after 3 calls',
    {
      'GET /health': [
        ok({}),
        ok({}),
        { status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '30' } },
      ],
    },
  ],
  ['E6.1', null, 'this release does not record them', { 'GET /health/parts': ok({ parts: [] }) }],
  [
    'E6.3',
    null,
    'the service does not say',
    { 'GET /health/parts': ok({ parts: [{ part: 'uploadDisk' }] }) },
  ],
])('%s: %s, %s', async (id, holds, seen, given, changed) => {
  const { outcomes, stopped } = await probed(id, given, changed?.());
  expect(stopped).toBeUndefined();
  expect(outcomes.map((outcome) => [outcome.holds, outcome.seen])).toEqual([[holds, seen]]);
  // What a run was not given may apply: --no-role, --drive.
  const isGiven = !seen.startsWith('needs ');
  expect(outcomes[0]?.doesNotApply).toBe(holds === null && isGiven ? true : undefined);
  expect(outcomes.map(linesOf).join('\n').includes('follows: ')).toBe(holds === false);
  expect(verdictOf({ outcomes })).toBe(holds === false ? 'Not accepted: ' : isGiven ? 'Accepted: ' : '');
});

test('whoever has no token sends none, and a run that wrote nothing ends without another request', async () => {
  await probed('E1.1', { 'GET /health': ok({ status: 'ok', version: '1' }) });
  expect(sent.map(({ line, headers }) => [line, headers.authorization])).toEqual([
    ['GET /health', undefined],
    ['GET /health', undefined],
  ]);
});

test('a run that wrote something removes it at the end, and says what could not be removed', async () => {
  const { leftovers } = await probed('E3.1', {
    ...oneAgent,
    ...requested,
    [request]: ok({ status: 'FAILED' }),
  });
  expect(linesSent().slice(3)).toEqual([
    'GET /projects/acce97ed-0000-4000-8000-000000000001',
    'GET /folder-requests',
  ]);
  expect(leftovers.left).toEqual([
    'what this run made in the service (GET returned 404 not_found, expected 200); the next run removes it',
  ]);
});

test('a token that the service does not accept ends the run', async () => {
  const { stopped } = await probed('E1.3', { 'GET /projects': { status: 401 } });
  expect(stopped?.reason).toBe(
    'the service does not accept the token of --no-role, or ACCEPT_NO_ROLE_TOKEN, or no longer (401): sign in again.',
  );
});

test('nothing is sent that the plan of a rule does not list', async () => {
  const rule = ruleOf({
    id: 'E0',
    expected: '',
    follows: '',
    requests: ['GET /projects/{id}'],
    run: async (deployment) => void (await deployment.send('GET', '/projects/a/b')),
  });
  const target = { baseUrl: origin, credentials: {}, hasGateway: true, now: () => 0, wait: removeItem };
  const { stopped } = await probeDeployment([rule], target, { onOutcome: () => undefined });
  expect(stopped?.reason).toBe('the plan of this rule does not list GET /projects/a/b.');
  expect(sent).toEqual([]);
});

test('what the library does not remove is said', async () => {
  const user = new GraphUser(origin, 't');
  const remove = removalBy(user, user, 'd');
  answers = { 'DELETE /drives/d/items/i': { status: 204 }, 'DELETE /me/drive/items/i': { status: 403 } };
  await remove('library', 'i');
  await expect(remove('oneDrive', 'i')).rejects.toThrow('it could not be removed from the library (403)');
});
