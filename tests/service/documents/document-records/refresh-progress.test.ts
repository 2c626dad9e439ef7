import { expect, test } from 'vitest';
import {
  progressOf,
  RunningRefresh,
} from '../../../../lib/project-documents/document-records/refresh-progress.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';
import { people } from '../../../support/document-service.ts';
import { StorageWatch } from '../../../support/storage-watch.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { useDocuments } from '../support/documents.ts';

const { service, warmProject } = useDocuments();

const idle = { isRunning: false, folders: 0, files: 0, added: 0, startedAt: null };

async function parts() {
  const watch = new StorageWatch();
  const warnings: object[] = [];
  const clock = new VirtualClock({ nowMs: Date.parse('2026-11-26T10:00:00.000Z') });
  return {
    watch,
    warnings,
    clock,
    table: tableClient(await newTable(), { additionalPolicies: watch.policies }),
    log: { warn: (event: string, fields: object) => warnings.push({ event, ...fields }) } as never,
  };
}

const startedAt = '2026-11-26T10:00:00.000Z';

test('another caller reads how far it is, every 100 folders and 1,000 files; then it is not running', async () => {
  const all = await parts();
  const seen: unknown[] = [];
  expect(await progressOf(all, 'p')).toEqual(idle);
  await RunningRefresh.during(all, 'p', async (running) => {
    for (const count of [99, 100, 150, 230]) {
      await running.hasRead(count);
      seen.push((await progressOf(all, 'p')).folders);
    }
    await running.adds(2500);
    seen.push(await progressOf(all, 'p'));
    all.clock.advance(60_000);
    for (const count of [600, 300, 200, 1400]) {
      await running.hasAdded(count);
      seen.push((await progressOf(all, 'p')).added);
    }
  });
  const found = { isRunning: true, folders: 230, files: 2500, added: 0, startedAt };
  expect(seen).toEqual([0, 100, 100, 230, found, 0, 0, 1100, 2500]);
  expect(await progressOf(all, 'p')).toEqual(idle);
  expect(await progressOf(all, 'q')).toEqual(idle);
});

test('fewer folders and files have no row; one whose process has ended is not running after two minutes', async () => {
  const all = await parts();
  await RunningRefresh.during(all, 'p', async (running) => {
    await running.hasRead(99);
    await running.adds(999);
    await running.hasAdded(999);
  });
  expect(all.watch.calls).toEqual([]);
  await RunningRefresh.during(all, 'p', async (running) => {
    await running.adds(1000);
    all.clock.advance(2 * 60_000);
    expect((await progressOf(all, 'p')).isRunning).toBe(true);
    all.clock.advance(1);
    expect(await progressOf(all, 'p')).toEqual(idle);
  });
});

test('a row that cannot be written does not stop the refresh; a refresh that fails has none', async () => {
  const all = await parts();
  all.watch.fault = () => 500;
  await RunningRefresh.during(all, 'p', async (running) => {
    await running.adds(1000);
    await running.hasAdded(1000);
  });
  expect(all.warnings).toHaveLength(3);
  all.watch.fault = () => undefined;
  const failing = RunningRefresh.during(all, 'p', async (running) => {
    await running.adds(1000);
    throw new Error('x');
  });
  await expect(failing).rejects.toThrow('x');
  expect(await progressOf(all, 'p')).toEqual(idle);
});

test('GET …/refresh of a project that is not being refreshed, and without a role', async () => {
  const { id } = await warmProject();
  const path = `/documents/projects/${id}/refresh`;
  expect(await service.call('GET', path)).toMatchObject({ status: 200, body: idle });
  expect((await service.call('GET', path, { as: people.noRole })).status).toBe(403);
});
