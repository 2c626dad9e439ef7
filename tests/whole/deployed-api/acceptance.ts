import { beforeAll, expect, test } from 'vitest';
import {
  accept,
  type AcceptanceRun,
  headlineOf,
  markdownOf,
  type Target,
} from '../../../tools/accept/acceptance.ts';
import { steps } from '../../../tools/accept/steps.ts';
import { localTarget } from '../../../tools/accept/targets.ts';
import type { Stack } from '../../support/stack.ts';
import type { Change } from '../../support/change.ts';
import { startChangingProxy } from '../support/changing-proxy.ts';

const large = /20 MiB|100 MiB/;

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
  readonly isMeant?: (title: string) => boolean;
  readonly service?: readonly Change[];
  readonly changed?: Partial<Target>;
}

const nothing: Change = { line: /^never$/ };

const failed = ({ outcomes }: AcceptanceRun) =>
  outcomes.filter(({ result }) => result === 'FAILED').map(({ title, says }) => `${title}: ${says}`);

const status = (code: number, body = {}) => ({ respond: () => ({ status: code, body }) });

const withTimer = (body: any, changed: string, state: string): object => ({
  ...body,
  timers: (body.timers as { timer: string }[]).map((each) =>
    each.timer === changed ? { ...each, state } : each,
  ),
});

const withoutToken = 'callers without a token, with a wrong one, and agents with a wrong key are 401';
const ofConsole = 'the console is served with its security headers';
const ofEveryResponse = 'responses have a request id, and no cache may keep them';

const policies = (...directives: readonly string[]): string =>
  directives.map((directive) => `content-security-policy: ${directive}`).join(', ');

