import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Message } from '../../../lib/activities/text/task/text-provider.ts';
import { OpenAiTextProvider } from '../../../lib/activities/text/provider/openai-text-provider.ts';
import type { Clock } from '../../../lib/contract/clock.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { eventLog } from '../../../lib/base/event-log.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';
import {
  type AiProvider,
  type RecordedRequest,
  startAiProvider,
} from '../../../local/stand-ins/ai-provider/ai-provider.ts';
import { faultyTexts } from '../../../local/stand-ins/ai-provider/german-text.ts';

const apiKey = 'sk-test-4f6b';
const prompt: Message[] = [
  { role: 'system', content: 'Du verfasst geschäftliche E-Mails auf Deutsch.' },
  {
    role: 'user',
    content: JSON.stringify({ beschreibung: 'Termin verschieben', anrede: 'Guten Tag Anna Weber,' }),
  },
];

let server: AiProvider;
let lines: string[] = [];
let waits: number[] = [];

beforeAll(async () => {
  server = await startAiProvider({ apiKey });
});
afterAll(() => server.close());
beforeEach(async () => {
  lines = [];
  waits = [];
  await next([]);
  await requests();
});

/** The outcomes that the tests have had the stand-in return. */
const used = new Set<string>();

async function next(outcomes: string[] | { always: string }, of = server): Promise<void> {
  for (const outcome of Array.isArray(outcomes) ? outcomes : [outcomes.always]) used.add(outcome);
  const response = await fetch(`${of.adminUrl}/next`, { method: 'PUT', body: JSON.stringify(outcomes) });
  expect(response.status).toBe(200);
}

async function requests(of = server): Promise<RecordedRequest[]> {
  const response = await fetch(`${of.adminUrl}/requests`);
  return (await response.json()) as RecordedRequest[];
}

function provider(
  change: {
    baseUrl?: string;
    key?: string;
    timeoutMs?: number;
    randomValue?: number;
    now?: () => number;
    waited?: number[];
    wait?: Clock['wait'];
  } = {},
): OpenAiTextProvider {
  const { baseUrl = server.url, key = apiKey, timeoutMs = 60_000, randomValue = 1, waited = waits } = change;
  const { now = () => performance.now(), wait = async (ms) => void waited.push(ms) } = change;
  return new OpenAiTextProvider(
    {
      apiKey: new Secret(key),
      baseUrl,
      model: 'gpt-test',
      timeoutMs,
      maxOutputTokens: 8_000,
      sendsNames: true,
    },
    {
      clock: { now, wait },
      random: () => randomValue,
    },
  );
}

const write = (given: OpenAiTextProvider, logged = lines) => {
  const line = (text: string): void => void logged.push(text);
  return given.session(eventLog({ info: line, warn: line, error: line })).write(prompt);
};

