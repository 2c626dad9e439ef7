import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { timedFunctions } from '../../functions/timed-functions.ts';
import { tokensOf } from '../../lib/activities/text/provider/text-response.ts';
import { eventLog } from '../../lib/base/event-log.ts';
import { problemCodes } from '../../lib/base/service-error.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { AgentRegistry } from '../../lib/folder-requests/agent-registry.ts';
import { unloggedRequests } from '../../lib/http/unlogged-requests.ts';
import { connect, type Services } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { TimerRuns } from '../../lib/storage/timer-runs.ts';
import { Api } from '../support/api.ts';
import { azuriteConnectionString, newTable, tableClient } from '../support/azurite.ts';
import { contactsAt } from '../support/contact-records.ts';
import { newStorage } from '../support/shared-azurite.ts';
import { certain, claimFrom, agent, RecordedLog } from '../support/folder-queue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { test } from './folder-requests/fixture.ts';

const bicep = join(import.meta.dirname, '../../bicep');
const alerts = readFileSync(join(bicep, 'modules/alerts.bicep'), 'utf8');
const queries = [...alerts.matchAll(/^ *query: '(.*)'$/gm)].map(([, query = '']) => query);
const valuesOf = (pattern: RegExp, text: string): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, value = '']) => value)),
];

const services = connect(
  readSettings({
    STORAGE_TABLE_ENDPOINT: 'https://localhost',
    STORAGE_BLOB_ENDPOINT: 'https://localhost',
    FOLDER_AGENT_API_KEYS: 'berlin:key-of-berlin-24-characters',
  }),
);

const named = (lines: readonly string[], event: string): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['event'] === event);

