import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUserAgent } from '../../../lib/contract/agent-identity.ts';
import { logFilter, type LogLevels } from '../../../local/stand-ins/functions-host/log-levels.ts';
import { appDirectory } from '../../support/built-functions.ts';
import type { Stack } from '../../support/stack.ts';

/** What a deployment pays for when nothing happens. The first calls of the agents have an event of their own. */
export function idleLogStories(stack: () => Stack): void {
  const claim = async (key: string): Promise<number> => {
    const response = await fetch(`${stack().description.baseUrl}/api/v1/folder-requests/claim`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'user-agent': agentUserAgent({ version: '1.0.0', host: 'srv', platform: 'linux' }),
      },
    });
    await response.arrayBuffer();
    return response.status;
  };

  /** What the service has logged so far, except the timer, which can fire at any time. */
  async function logged(): Promise<string[]> {
    const lines = (await readFile(stack().logs.functions, 'utf8')).trimEnd().split('\n');
    return lines.filter((line) => !line.includes('maintain-folder-queue'));
  }
  const eventOf = (line: string): string => /"event":"(\w+)"/.exec(line)?.[1] ?? line;

  test('40 empty claims of two agents write two lines: one agent_seen event for each agent', async () => {
    const { length } = await logged();
    await Promise.all(
      stack()
        .description.agents.slice(0, 2)
        .map(async ({ key }) => {
          for (let at = 0; at < 20; at += 1) expect(await claim(key)).toBe(204);
        }),
    );
    const added = async () => (await logged()).slice(length).map(eventOf);
    await expect.poll(added).toEqual(['agent_seen', 'agent_seen']);
  });

  test('every other request has a line', async () => {
    const { length } = await logged();
    expect(await claim('unknown-key-of-24-characters')).toBe(401);
    const added = async () => (await logged()).slice(length);
    await expect.poll(async () => (await added()).map(eventOf)).toEqual(['request']);
    expect((await added())[0]).toMatch(/"status":401.*"code":"invalid_agent_key"/);
  });

  describe('host.json', () => {
    let rules: LogLevels;
    let functionNames: readonly string[];
    beforeAll(async () => {
      const text = await readFile(join(await appDirectory(), 'host.json'), 'utf8');
      rules = (JSON.parse(text) as { logging: { logLevel: LogLevels } }).logging.logLevel;
      functionNames = await stack().host.functionNames();
    });

    // Seven rows of half a kilobyte for each function that ran within 30 s.
    test('keeps no metric rows of the host', () => {
      expect(rules['Host.Aggregator']).toBe('Warning');
    });

    test('names the existing functions, and no other', () => {
      const named = Object.keys(rules).flatMap((rule) => /^Function\.([^.]+)\.User$/.exec(rule)?.[1] ?? []);
      expect(named).toEqual(functionNames.toSorted());
    });

    test('keeps every failure and the service’s own lines, and nothing of the host about a successful call', () => {
      const isKept = logFilter(rules);
      for (const functionName of functionNames) {
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
}
