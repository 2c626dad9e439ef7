import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUserAgent } from '../../lib/contract/agent-identity.ts';
import { FunctionsHost, type LogEntry } from '../../local/stand-ins/functions-host/functions-host.ts';
import { logFilter, type LogLevels } from '../../local/stand-ins/functions-host/log-levels.ts';
import { appDirectory } from '../support/built-functions.ts';
import { newStorage } from '../support/shared-azurite.ts';

const agentKeys = Array.from({ length: 10 }, (_, at) => `agent-${at}-secret-of-24-characters`);
const logs: LogEntry[] = [];
let host: FunctionsHost;

beforeAll(async () => {
  const { connectionString } = await newStorage();
  host = await FunctionsHost.start({
    appDirectory: await appDirectory(),
    env: {
      STORAGE_CONNECTION_STRING: connectionString,
      FOLDER_AGENT_API_KEYS: agentKeys.map((key, at) => `agent-${at}:${key}`).join(','),
    },
    onLog: (entry) => logs.push(entry),
  });
});
afterAll(() => host?.stop());

const claim = async (key = ''): Promise<number> => {
  const response = await fetch(`${host.origin}/api/v1/folder-requests/claim`, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'user-agent': agentUserAgent({ version: '1.0.0', host: 'srv', platform: 'linux' }),
    },
  });
  await response.arrayBuffer();
  return response.status;
};

const eventOf = ({ message }: LogEntry): string =>
  message.startsWith('{') ? (JSON.parse(message) as { event: string }).event : message;
// Excludes the timer, which can fire at any time.
const ofCalls = (): LogEntry[] =>
  logs.filter(({ functionName, message }) => !/maintain-folder-queue/.test(functionName ?? message));

test('200 empty claims of ten agents write ten lines: one agent_seen event for each agent', async () => {
  logs.length = 0;
  await Promise.all(
    agentKeys.map(async (key) => {
      for (let at = 0; at < 20; at += 1) expect(await claim(key)).toBe(204);
    }),
  );
  await expect.poll(() => ofCalls().length).toBeGreaterThanOrEqual(10);
  expect(ofCalls().map(eventOf)).toEqual(Array.from({ length: 10 }, () => 'agent_seen'));
});

test('every other request has a line', async () => {
  logs.length = 0;
  expect(await claim('unknown-key-of-24-characters')).toBe(401);
  expect(ofCalls().map(eventOf)).toEqual(['request']);
  const [line] = ofCalls();
  expect(JSON.parse(line!.message)).toMatchObject({ status: 401, code: 'invalid_agent_key' });
});

describe('host.json', () => {
  let rules: LogLevels;
  beforeAll(async () => {
    const text = await readFile(join(await appDirectory(), 'host.json'), 'utf8');
    rules = (JSON.parse(text) as { logging: { logLevel: LogLevels } }).logging.logLevel;
  });

  // Seven rows of half a kilobyte for each function that ran within 30 s.
  test('keeps no metric rows of the host', () => {
    expect(rules['Host.Aggregator']).toBe('Warning');
  });

  test('names the existing functions, and no other', async () => {
    const named = Object.keys(rules).flatMap((rule) => /^Function\.([^.]+)\.User$/.exec(rule)?.[1] ?? []);
    expect(named).toEqual((await host.functionNames()).toSorted());
  });

  test('keeps every failure and the service’s own lines, and nothing of the host about a successful call', async () => {
    const isKept = logFilter(rules);
    for (const functionName of await host.functionNames()) {
      const entry = { functionName, message: '' };
      expect(isKept({ ...entry, category: 'system', level: 'error' })).toBe(true);
      expect(isKept({ ...entry, category: 'results', level: 'error' })).toBe(true);
      expect(isKept({ ...entry, category: 'user', level: 'information' })).toBe(true);
      expect(isKept({ ...entry, category: 'results', level: 'information' })).toBe(false);
      expect(isKept({ ...entry, category: 'system', level: 'information' })).toBe(false);
    }
    expect(isKept({ category: 'console', level: 'information', message: '' })).toBe(true);
  });
});
