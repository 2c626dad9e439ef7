import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { claimElsewhere, exampleRequests, waitingElsewhere } from './examples.ts';
import type { Stage } from './stage.ts';

/** Name of an agent whose last call was three hours ago. */
export const silentAgent = 'agent-silent';

/**
 * Adds its row, as its calls would have. Call it before the service first reads the agents: the service shows rows that
 * others write up to a minute late.
 */
export async function addSilentAgent({ stack }: Stage): Promise<void> {
  const table = TableClient.fromConnectionString(stack.description.tables.connectionString, 'Agents', {
    allowInsecureConnection: true,
  });
  const seenAt = new Date(Date.now() - 3 * 3_600_000);
  await table.upsertEntity({
    partitionKey: 'agent',
    rowKey: silentAgent,
    name: silentAgent,
    seenAt,
    eventAt: seenAt,
    version: '0.1.0',
    host: 'cellar',
  });
}

export function agentStories(stage: () => Stage): void {
  test('each agent has its state, version, host, outcomes and current request; an outdated one is marked', async () => {
    await exampleRequests(stage());
    await waitingElsewhere(stage());
    const { id } = await claimElsewhere(stage());
    const { version } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    const page = await stage().signedIn('administrator', '/agents');
    await page.getByRole('row').filter({ hasText: silentAgent }).waitFor();
    const cellsOf = async (agent: string): Promise<string[]> => {
      const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: agent, exact: true }) });
      return row.getByRole('cell').allInnerTexts();
    };
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Agent',
      'State',
      'Last seen',
      'Works on',
      'Last 24 hours',
      'Version',
      'Host',
      'Actions',
    ]);
    expect(await cellsOf('agent-1')).toEqual([
      'agent-1',
      'Idle',
      expect.stringMatching(/^(now|\d+ seconds ago|[12] minutes? ago)$/),
      '–',
      expect.stringMatching(/^[1-9]\d* fulfilled\s+[1-9]\d* failed$/),
      version,
      hostname(),
      '',
    ]);
    expect(await cellsOf('agent-spare')).toEqual([
      'agent-spare',
      'Working',
      expect.stringMatching(/^(now|\d+ seconds ago|1 minute ago)$/),
      id.slice(0, 8),
      expect.stringMatching(/^0 fulfilled\s+0 failed$/),
      expect.stringMatching(/^0\.0\.9\s+Outdated$/),
      'old-host',
      '',
    ]);
    expect(await cellsOf(silentAgent)).toEqual([
      silentAgent,
      'Silent',
      expect.stringMatching(/^(today|yesterday), \d\d:\d\d$/),
      '–',
      expect.stringMatching(/^0 fulfilled\s+0 failed$/),
      '0.1.0',
      'cellar',
      '',
    ]);
    await page.getByRole('link', { name: id.slice(0, 8) }).click();
    await page.getByRole('dialog').getByText('Processing').waitFor();
    await page.getByRole('dialog').getByText(id).waitFor();
  });
}