const foundations = new Set([
  'nothing of an earlier run is left',
  'project and contact are stored',
  'the subfolders are created',
  'a file of 1 MiB goes through the gateway, and comes back whole',
]);
/** The step, after those that make what it needs, which is nothing for a step without a token. */
const only = (title: string): Behind => {
  const indexOf = (wanted: string): number => steps.findIndex((step) => step.title === wanted);
  const isNeeded = (each: string): boolean =>
    steps[indexOf(title)]?.needs !== undefined && foundations.has(each) && indexOf(each) < indexOf(title);
  return { isMeant: (each) => each === title || isNeeded(each) };
};

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
  let target: Target;

  beforeAll(async () => {
    target = await localTarget(stack().description);
    // As a minute of the clock does.
    await stack().host.runTimer('maintain-folder-queue');
  });

  /** Runs the steps behind a gateway with this fault; waits pass immediately. */
  async function accepted(
    change: Change,
    { isMeant = (title) => !large.test(title), service = [closedService], changed = {} }: Behind = {},
  ): Promise<AcceptanceRun> {
    await using proxy = await startChangingProxy(target.baseUrl, [...gatewayLimits(), change]);
    await using serviceProxy = await startChangingProxy(target.baseUrl, service);
    let waitedMs = 0;
    const behind: Target = {
      ...target,
      hasGateway: true,
      serviceUrl: serviceProxy.url,
      baseUrl: proxy.url,
      now: () => performance.now() + waitedMs,
      wait: async (ms) => void (waitedMs += 20 * ms),
      ...changed,
    };
    // Awaited, because the proxy ends with this function.
    return await accept(
      steps.filter(({ title }) => isMeant(title)),
      behind,
      () => undefined,
    );
  }

  test.each<[string, Change, string, string]>([
    [
      'health without a version',
      { line: /GET .*\/health/, edit: () => ({ status: 'ok' }) },
      'the service is healthy',
      'the response has no version',
    ],
    [
      'no WWW-Authenticate',
      { line: /GET .*\/projects$/, withoutHeader: 'www-authenticate' },
      withoutToken,
      'WWW-Authenticate is missing',
    ],
    [
      'agents with any key',
      { line: /POST .*\/claim/, ...status(204) },
      withoutToken,
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
      'a user without a role is 403',
      'GET returned 200, expected 403 forbidden',
    ],
    [
      'projects of another name',
      { line: /GET .*\/projects\/.+/, edit: (body) => ({ ...body, name: 'x' }) },
      'project and contact are stored',
      'the project has another name than the one sent',
    ],
    [
      'seven folders',
      { line: /POST .*\/provision/, edit: (body) => ({ ...body, folders: body.folders.slice(1) }) },
      'the subfolders are created',
      '7 folders',
    ],
    [
      'a file that is shorter',
      { line: /POST .*\/upload$/, edit: (body) => ({ ...body, size: 1 }) },
      'a file of 1 MiB goes through the gateway, and comes back whole',
      'the stored file has 1 of 1048576 bytes',
    ],
    [
      'ranges that are ignored',
      {
        line: /GET .*\/download/,
        respond: ({ headers }) => (headers.range === undefined ? undefined : { status: 200 }),
      },
      'files are listed, downloaded in part, and linked',
      'GET returned 200, expected 206',
    ],
    [
      'files that remain',
      { line: /DELETE .*\/documents\/[^/]+$/, ...status(204) },
      'files are deleted, and leave the list',
      '1 are still listed',
    ],
    [
      'no mail links',
      { line: /POST .*\/generate/, edit: () => ({}) },
      'an email is written',
      'the response has no mailto link',
    ],
    [
      'a timer that the host no longer calls',
      { line: /GET .*\/health\/parts/, edit: (body) => withTimer(body, 'back-up-tables', 'overdue') },
      'the timers run',
      'back-up-tables is overdue',
    ],
    [
      'triggers that are not synchronized',
      { line: /GET .*\/health\/parts/, edit: (body) => withTimer(body, 'maintain-folder-queue', 'unknown') },
      'the timers run',
      'maintain-folder-queue has not run yet: are the triggers synchronized?',
    ],
    [
      'letters without a file',
      {
        line: /POST .*\/letters/,
        edit: (body) => ({ ...body, downloadUrl: `${target.baseUrl}/api/v1/health` }),
      },
      'a letter is stored in the OneDrive of the user',
      'the letter is no Word document',
    ],
    [
      'a gateway that takes bodies of any size',
      {
        line: /POST .*\/upload$/,
        respond: ({ headers }) =>
          Number(headers['content-length']) > 32 * 1024 ** 2 ? { status: 201 } : undefined,
      },
      'headers of 40 KiB are rejected, and by the gateway a body of 40 MiB',
      'body: 201',
    ],
    [
      'a console without its policy',
      { line: /GET .*\/console/, withoutHeader: 'content-security-policy' },
      ofConsole,
      `missing or changed: ${policies('default-src', 'script-src', 'base-uri', 'frame-ancestors', 'require-trusted-types-for')}`,
    ],
    [
      'a console with a policy of default-src *',
      { line: /GET .*\/console/, headers: { 'content-security-policy': 'default-src *' } },
      ofConsole,
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
      ofConsole,
      `missing or changed: ${policies('script-src')}`,
    ],
    [
      'a gateway with Cache-Control: public',
      { line: /\/api\/v1\/health/, headers: { 'cache-control': 'public, max-age=60' } },
      ofEveryResponse,
      'Cache-Control is "public, max-age=60" (200)',
    ],
    [
      'a gateway without Cache-Control',
      { line: /\/api\/v1\/health/, withoutHeader: 'cache-control' },
      ofEveryResponse,
      'Cache-Control is missing (200)',
    ],
    [
      'a gateway that gives requests ids of its own',
      { line: /\/api\/v1\//, headers: { 'x-request-id': 'own' } },
      ofEveryResponse,
      'x-request-id is not that of the caller',
    ],
    [
      'a gateway without a rate limit',
      {
        line: /\/api\/v1\/health/,
        respond: () => ({ status: 200, headers: { 'x-request-id': 'x', 'cache-control': 'no-store' } }),
      },
      'the gateway limits the calls of one address',
      '240 calls without a 429',
    ],
    [
      'a gateway whose 429 says no time',
      {
        line: /\/api\/v1\/health/,
        after: 5,
        respond: () => ({ status: 429, body: { code: 'rate_limited' } }),
      },
      'the gateway limits the calls of one address',
      '429 without Retry-After',
    ],
  ])('%s: not accepted, and the step says so', async (_what, change, title, says) => {
    expect(failed(await accepted(change, only(title)))).toEqual([`${title}: ${says}`]);
  });

  test('a gateway without x-request-id in any response: not accepted', async () => {
    const titles = new Set([withoutToken, ofEveryResponse]);
    const change: Change = { line: /\/api\/v1\/projects/, withoutHeader: 'x-request-id' };
    expect(failed(await accepted(change, { isMeant: (title) => titles.has(title) }))).toEqual([
      `${ofEveryResponse}: no x-request-id (401)`,
    ]);
  });

  test('a route that works without the gateway: not accepted', async () => {
    const open: Change = { line: /^GET \/api\/console/, respond: () => undefined };
    const others: Change = { line: /\/api\/v1\//, respond: () => ({ status: 401 }) };
    const run = await accepted(nothing, {
      service: [open, others],
      isMeant: (title) => title.includes('without the gateway'),
    });
    expect(failed(run)).toEqual([
      'the service lets nobody in who comes without the gateway: without the gateway, GET /api/console returned 200',
    ]);
  });

  test('a deployment that does everything is accepted', async () => {
    const run = await accepted(nothing, { isMeant: (title) => !/20 MiB|100 MiB|agent/.test(title) });
    expect(failed(run)).toEqual([]);
    expect(headlineOf(run)).toBe('Accepted');
  });

  test('a limit of the gateway that is too low fails the upload of 20 MiB only', async () => {
    const upload = 'a file of 20 MiB goes through the gateway, and comes back whole';
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
    const title = 'a file of 20 MiB goes through the gateway, and comes back whole';
    const isMeant = (each: string) => each === title || (foundations.has(each) && !each.includes('1 MiB'));
    expect(failed(await accepted(change, { isMeant }))).toEqual([`${title}: ${says}`]);
  });

  test('an agent that claims nothing fails the step after a minute', async () => {
    const active: Change = { line: /GET .*\/agents$/, edit: () => ({ items: [{ state: 'idle' }] }) };
    expect(failed(await accepted(active, only('a folder request is fulfilled by an agent')))).toEqual([
      'a folder request is fulfilled by an agent: still PENDING after 60 s, with 1 agents',
    ]);
  });

  test('a run that ends in the middle leaves nothing to the next one', async () => {
    const needed = steps.filter(({ title }) => foundations.has(title));
    await accept(needed, target, () => undefined);
    const noAgent: Change = { line: /GET .*\/agents$/, edit: () => ({ items: [] }) };
    expect(failed(await accepted(noAgent, { changed: { hasGateway: false } }))).toEqual([]);
  });

  test('without tokens only what needs none is tried, and the headline says how much that is', async () => {
    const run = await accepted(nothing, { isMeant: () => true, changed: { credentials: {} } });
    expect(failed(run)).toEqual([]);
    expect(headlineOf(run)).toBe('6 of 21 checked');
    expect(markdownOf(run)).toContain('needs a sign-in, or ACCEPT_TOKEN');
    expect(markdownOf(run)).not.toContain('Accepted');
  });

  test.each<[string, NonNullable<Change['respond']>, RegExp]>([
    [
      'whose token ends',
      ({ headers }) => (headers.authorization ? { status: 401 } : undefined),
      /does not accept the token of a sign-in, or ACCEPT_TOKEN, or no longer \(401\)/,
    ],
    ['whose network fails', () => 'reset', /no response \((?:ECONNRESET|UND_ERR_SOCKET)\)/],
  ])('a run %s stops there, and names what could not be removed', async (_what, respond, reason) => {
    const run = await accepted(from(/POST .*\/provision/, respond), only('nothing is left'));
    expect(run.stopped).toEqual({ at: 'the subfolders are created', reason: expect.stringMatching(reason) });
    expect(failed(run)).toEqual([]);
    expect(headlineOf(run)).toMatch(
      /^Stopped at "the subfolders are created": .* \(2 of 5 checked\); what this run made could not be removed/,
    );
    // The next run removes it.
    expect(failed(await accepted(nothing, only('nothing is left')))).toEqual([]);
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
    const run = await accepted(once, only('nothing is left'));
    expect(run.stopped).toBeUndefined();
    expect(failed(run)[0]).toMatch(/the subfolders are created: no response/);
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
      ...only('nothing is left'),
      changed: { signal: controller.signal },
    });
    expect(run.stopped).toEqual({ at: 'the subfolders are created', reason: 'interrupted (SIGINT)' });
    expect(run.left).toBeUndefined();
    const { tokens } = stack().description;
    const own = await fetch(`${target.baseUrl}/api/v1/projects/acce97ed-0000-4000-8000-000000000001`, {
      headers: { authorization: `Bearer ${tokens.administrator}` },
    });
    expect(own.status).toBe(404);
  });

  test('no output has a token, an address, or a name', async () => {
    const run = await accepted({ line: /GET .*\/projects$/, ...status(500) });
    const text = markdownOf(run);
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