describe('alerts query what the service logs', () => {
  test('every alert queries events, and each event is tested here', () => {
    expect(queries).toHaveLength(11);
    expect(queries.flatMap((query) => valuesOf(/event == "(\w+)"/g, query)).toSorted()).toEqual([
      'agent_gauges',
      'ai_model_retires',
      'ai_tokens',
      'folder_queue_gauges',
      'folder_queue_gauges',
      'folder_request_failed',
      'request',
      'request',
      'request',
      'requests_unlogged',
      'response_failed',
      'settings_invalid',
    ]);
    expect(queries.flatMap((query) => valuesOf(/event in \(([^)]*)\)/g, query))).toEqual([
      '"timer_overdue", "records_sync_overdue"',
      '"request", "requests_unlogged", "response_failed"',
    ]);
  });

  const queriedFields = (event: string): string[] =>
    queries
      .filter((query) => query.includes(`event == "${event}"`))
      .flatMap((query) => valuesOf(/fields\.(\w+)/g, query));

  test('requests', async () => {
    const api = new Api(services);
    const { status } = await api.call('POST', '/folder-requests/claim');
    const [line = {}] = named(api.lines, 'request');
    expect(queriedFields('request').toSorted()).toEqual(
      expect.arrayContaining(['code', 'operation', 'status']),
    );
    for (const field of queriedFields('request')) {
      // Only the claims that are counted have this field; they are tested below.
      if (field !== 'count') expect(line).toHaveProperty(field);
    }
    expect(line).toMatchObject({ operation: 'claim-folder-request', status, code: 'invalid_agent_key' });
  });

  test('agents', async () => {
    const log = new RecordedLog();
    const registry = new AgentRegistry(tableClient(await newTable()), systemClock, log);
    await registry.recordCall(agent('a'), null);
    expect(log.named('agent_seen')).toHaveLength(1);
  });

  test('agents that are silent, from the first that has called', async ({ world }) => {
    const { queue } = world.instance();
    const registry = new AgentRegistry(tableClient(await newTable()), world.clock, new RecordedLog());
    const timerRuns = new TimerRuns(tableClient(await newTable()), certain(world.clock));
    const [timer] = timedFunctions({ ...services, folderRequests: queue, agents: registry, timerRuns });
    const gauges = async (): Promise<unknown> => {
      const log = new RecordedLog();
      await timer!.handle(log);
      return log.named('agent_gauges').map(({ fields }) => fields);
    };
    expect(await gauges()).toEqual([{ silentSeconds: null }]);
    await registry.recordCall(agent('a'), null);
    await registry.recordCall(agent('b'), null);
    world.clock.advance(300_000);
    await registry.recordCall(agent('b'), null);
    world.clock.advance(601_000);
    expect(await gauges()).toEqual([{ silentSeconds: 601 }]);
    // A table of agents that cannot be read is no failure of the queue.
    const missing = tableClient('missing');
    const unread = new AgentRegistry(missing, world.clock, new RecordedLog());
    const [other] = timedFunctions({ ...services, folderRequests: queue, agents: unread, timerRuns });
    const log = new RecordedLog();
    await other!.handle(log);
    expect(log.events.map(({ level, event }) => `${level} ${event}`).toSorted()).toEqual([
      'info folder_queue_gauges',
      'warn left_for_later',
    ]);
    // Lists no longer show them; the alert still needs somebody.
    world.clock.advance(31 * 86_400_000);
    expect(await registry.all()).toEqual([]);
    expect(await gauges()).toEqual([{ silentSeconds: 31 * 86_400 + 601 }]);
    expect(queriedFields('agent_gauges')).toEqual(['silentSeconds']);
    expect(queries.filter((query) => query.includes('agent_gauges'))).toEqual([
      expect.stringMatching(/\| summarize arg_max\(timestamp, fields\) \| where .*silentSeconds\) > 600$/),
    ]);
  });

  test('a system of record that no longer synchronizes', async () => {
    const clock = new VirtualClock();
    const table = tableClient(await newTable());
    const syncs = contactsAt(table, { clock }).syncs;
    const timerRuns = new TimerRuns(tableClient(await newTable()), certain(clock));
    const withClients = (clients: string): Services => ({
      ...connect(
        readSettings({
          STORAGE_CONNECTION_STRING: azuriteConnectionString(),
          RECORDS_SYNC_CLIENT_IDS: clients,
        }),
      ),
      contactSyncs: syncs,
      timerRuns,
    });
    const hoursOverdue = async (clients = '00000000-0000-0000-0000-00000000000a'): Promise<unknown> => {
      const log = new RecordedLog();
      await timedFunctions(withClients(clients))
        .find(({ id }) => id === 'maintain-uploads')!
        .handle(log);
      return log.named('records_sync_overdue').map(({ level, fields }) => ({ level, ...fields }));
    };
    const synchronize = async (): Promise<string> => {
      const { id } = await syncs.begin();
      expect(await syncs.finish(id)).toMatchObject({ isFinished: true });
      return id;
    };
    const days = (count: number): void => clock.advance(count * 86_400_000);
    // Never set up.
    days(40);
    expect(await hoursOverdue()).toEqual([]);
    await synchronize();
    days(1);
    await synchronize();
    days(4);
    expect(await hoursOverdue()).toEqual([]);
    days(1);
    expect(await hoursOverdue()).toEqual([{ level: 'error', records: 'contacts', hours: 120 }]);
    // Removed on purpose.
    expect(await hoursOverdue('')).toEqual([]);
    days(2);
    const weekly = await synchronize();
    // A repeated end is none.
    days(1);
    await syncs.finish(weekly);
    days(20);
    expect(await hoursOverdue()).toEqual([]);
    days(1);
    expect(await hoursOverdue()).toEqual([{ level: 'error', records: 'contacts', hours: 528 }]);
  });

  test('claims that are only counted', () => {
    const lines: string[] = [];
    const keep = (line: string): void => void lines.push(line);
    const log = eventLog({ info: keep, warn: keep, error: keep }, { operation: 'claim-folder-request' });
    const addUnlogged = unloggedRequests(204);
    for (let at = 0; at <= 300; at += 1) addUnlogged(log, at === 7 ? 120 : 10, at * 1000);
    expect(named(lines, 'requests_unlogged')).toEqual([
      {
        event: 'requests_unlogged',
        operation: 'claim-folder-request',
        status: 204,
        count: 301,
        maxMs: 120,
      },
    ]);
    for (let at = 301; at < 600; at += 1) addUnlogged(log, 10, at * 1000);
    expect(lines).toHaveLength(1);
    addUnlogged(log, 10, 600_000);
    expect(named(lines, 'requests_unlogged')[1]).toMatchObject({ count: 300, maxMs: 10 });
    expect(queriedFields('requests_unlogged').toSorted()).toEqual(['code', 'count', 'operation', 'status']);
  });

  test('tokens', () => {
    const logged = tokensOf({ usage: { prompt_tokens: 1, completion_tokens: 2 } });
    expect(logged).toEqual({ input: 1, output: 2 });
    expect(queriedFields('ai_tokens')).toEqual(Object.keys(logged!));
  });

  test('settings', () => {
    // tests/whole/faulty-settings.test.ts checks the line itself, in the package.
    const start = readFileSync(join(bicep, '../functions/index.ts'), 'utf8');
    expect(start).toContain("log.error('settings_invalid', ");
    expect(queries.filter((query) => query.includes('settings_invalid'))).toHaveLength(1);
  });

  test('the queue', async ({ world }) => {
    const lines: string[] = [];
    const keep = (line: string): void => void lines.push(line);
    const log = eventLog({ info: keep, warn: keep, error: keep });
    const { queue } = world.instance();
    await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, log);
    await queue.create({ targetPath: 'b', requestedByUserId: 'user-1' }, log);
    const claim = await claimFrom(queue, agent('a'), log);
    await queue.report(claim?.id ?? '', agent('a'), { status: 'FAILED', errorMessage: 'full' }, log);
    world.clock.advance(901_000);
    await queue.maintenance.run(log);
    expect(named(lines, 'folder_request_failed')).toHaveLength(1);
    const [gauges = {}] = named(lines, 'folder_queue_gauges');
    expect(queriedFields('folder_queue_gauges')).toEqual(['oldestPendingSeconds']);
    // In seconds: above the alert's threshold of 900.
    expect(gauges).toMatchObject({ oldestPendingSeconds: 901 });
  });

  test('timers that fail', async () => {
    const { connectionString, stop } = await newStorage();
    // Without tables, each request of a timer is rejected.
    const broken = connect(readSettings({ STORAGE_CONNECTION_STRING: connectionString }));
    const log = new RecordedLog();
    for (const timed of timedFunctions(broken)) await timed.handle(log);
    await stop();
    // Nor could their runs be recorded.
    const notRecorded = { level: 'warn', fields: { what: 'timer_run', reason: 'RestError' } };
    const noGauge = { level: 'warn', fields: { what: 'agent_gauges', reason: 'RestError' } };
    const others = Array.from({ length: 3 }, () => notRecorded);
    expect(log.named('left_for_later')).toMatchObject([noGauge, notRecorded, ...others]);
    const failures = log.events.filter(({ event }) => event !== 'left_for_later');
    expect(failures.map(({ level, event }) => `${level} ${event}`)).toEqual([
      'error folder_queue_maintenance_failed',
      'error upload_key_maintenance_failed',
      'error table_backup_maintenance_failed',
    ]);
    expect(queries.filter((query) => query.includes('_failed"'))).toContainEqual(
      expect.stringMatching(/\| where event endswith "_maintenance_failed" or event in \(/),
    );
  });

  test('timers that the host does not call, or that go on failing', async () => {
    const clock = new VirtualClock();
    const table = tableClient(await newTable());
    const timerRuns = new TimerRuns(table, certain(clock));
    const failing = { run: () => Promise.reject(new Error('full')) };
    const timers = timedFunctions({ ...services, timerRuns, modelEnd: () => null, backup: failing });
    const run = async (id: string) => {
      const log = new RecordedLog();
      await timers.find((timer) => timer.id === id)!.handle(log);
      return log.named('timer_overdue').map(({ fields }) => fields);
    };
    const states = async () => (await timerRuns.of(timers)).map(({ state }) => state);
    expect(await states()).toEqual(Array(4).fill('unknown'));
    // The first run expects the others, each for as long as its schedule allows.
    expect(await run('check-ai-model')).toEqual([]);
    clock.advance(5 * 60_000);
    expect(await run('check-ai-model')).toEqual([]);
    clock.advance(1_000);
    expect(await run('check-ai-model')).toEqual([{ timer: 'maintain-folder-queue', minutes: 5 }]);
    expect(await states()).toEqual(['overdue', 'unknown', 'ok', 'unknown']);
    // A run that fails is no sign of life: the backup is overdue 26 hours after it was expected, or succeeded.
    clock.advance(25 * 3_600_000);
    await run('back-up-tables');
    expect((await states())[3]).toBe('failing');
    clock.advance(3_600_000);
    expect(await run('check-ai-model')).toEqual([
      { timer: 'maintain-folder-queue', minutes: 1565 },
      { timer: 'maintain-uploads', minutes: 1565 },
      { timer: 'back-up-tables', minutes: 1565 },
    ]);
    await timerRuns.record('back-up-tables', true);
    expect((await states())[3]).toBe('ok');
    clock.advance(1);
    await timerRuns.record('back-up-tables', false);
    expect((await states())[3]).toBe('failing');
  });
});