async function failure(given: OpenAiTextProvider, logged = lines): Promise<ServiceError> {
  try {
    await write(given, logged);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the call succeeded');
}

// A clock without lag. Its readings are the start of the session, then the start and the timeout of each attempt.
const clockOf = (startedAtMs: number, attemptsMs: readonly [beginMs: number, endMs: number][]) => {
  const times = [startedAtMs, ...attemptsMs.flat()];
  return () => times.shift() ?? Number.NaN;
};

describe('a call', () => {
  test('a text requires one call, which has no unneeded parameters', async () => {
    const text = await write(provider());

    expect(text.subject).not.toBe('');
    expect(text.content).toMatch(/^Guten Tag Anna Weber,\n\n/);
    const [request, ...others] = await requests();
    expect(others).toEqual([]);
    expect(request?.path).toBe('/v1/chat/completions');
    const body = z.record(z.string(), z.unknown()).parse(request?.body);
    expect(body).not.toHaveProperty('temperature');
    expect(body['messages']).toEqual(prompt);
  });

  test.each([
    ['/openai/v1', ''],
    ['/openai/v1', '/'],
  ])('Azure and others require only a base URL (%s%s)', async (prefix, slash) => {
    await write(provider({ baseUrl: `${new URL(server.url).origin}${prefix}${slash}` }));
    expect((await requests())[0]?.path).toBe(`${prefix}/chat/completions`);
  });

  // docs/http-contract.md, "Activities": error when a retry is useless, unavailable when it is not.
  const finals: [outcome: string, code: string, detail: RegExp, setting?: string][] = [
    ['invalid-key', 'ai_provider_error', /AI_API_KEY/, 'AI_API_KEY'],
    ['no-permission', 'ai_provider_error', /AI_MODEL/, 'AI_MODEL'],
    ['unknown-model', 'ai_provider_error', /no such model.*\(AI_MODEL\)/, 'AI_MODEL'],
    ['quota', 'ai_provider_unavailable', /quota/],
    ['prompt-filter', 'ai_provider_error', /content filter/],
    ['bad-request', 'ai_provider_error', /tokens.*AI_MAX_OUTPUT_TOKENS/, 'AI_MAX_OUTPUT_TOKENS'],
    ['limit-reached', 'ai_provider_error', /cut off.*AI_MAX_OUTPUT_TOKENS/, 'AI_MAX_OUTPUT_TOKENS'],
    ['network-rule', 'ai_provider_error', /network rule.*\(AI_BASE_URL\)/, 'AI_BASE_URL'],
    ['private-endpoint', 'ai_provider_error', /network rule.*\(AI_BASE_URL\)/, 'AI_BASE_URL'],
    ['country', 'ai_provider_error', /country or region.*\(AI_BASE_URL\)/, 'AI_BASE_URL'],
    // Nothing has a default cause.
    ['unknown-denial', 'ai_provider_error', /status 403; ai_call_failed/],
    ['credits', 'ai_provider_unavailable', /quota or credit/],
    ['balance', 'ai_provider_unavailable', /quota or credit/],
    ['no-system-role', 'ai_provider_error', /system message.*\(AI_MODEL\)/, 'AI_MODEL'],
    ['gateway-filter', 'ai_provider_error', /content filter/],
    ['model-in-200', 'ai_provider_error', /no such model.*\(AI_MODEL\)/, 'AI_MODEL'],
    ['gone', 'ai_provider_error', /switched off.*\(AI_MODEL, AI_BASE_URL\)/, 'AI_MODEL'],
    ['other-kind', 'ai_provider_error', /another kind \(AI_MODEL\)/, 'AI_MODEL'],
    ['too-large', 'ai_provider_error', /413/],
    ['over-a-minute', 'ai_provider_error', /fewer tokens.*AI_MAX_OUTPUT_TOKENS/, 'AI_MAX_OUTPUT_TOKENS'],
    ['endless', 'ai_provider_error', /1 MiB/],
    // The stand-in also responds at the other address, so a single request shows that the redirect was not followed.
    ['redirect', 'ai_provider_error', /redirect.*AI_BASE_URL/, 'AI_BASE_URL'],
    ['length', 'ai_provider_error', /cut.*AI_MAX_OUTPUT_TOKENS/, 'AI_MAX_OUTPUT_TOKENS'],
    ['model-length', 'ai_provider_error', /cut.*AI_MAX_OUTPUT_TOKENS/, 'AI_MAX_OUTPUT_TOKENS'],
    ['cut-silently', 'ai_provider_error', /cut.*AI_MAX_OUTPUT_TOKENS/, 'AI_MAX_OUTPUT_TOKENS'],
    ['content-filter', 'ai_provider_error', /filter/],
    ['safety-filter', 'ai_provider_error', /filter/],
    ['refusal', 'ai_provider_error', /declined/],
  ];
  test.each(finals)('%s is %s without a retry', async (outcome, code, detail, setting) => {
    await next({ always: outcome });
    const error = await failure(provider());
    expect(error.code).toBe(code);
    expect(error.facts.detail).toMatch(detail);
    // What a user cannot change is said to be a setting.
    expect(error.facts.params?.['setting']).toBe(setting);
    expect(await requests()).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test.each([
    'rate-limit',
    'busy-in-200',
    'request-timeout',
    'conflict',
    'server-error',
    'bad-gateway',
    'overloaded',
    'reset',
    'failed-upstream',
  ])('%s is tried three times, then unavailable', async (outcome) => {
    await next({ always: outcome });
    expect((await failure(provider())).code).toBe('ai_provider_unavailable');
    expect(await requests()).toHaveLength(3);
    expect(waits).toEqual(['rate-limit', 'overloaded'].includes(outcome) ? [1000, 1000] : [500, 1000]);
  });

  test('a fence around the JSON causes no retry', async () => {
    await next({ always: 'fenced' });
    expect((await write(provider())).content).toContain('Guten Tag');
    expect(await requests()).toHaveLength(1);
  });

  test.each([
    'rate-limit',
    'server-error',
    'reset',
    'no-json',
    'wrong-shape',
    'empty-text',
    'null-content',
    'no-choices',
    'broken-body',
  ])('a single %s is retried', async (outcome) => {
    await next([outcome]);
    expect((await write(provider())).content).toContain('Guten Tag');
    expect(await requests()).toHaveLength(2);
  });

  test.each([
    'no-json',
    'wrong-shape',
    'empty-text',
    'null-content',
    'no-choices',
    'empty-object',
    'plain-text',
    'broken-body',
  ])('%s is retried once, then an error', async (outcome) => {
    await next({ always: outcome });
    expect((await failure(provider())).code).toBe('ai_provider_error');
    expect(await requests()).toHaveLength(2);
  });

  test('a page is requested once more, then the address is wrong', async () => {
    await next({ always: 'page' });
    const error = await failure(provider());
    expect(error.facts.detail).toMatch(/web page.*\(AI_BASE_URL\)/);
    expect(error.facts.params).toEqual({ setting: 'AI_BASE_URL' });
    expect(await requests()).toHaveLength(2);
  });

  test('a rejection with status 200 is one: the log has what it says', async () => {
    await next({ always: 'rejected-in-200' });
    expect((await failure(provider())).facts.detail).toMatch(/rejected the call with status 400/);
    expect(lines.join()).toContain('"providerMessage":"400 No models available"');
  });

  test('a response that breaks off is requested once more, then unavailable', async () => {
    await next({ always: 'break-off' });
    const { code, facts } = await failure(provider());
    expect([code, facts.detail]).toEqual(['ai_provider_unavailable', expect.stringContaining('broke off')]);
    expect(await requests()).toHaveLength(2);
  });

  test('an error object with status 200 is an error', async () => {
    await next({ always: 'error-in-200' });
    expect((await failure(provider())).code).toBe('ai_provider_error');
  });

  test("a wait longer than the deadline is left to the caller, with the provider's Retry-After", async () => {
    await next({ always: 'long-rate-limit' });
    const error = await failure(provider());
    expect(error.code).toBe('ai_provider_unavailable');
    expect(error.facts.retryAfterSeconds).toBe(120);
    expect(await requests()).toHaveLength(1);
  });

  test('a wait that the deadline cuts off ends with the failure before it', async () => {
    await next({ always: 'rate-limit' });
    const wait: Clock['wait'] = (_ms, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    const error = await failure(provider({ timeoutMs: 1500, now: () => 0, wait }));
    expect(error.facts.detail).toMatch(/busy/);
    expect(lines).toHaveLength(1);
    expect(await requests()).toHaveLength(1);
  });

  test('each attempt gets half of the remaining time, and the last one gets all of it', async () => {
    await next({ always: 'server-error' });
    const now = clockOf(0, [
      [0, 30_000],
      [30_000, 45_000],
      [45_000, 60_000],
    ]);
    await failure(provider({ timeoutMs: 60_000, now }));
    // In whole seconds, as the client sends it to the server.
    const seconds = (await requests()).map(({ headers }) => headers['x-stainless-timeout']);
    expect(seconds).toEqual(['30', '15', '15']);
  });

  test('the log of an unusable response names what is wrong with it', async () => {
    await next(['no-choices', 'length']);
    await failure(provider());
    const failures = lines.filter((line) => line.includes('ai_call_failed'));
    expect(failures.map((line) => JSON.parse(line) as object)).toMatchObject([
      { name: 'UnusableTextError', reason: 'form' },
      { name: 'UnusableTextError', reason: 'length' },
    ]);
  });

  test('the log of a model that the provider does not have names the setting', async () => {
    await next({ always: 'unknown-model' });
    await failure(provider());
    expect(lines.join()).toContain('"setting":"AI_MODEL"');
  });

  test('an unreachable server is reported as unavailable', async () => {
    const gone = await startAiProvider();
    await gone.close();
    const error = await failure(provider({ baseUrl: gone.url }));
    expect(error.code).toBe('ai_provider_unavailable');
    expect(error.facts.detail).toMatch(/reached/);
  });

  test('a wrong key is rejected by the server, and appears in no error and no log', async () => {
    const key = 'sk-wrong-93ab-secret';
    const error = await failure(provider({ key }));
    const shown = [String(error.stack), JSON.stringify(error.facts)].join('\n');
    expect(error.code).toBe('ai_provider_error');
    expect([shown, ...lines].join('\n')).not.toContain(key);
    expect(shown).not.toContain('Incorrect API key');
    expect(lines.join()).toContain('"providerMessage":"401 Incorrect API key provided."');
    expect(lines.join()).toContain('"status":401');
    expect(lines.join()).toContain('"providerRequestId":"req_local"');
  });
});

// These tests run in parallel, each with its own server: three attempts take 3.2 s, and the client's timer cannot be
// injected.
test.concurrent.each(['silence', 'stall'])(
  '%s ends with the deadline after three attempts',
  async (outcome) => {
    const own = await startAiProvider({ apiKey });
    try {
      await next({ always: outcome }, own);
      // The attempts take 1600, 800 and 800 ms; only a lag of 50 s would exceed the session's deadline.
      const now = clockOf(0, [
        [56_800, 58_400],
        [58_400, 59_200],
        [59_200, 60_000],
      ]);
      const [waited, logged]: [number[], string[]] = [[], []];
      const change = { baseUrl: own.url, timeoutMs: 60_000, randomValue: 0, now, waited };
      const error = await failure(provider(change), logged);
      expect(error.code).toBe('ai_provider_unavailable');
      expect(error.facts.detail).toMatch(/in time/);
      expect(waited).toEqual([250, 500]);
      expect(logged.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(
        Array.from({ length: 3 }, () => 'APIConnectionTimeoutError'),
      );
      expect(await requests(own)).toHaveLength(3);
    } finally {
      await own.close();
    }
  },
);

test('the tests above cover every failure that the stand-in lists', async () => {
  const response = await fetch(`${server.adminUrl}/switches`);
  const others = ((await response.json()) as string[]).filter((name) => !used.has(name));
  expect(others.toSorted()).toEqual(['ok', ...Object.keys(faultyTexts)].toSorted());
});

test('environment variables of the client have no effect', async () => {
  await requests();
  vi.stubEnv('OPENAI_API_KEY', 'sk-elsewhere');
  vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-elsewhere');
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/elsewhere');
  vi.stubEnv('OPENAI_ORG_ID', 'org-elsewhere');
  vi.stubEnv('OPENAI_PROJECT_ID', 'proj-elsewhere');
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-elsewhere: 1');
  try {
    // The stand-in rejects another key.
    expect((await write(provider())).subject).not.toBe('');
    const received = await requests();
    expect(received).toHaveLength(1);
    expect(JSON.stringify(received)).not.toContain('elsewhere');
  } finally {
    vi.unstubAllEnvs();
  }
});
