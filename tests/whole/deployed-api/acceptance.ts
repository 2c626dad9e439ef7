import { beforeAll, expect, test } from 'vitest';
import { localDeployment } from '../../../tools/verify/local-targets.ts';
import { Deployment, type DeploymentTarget } from '../../../tools/verify/deployment/deployment.ts';
import { deploymentRules, probeDeployment } from '../../../tools/verify/deployment/rules.ts';
import { linesOf, markdownOf, summaryOf, verdictOf } from '../../../tools/verify/report.ts';
import { chosen, probeAll, type Rule, type Run } from '../../../tools/verify/rule.ts';
import type { Stack } from '../../support/stack.ts';
import type { Change } from '../../support/change.ts';
import { startChangingProxy } from '../support/changing-proxy.ts';

type DeploymentRun = Awaited<ReturnType<typeof probeDeployment>>;

const large = new Set(['E2.5', 'E2.6']);
const withoutLarge = deploymentRules.filter(({ id }) => !large.has(id));
const headlineOf = (run: Run) => verdictOf(run) + summaryOf(run);

/** What the gateway of a deployment does beside the service: its limits. */
function gatewayLimits(): readonly Change[] {
  let calls = 0;
  const problem = (code: string) => ({ code, requestId: 'x' });
  const headers = { 'x-request-id': 'x', 'cache-control': 'no-store' };
  return [
    {
      line: /^GET \/api\/v1\/health(?:\?|$)/,
      respond: () =>
        (calls += 1) > 10
          ? { status: 429, body: problem('rate_limited'), headers: { ...headers, 'retry-after': '30' } }
          : undefined,
    },
    {
      line: /^POST .*\/upload$/,
      respond: ({ headers: sent }) =>
        Number(sent['content-length']) > 32 * 1024 ** 2
          ? { status: 413, body: problem('file_too_large'), headers }
          : undefined,
    },
  ];
}

/** The Function App itself, which lets nobody in without the gateway's key. */
const closedService: Change = { line: /./, respond: () => ({ status: 401 }) };

interface Behind {
  readonly rules?: readonly Rule<Deployment>[];
  readonly service?: readonly Change[];
  readonly changed?: Partial<DeploymentTarget>;
}

const nothing: Change = { line: /^never$/ };

const failed = ({ outcomes }: Run) =>
  outcomes.filter(({ holds }) => holds === false).map(({ id, seen }) => `${id}: ${seen}`);

const status = (code: number, body = {}) => ({ respond: () => ({ status: code, body }) });

const withTimer = (body: any, changed: string, state: string): object => ({
  ...body,
  timers: (body.timers as { timer: string }[]).map((each) =>
    each.timer === changed ? { ...each, state } : each,
  ),
});

const withPart = (body: any, changed: string, change: object): object => ({
  ...body,
  parts: (body.parts as { part: string }[]).map((each) =>
    each.part === changed ? { ...each, ...change } : each,
  ),
});

const policies = (...directives: readonly string[]): string =>
  directives.map((directive) => `content-security-policy: ${directive}`).join(', ');

const only = (id: string): Behind => ({ rules: chosen(deploymentRules, id) });

const probed = (rules: readonly Rule<Deployment>[], target: DeploymentTarget) =>
  probeDeployment(rules, target, {
    onOutcome: () => undefined,
    ...(target.signal && { signal: target.signal }),
  });

/** A gateway that keeps what it has sent, whoever asks for it. */
function caching(line: RegExp): Change {
  const kept = new Map<string, unknown>();
  let asked = '';
  return {
    line,
    respond({ url = '' }) {
      asked = url;
      const body = kept.get(url);
      return body === undefined
        ? undefined
        : { status: 200, body, headers: { 'x-request-id': 'x', 'cache-control': 'no-store' } };
    },
    edit(body) {
      if (!('code' in body)) kept.set(asked, body);
      return body;
    },
  };
}

/** From this request on, nothing responds as before. */
const from = (line: RegExp, respond: NonNullable<Change['respond']>): Change => {
  let hasBegun = false;
  return {
    line: /./,
    respond(request) {
      hasBegun ||= line.test(`${request.method} ${request.url}`);
      return hasBegun ? respond(request) : undefined;
    },
  };
};