test('an alert that waits for requests remains open without data, and the absence of data raises its own', () => {
  const [, oldest = '', silence = ''] = queries.filter((query) => /gauges|settings_invalid/.test(query));
  // The last known value decides, not the last five minutes.
  expect(oldest).toMatch(/\| summarize arg_max\(timestamp, fields\) \| where todouble\(fields\.\w+\) > 900$/);
  const criteria = (query: string): string[] =>
    /windowSize: '(\w+)'\n +threshold: (\d+)\n +operator: '(\w+)'/
      .exec(alerts.slice(alerts.indexOf(`'${query}'`)))
      ?.slice(1) ?? [];
  expect(criteria(oldest)).toEqual(['P2D', '0', 'GreaterThan']);
  // Before the first line of the service both are null, and nothing is raised.
  const [, times, condition] = /\| summarize (.*) \| where (.*)$/.exec(silence) ?? [];
  expect(times).toBe('since = min(timestamp), gaugedAt = maxif(timestamp, event == "folder_queue_gauges")');
  expect(condition).toBe('since < ago(5m) and (isnull(gaugedAt) or gaugedAt < ago(5m))');
  expect(criteria(silence)).toEqual(['P2D', '0', 'GreaterThan']);
});

test('the codes and operations that alerts name exist', () => {
  const ids = operations(services, '0').map(({ id }) => id);
  const queried = valuesOf(/tostring\(fields\.operation\) == "([^"]+)"/g, alerts);
  expect(queried).toEqual(['generate-activity']);
  for (const id of queried) expect(ids).toContain(id);
  const codes = valuesOf(/tostring\(fields\.code\) (?:!=|startswith) "([^"]+)"/g, alerts);
  expect(codes.toSorted()).toEqual(['ai_provider', 'not_configured']);
  for (const code of codes)
    expect(
      problemCodes.some((known) => known.startsWith(code)),
      code,
    ).toBe(true);
});

