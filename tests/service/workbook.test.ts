import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { OpenAiTextProvider } from '../../lib/activities/text/provider/openai-text-provider.ts';
import { tokensOf } from '../../lib/activities/text/provider/text-response.ts';
import { eventLog, type EventLog } from '../../lib/base/event-log.ts';
import { problemCodes } from '../../lib/base/service-error.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { Secret } from '../../lib/contract/secret.ts';
import { AgentRegistry } from '../../lib/folder-requests/agent-registry.ts';
import { unloggedRequests } from '../../lib/http/unlogged-requests.ts';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { Api } from '../support/api.ts';
import { newTable, tableClient } from '../support/azurite.ts';
import { claimFrom, agent, openQueue } from '../support/folder-queue.ts';
import { closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { deployedPolicy, policyText, readPolicy } from '../support/policy-document.ts';
import { respond } from '../support/policy-run.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { test } from './folder-requests/fixture.ts';

interface Item {
  readonly type: number;
  readonly name: string;
  readonly content: { readonly query?: string; readonly title?: string };
}

const workbook = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../bicep/workbooks/operations.json'), 'utf8'),
) as { readonly version: string; readonly items: readonly Item[] };
const queries = workbook.items.filter(({ type }) => type === 3);
const allOf = (pattern: RegExp, text: string): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, value = '']) => value)),
];
/** Values of `name == "…"` and `name in ("…", "…")`. */
const comparedWith = (name: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`${name} (?:== |in \\()((?:"[^"]+"(?:, )?)+)`, 'g'))].flatMap(
    ([, list = '']) => allOf(/"([^"]+)"/g, list),
  );

const services = connect(
  readSettings({
    STORAGE_TABLE_ENDPOINT: 'https://localhost',
    STORAGE_BLOB_ENDPOINT: 'https://localhost',
    FOLDER_AGENT_API_KEYS: 'berlin:key-of-berlin-24-characters',
  }),
);

/** Every event that the service logs in this file, with its fields. */
const logged = new Map<string, Set<string>>();
function keep(line: string): void {
  const { event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const known = logged.get(String(event)) ?? new Set();
  for (const field of Object.keys(fields)) known.add(field);
  logged.set(String(event), known);
}
const logOf = (operation: string): EventLog =>
  eventLog({ info: keep, warn: keep, error: keep }, { requestId: 'r', operation });

async function useTheQueue(): Promise<void> {
  const log = logOf('any');
  const clock = new VirtualClock({ nowMs: Date.UTC(2026, 10, 20, 9) });
  const queue = openQueue(tableClient(await newTable()), { clock, seed: 1, rules: { maxExpiredLeases: 2 } });
  for (const targetPath of ['a', 'b', 'c']) await queue.create({ targetPath, requestedByUserId: 'u' }, log);
  const [first, second] = [await claimFrom(queue, agent('a'), log), await claimFrom(queue, agent('a'), log)];
  await queue.report(first!.id, agent('a'), { status: 'FULFILLED' }, log);
  await queue.report(second!.id, agent('a'), { status: 'FAILED', errorMessage: 'no' }, log);
  for (let at = 0; at < 3; at += 1) {
    await claimFrom(queue, agent('a'), log);
    clock.advance(600_000);
  }
  await queue.maintenance.run(log);
}

/** As servers report what a call costs. */
const usage = { usage: { prompt_tokens: 1, completion_tokens: 2 } };

/** Of a token that it rejects. */
function linesOfTheGateway(): readonly string[] {
  const api = readPolicy(deployedPolicy(policyText('api'), 32)).root;
  const run = respond({ api }, { operation: 'get-me', headers: {}, rejectedFor: 'TokenExpired' });
  for (;;) {
    const step = run.next();
    if (step.done) return step.value.traces;
  }
}

beforeAll(async () => {
  await useTheQueue();
  const registry = new AgentRegistry(tableClient(await newTable()), systemClock, logOf('any'));
  await registry.recordCall(agent('a'), 'folder-agent/1.0.0 (srv; linux)');

  const addUnlogged = unloggedRequests(204);
  for (const nowMs of [0, 300_000]) addUnlogged(logOf('claim-folder-request'), 10, nowMs);

  const api = new Api(services);
  await api.call('POST', '/folder-requests/claim');
  for (const line of [...api.lines, ...linesOfTheGateway()]) keep(line);

  logOf('generate-activity').info('ai_tokens', tokensOf(usage)!);

  const { port, release } = await closedPort();
  const provider = new OpenAiTextProvider({
    apiKey: new Secret('key'),
    baseUrl: `http://127.0.0.1:${port}`,
    model: 'm',
    timeoutMs: 2_000,
    maxOutputTokens: 8_000,
    sendsNames: true,
  });
  await provider
    .session(logOf('generate-activity'))
    .write([{ role: 'user', content: 'x' }])
    .catch(() => undefined);
  await release();
});

/** Events and fields that a query names and the service does not log. */
function neverLogged(query: string): string[] {
  const events = comparedWith('event', query);
  const fields = new Set(events.flatMap((event) => [...(logged.get(event) ?? [])]));
  const named = allOf(/\bfields\.(\w+)/g, query).filter((name) => name !== 'event');
  return [
    ...events.filter((event) => !logged.has(event)),
    ...named
      .filter((field) => !fields.has(field))
      // An error of the AI text provider has these fields only if there was a response.
      .filter((field) => !(events.includes('ai_call_failed') && /^(status|providerCode)$/.test(field))),
  ];
}

describe.each(queries.map((item) => [item.content.title ?? item.name, item.content.query ?? ''] as const))(
  '%s',
  (_title, query) => {
    test('queries events that the service logs, and fields that they have', () => {
      if (query.startsWith('traces')) expect(comparedWith('event', query)).not.toHaveLength(0);
      expect(neverLogged(query)).toEqual([]);
    });

    test('names codes and operations that exist', () => {
      const codes = comparedWith('tostring\\(fields\\.code\\)', query);
      for (const code of codes) expect(problemCodes).toContain(code);
      const ids = operations(services, '0').map(({ id }) => id);
      for (const id of comparedWith('tostring\\(fields\\.operation\\)', query)) expect(ids).toContain(id);
    });
  },
);

test('the workbook shows queue, agents, errors and providers', () => {
  expect(workbook.version).toBe('Notebook/1.0');
  expect(new Set(workbook.items.map(({ name }) => name)).size).toBe(workbook.items.length);
  expect(queries.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'depth',
      'oldest',
      'throughput',
      'agents',
      'codes',
      'rejected-calls',
      'provider-errors',
    ]),
  );
});

test('a query for an event or field that is never logged would be detected', () => {
  const query = (event: string, field: string) =>
    `traces | where event == "${event}" or event in ("folder_request_created", "b_c") | project fields.${field}`;
  expect(neverLogged(query('a', 'targetPath'))).toContain('a');
  expect(neverLogged(query('folder_queue_gauges', 'oldestSeconds'))).toEqual(['b_c', 'oldestSeconds']);
});