export function acceptanceStories(stack: () => Stack): void {
  let target: DeploymentTarget;

  beforeAll(async () => {
    target = await localDeployment(stack().description);
    // As a minute of the clock does.
    await stack().host.runTimer('maintain-folder-queue');
  });

  /** Runs the steps behind a gateway with this fault; waits pass immediately. */
  async function accepted(
    change: Change,
    { rules = withoutLarge, service = [closedService], changed = {} }: Behind = {},
  ): Promise<DeploymentRun> {
    await using proxy = await startChangingProxy(target.baseUrl, [...gatewayLimits(), change]);
    await using serviceProxy = await startChangingProxy(target.baseUrl, service);
    let waitedMs = 0;
    const behind: DeploymentTarget = {
      ...target,
      hasGateway: true,
      serviceUrl: serviceProxy.url,
      baseUrl: proxy.url,
      now: () => performance.now() + waitedMs,
      wait: async (ms) => void (waitedMs += 20 * ms),
      ...changed,
    };
    // Awaited, because the proxy ends with this function.
    return await probed(rules, behind);
  }

  test.each<[string, Change, string, string]>([
    [
      'health without a version',
      { line: /GET .*\/health/, edit: () => ({ status: 'ok' }) },
      'E1.1',
      'the response has no version',
    ],
    [
      'no WWW-Authenticate',
      { line: /GET .*\/projects$/, withoutHeader: 'www-authenticate' },
      'E1.2',
      'WWW-Authenticate is missing',
    ],
    [
      'agents with any key',
      { line: /POST .*\/claim/, ...status(204) },
      'E1.2',
      'POST returned 204, expected 401 invalid_agent_key',
    ],
    [
      'users without a role',
      {
        line: /GET .*\/projects$/,
        respond: ({ headers }) =>
          headers.authorization === `Bearer ${stack().description.tokens.noRole}`
            ? { status: 200 }
            : undefined,
      },
      'E1.3',
      'GET returned 200, expected 403 forbidden',
    ],
    [
      'projects of another name',
      { line: /GET .*\/projects\/.+/, edit: (body) => ({ ...body, name: 'x' }) },
      'E2.2',
      'the project has another name than the one sent',
    ],
    [
      'seven folders',
      { line: /POST .*\/provision/, edit: (body) => ({ ...body, folders: body.folders.slice(1) }) },
      'E2.3',
      '7 folders',
    ],
    [
      'a file that is shorter',
      { line: /POST .*\/upload$/, edit: (body) => ({ ...body, size: 1 }) },
      'E2.4',
      'the stored file has 1 of 1048576 bytes',
    ],
    [
      'ranges that are ignored',
      {
        line: /GET .*\/download/,
        respond: ({ headers }) => (headers.range === undefined ? undefined : { status: 200 }),
      },
      'E2.7',
      'GET returned 200, expected 206',
    ],
    [
      'a gateway whose cache asks for no token',
      caching(/^GET .*\/contacts\//),
      'E2.2',
      'GET returned 200, expected 401',
    ],
    [
      'a gateway that reads JSON in another encoding',
      { line: /GET .*\/contacts\/.+/, edit: (body) => ({ ...body, company: 'PrÃ¼fung' }) },
      'E2.2',
      'umlauts and quotes come back in another form',
    ],
    [
      'a gateway without Content-Range',
      { line: /GET .*\/download/, withoutHeader: 'content-range' },
      'E2.7',
      'content-range is missing',
    ],
    [
      'a gateway without Content-Disposition',
      { line: /GET .*\/download/, withoutHeader: 'content-disposition' },
      'E2.7',
      'content-disposition is missing',
    ],
    [
      'a gateway without ETag',
      { line: /GET .*\/download/, withoutHeader: 'etag' },
      'E2.7',
      'etag is missing',
    ],
    [
      'a gateway that drops If-None-Match',
      { line: /GET .*\/download/, withoutRequestHeader: 'if-none-match' },
      'E2.7',
      'with If-None-Match of its ETag 200, expected 304',
    ],
    [
      'a gateway that drops If-Range',
      { line: /GET .*\/download/, withoutRequestHeader: 'if-range' },
      'E2.7',
      'with If-Range of another file 206, expected 200, the whole file',
    ],
    [
      'a gateway that decodes paths',
      { line: /GET .*\/projects\//, url: (url) => decodeURIComponent(url) },
      'E5.6',
      'an encoded slash in the path: 404, expected 400',
    ],
    [
      'a gateway with queries in lower case',
      { line: /GET .*\/projects\?/, url: (url) => url.replace('Ma', 'ma') },
      'E5.6',
      'the name of a parameter arrives as query.maß+1 %20',
    ],
    [
      'a gateway that decodes queries twice',
      { line: /GET .*\/projects\?/, url: (url) => url.replaceAll('%25', '%') },
      'E5.6',
      'the name of a parameter arrives as query.Maß+1  ',
    ],
    [
      'files that remain',
      { line: /DELETE .*\/documents\/[^/]+$/, ...status(204) },
      'E2.8',
      '1 are still listed',
    ],
    [
      'no mail links',
      { line: /POST .*\/generate/, edit: () => ({}) },
      'E4.1',
      'the response has no mailto link',
    ],
    [
      'a timer that the host no longer calls',
      { line: /GET .*\/health\/parts/, edit: (body) => withTimer(body, 'back-up-tables', 'overdue') },
      'E6.1',
      'back-up-tables is overdue',
    ],
    [
      'triggers that are not synchronized',
      { line: /GET .*\/health\/parts/, edit: (body) => withTimer(body, 'maintain-folder-queue', 'unknown') },
      'E6.1',
      'maintain-folder-queue has not run yet: are the triggers synchronized?',
    ],
    [
      'a provider that rejects the key',
      {
        line: /GET .*\/health\/parts/,
        edit: (body) => withPart(body, 'aiModel', { state: 'failing', code: 'ai_provider_error' }),
      },
      'E6.2',
      'aiModel is failing (ai_provider_error)',
    ],
    [
      'a folder for temporary files that is memory',
      { line: /GET .*\/health\/parts/, edit: (body) => withPart(body, 'uploadDisk', { uses: 'memory' }) },
      'E6.3',
      'they are written to memory',
    ],
    [
      'letters without a file',
      {
        line: /POST .*\/letters/,
        edit: (body) => ({ ...body, downloadUrl: `${target.baseUrl}/api/v1/health` }),
      },
      'E4.2',
      'the letter is no Word document',
    ],
    [
      'a gateway that takes bodies of any size',
      {
        line: /POST .*\/upload$/,
        respond: ({ headers }) =>
          Number(headers['content-length']) > 32 * 1024 ** 2 ? { status: 201 } : undefined,
      },
      'E5.2',
      'body: 201',
    ],
    [
      'a console without its policy',
      { line: /GET .*\/console/, withoutHeader: 'content-security-policy' },
      'E5.1',
      `missing or changed: ${policies('default-src', 'script-src', 'base-uri', 'frame-ancestors', 'require-trusted-types-for')}`,
    ],
    [
      'a console with a policy of default-src *',
      { line: /GET .*\/console/, headers: { 'content-security-policy': 'default-src *' } },
      'E5.1',
      `missing or changed: ${policies('default-src', 'script-src', 'base-uri', 'frame-ancestors', 'require-trusted-types-for')}`,
    ],
    [
      'a console that runs scripts in its page',
      {
        line: /GET .*\/console/,
        headers: {
          'content-security-policy':
            "default-src 'none'; script-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
        },
      },
      'E5.1',
      `missing or changed: ${policies('script-src')}`,
    ],
    [
      'a gateway with Cache-Control: public',
      { line: /\/api\/v1\/health/, headers: { 'cache-control': 'public, max-age=60' } },
      'E5.3',
      'Cache-Control is "public, max-age=60" (200)',
    ],
    [
      'a gateway without Cache-Control',
      { line: /\/api\/v1\/health/, withoutHeader: 'cache-control' },
      'E5.3',
      'Cache-Control is missing (200)',
    ],
    [
      'a gateway that gives requests ids of its own',
      { line: /\/api\/v1\//, headers: { 'x-request-id': 'own' } },
      'E5.3',
      'x-request-id is not that of the caller',
    ],
    [
      'a gateway without a rate limit',
      {
        line: /\/api\/v1\/health/,
        respond: () => ({ status: 200, headers: { 'x-request-id': 'x', 'cache-control': 'no-store' } }),
      },
      'E5.5',
      '240 calls without a 429',
    ],
    [
      'a gateway whose 429 says no time',
      {
        line: /\/api\/v1\/health/,
        after: 5,
        respond: () => ({ status: 429, body: { code: 'rate_limited' } }),
      },
      'E5.5',
      '429 without Retry-After',
    ],
  ])('%s: not accepted, and the step says so', async (_what, change, id, says) => {
    expect(failed(await accepted(change, only(id)))).toEqual([`${id}: ${says}`]);
  });

  test('a gateway without x-request-id in any response: not accepted', async () => {
    const rules = deploymentRules.filter(({ id }) => id === 'E1.2' || id === 'E5.3');
    const change: Change = { line: /\/api\/v1\/projects/, withoutHeader: 'x-request-id' };
    expect(failed(await accepted(change, { rules }))).toEqual([`E5.3: no x-request-id (401)`]);
  });

  test('a route that works without the gateway: not accepted', async () => {
    const open: Change = { line: /^GET \/api\/console/, respond: () => undefined };
    const others: Change = { line: /\/api\/v1\//, respond: () => ({ status: 401 }) };
    const run = await accepted(nothing, {
      service: [open, others],
      ...only('E5.4'),
    });
    expect(failed(run)).toEqual(['E5.4: without the gateway, GET /api/console returned 200']);
  });

  test('a deployment that does everything is accepted', async () => {
    // A folder for temporary files can be memory here, too.
    const rules = withoutLarge.filter(({ id }) => id !== 'E3.1' && id !== 'E6.3');
    const run = await accepted(nothing, { rules });
    expect(failed(run)).toEqual([]);
    expect(headlineOf(run)).toBe('Accepted: 20 rules hold, 0 differ, 0 were not probed');
  });

  test('a gateway whose lists are of a minute ago lists what was deleted', async () => {
    const rules = chosen(deploymentRules, 'E2').filter(({ id }) => !large.has(id));
    expect(failed(await accepted(caching(/^GET .*\/documents\/projects\/[^/?]+$/), { rules }))).toEqual([
      'E2.8: 1 are still listed',
    ]);
  });

  test('a gateway that drops Idempotency-Key fails the direct upload', async () => {
    const dropping: Change = { line: /POST .*\/uploads$/, withoutRequestHeader: 'idempotency-key' };
    expect(failed(await accepted(dropping, only('E2.6')))).toEqual([
      'E2.6: repeated with its Idempotency-Key, it is 409 upload_in_progress: the header does not arrive',
    ]);
  });

  test('a limit of the gateway that is too low fails the upload of 20 MiB only', async () => {
    const upload = 'E2.5';
    const tooLow: Change = {
      line: /POST .*\/upload$/,
      respond: ({ headers }) =>
        Number(headers['content-length']) > 8 * 1024 ** 2
          ? { status: 413, headers: { 'x-request-id': 'x', 'cache-control': 'no-store' } }
          : undefined,
    };
    expect(failed(await accepted(tooLow, only(upload)))).toEqual([
      `${upload}: POST returned 413, expected 201`,
    ]);
  });

  test.each<[string, Change, string]>([
    [
      'cuts what it sends at 1 MB',
      { line: /GET .*\/download$/, cutAt: 1_000_000 },
      '1000000 of 20971520 bytes come back',
    ],
    [
      'changes what it sends',
      {
        line: /GET .*\/download$/,
        respond: () => ({
          status: 200,
          body: 'x'.repeat(20 * 1024 ** 2),
          headers: { 'x-request-id': 'x', 'cache-control': 'no-store' },
        }),
      },
      'other bytes come back than were sent',
    ],
  ])('a gateway that %s fails the file of 20 MiB', async (_what, change, says) => {
    const rules = chosen(deploymentRules, 'E2.5').filter(({ id }) => id !== 'E2.4');
    expect(failed(await accepted(change, { rules }))).toEqual([`E2.5: ${says}`]);
  });

  test('an agent that claims nothing fails the step after a minute', async () => {
    const active: Change = { line: /GET .*\/agents$/, edit: () => ({ items: [{ state: 'idle' }] }) };
    expect(failed(await accepted(active, only('E3.1')))).toEqual([
      'E3.1: still PENDING after 60 s, with 1 agents',
    ]);
  });

  test('a run that ends in the middle leaves nothing to the next one', async () => {
    const killed = chosen(deploymentRules, 'E7').filter(({ stage }) => stage === 'makes');
    await probeAll(killed, new Deployment(target), { onOutcome: () => undefined });
    const noAgent: Change = { line: /GET .*\/agents$/, edit: () => ({ items: [] }) };
    // As above.
    const rules = withoutLarge.filter(({ id }) => id !== 'E6.3');
    expect(failed(await accepted(noAgent, { rules, changed: { hasGateway: false } }))).toEqual([]);
  });

  test('without tokens only what needs none is tried, and the headline says how much that is', async () => {
    const run = await accepted(nothing, { rules: deploymentRules, changed: { credentials: {} } });
    expect(failed(run)).toEqual([]);
    expect(headlineOf(run)).toBe('6 rules hold, 0 differ, 18 were not probed');
    const text = markdownOf(run, headlineOf(run));
    expect(text).toContain('needs a sign-in, or ACCEPT_TOKEN');
    expect(text).not.toContain('Accepted');
  });

  test.each<[string, NonNullable<Change['respond']>, RegExp]>([
    [
      'whose token ends',
      ({ headers }) => (headers.authorization ? { status: 401 } : undefined),
      /does not accept the token of a sign-in, or ACCEPT_TOKEN, or no longer \(401\)/,
    ],
    ['whose network fails', () => 'reset', /^no response \(TypeError (?:ECONNRESET|UND_ERR_SOCKET)\)/],
  ])('a run %s stops there, and names what could not be removed', async (_what, respond, reason) => {
    const run = await accepted(from(/POST .*\/provision/, respond), only('E7.1'));
    expect(run.stopped).toEqual({ at: 'E2.3', reason: expect.stringMatching(reason) });
    expect(failed(run)).toEqual([]);
    expect(headlineOf(run)).toMatch(/^2 rules hold, 0 differ, 0 were not probed\nStopped at rule E2\.3: /);
    expect(run.leftovers.left).toEqual([expect.stringMatching(/^what this run made in the service \(/)]);
    // The next run removes it.
    expect(failed(await accepted(nothing, only('E7.1')))).toEqual([]);
  });

  test('one lost connection fails its step only', async () => {
    let isLost = false;
    const once: Change = {
      line: /POST .*\/provision/,
      respond: () => {
        if (isLost) return undefined;
        isLost = true;
        return 'reset';
      },
    };
    const run = await accepted(once, only('E7.1'));
    expect(run.stopped).toBeUndefined();
    expect(failed(run)[0]).toMatch(/^E2\.3: the probe failed: TypeError (?:ECONNRESET|UND_ERR_SOCKET)$/);
  });

  test('a run that is interrupted removes what it made', async () => {
    const controller = new AbortController();
    const change: Change = {
      line: /POST .*\/provision/,
      respond: () => {
        controller.abort('interrupted (SIGINT)');
        return undefined;
      },
    };
    const run = await accepted(change, {
      ...only('E7.1'),
      changed: { signal: controller.signal },
    });
    expect(run.stopped).toEqual({ at: 'E2.3', reason: 'interrupted (SIGINT)' });
    expect(run.leftovers.left).toEqual([]);
    const { tokens } = stack().description;
    const own = await fetch(`${target.baseUrl}/api/v1/projects/acce97ed-0000-4000-8000-000000000001`, {
      headers: { authorization: `Bearer ${tokens.administrator}` },
    });
    expect(own.status).toBe(404);
  });

  test('no output has a token, an address, or a name', async () => {
    const run = await accepted({ line: /GET .*\/projects$/, ...status(500) });
    const text = markdownOf(run, headlineOf(run)) + run.outcomes.map(linesOf).join('\n');
    const { tokens, library } = stack().description;
    for (const secret of [
      tokens.administrator,
      tokens.noRole,
      library.driveId,
      '127.0.0.1',
      'localhost',
      'eyJ',
    ]) {
      expect(text).not.toContain(secret);
    }
  });
}