test('a share is computed per operation, so the polls of idle agents do not hide errors', () => {
  const shares = queries.filter((query) => query.includes('total'));
  expect(shares).toHaveLength(2);
  for (const query of shares) {
    expect(query).toMatch(
      /fields\.operation\) == "[^"]+" \| summarize|\) by tostring\(fields\.operation\) \|/,
    );
    // No minimum count: ten uploads that all fail must raise the alert.
    expect(query).not.toMatch(/\btotal >/);
  }
});

test('an alert on events resolves automatically because an open alert would suppress the next one', () => {
  const events = ['"folder_request_failed"', '"settings_invalid"'];
  const closes = [...alerts.matchAll(/^ *closesItself: (\w+)$/gm)].map(([, value]) => value);
  expect(closes).toEqual(queries.map((query) => String(!events.some((event) => query.includes(event)))));
  expect(alerts).toContain('autoMitigate: alert.closesItself');
});

test('a failed function raises an alert unless the service logged its response, as it does for a client that disconnects', () => {
  const query = queries.find((text) => text.includes('requests |')) ?? '';
  expect(query).toMatch(/^let spoken = .* \| where event == "request" \| distinct operation_Id;/);
  expect(query).toMatch(/\| where operation_Id !in \(spoken\) and operation_Id !in \(left\)$/);
  // If a client disconnects while the host still reads the body, the service is never called. The query matches the
  // message, because a body above the limit has the same type and is a failure.
  expect(query).toMatch(
    /; let left = exceptions \| where innermostMessage has "Unexpected end of request content" or /,
  );
  expect(query).not.toContain('BadHttpRequestException');
  // A client that disconnects is not a 5xx of the gateway, and only the host's rows have an invocation.
  expect(query).toContain(
    'where toint(resultCode) >= 500 or (success == false and isnotempty(customDimensions.InvocationId))',
  );
});

test('the runbook explains each alert and what to do', () => {
  const runbook = readFileSync(join(bicep, 'README.md'), 'utf8');
  const names = [...alerts.matchAll(/^ *displayName: '([^']+)'$/gm)].map(([, name = '']) => name);
  const rows = [...runbook.matchAll(/^\| ([^|]+) \| (\d) \| [^|]{10,} \| [^|]{10,} \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(names);
  const severities = [...alerts.matchAll(/^ *severity: (\d)$/gm)].map(([, severity]) => severity);
  expect(rows.map(([, , severity]) => severity)).toEqual(severities);
});
