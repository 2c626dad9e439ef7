import { afterAll, expect, test } from 'vitest';
import { applyClaim } from '../../../lib/folder-requests/requests/folder-request.ts';
import { creation } from '../../../lib/folder-requests/table/transitions.ts';
import { connect, ensureTables } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { agent, claimFrom, RecordedLog } from '../../support/folder-queue.ts';
import { newStorage } from '../../support/shared-azurite.ts';
import { ended, pendingRequests } from './fixture.ts';

const dayMs = 86_400_000;
const storage = await newStorage();
afterAll(() => storage.stop());

test('lease, attempts, and retention are those of the settings', async () => {
  const log = new RecordedLog();
  const services = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: storage.connectionString,
      FOLDER_REQUEST_LEASE_SECONDS: '77',
      FOLDER_REQUEST_MAX_ATTEMPTS: '1',
      FOLDER_REQUEST_RETENTION_DAYS: '2',
    }),
    log,
  );
  await ensureTables(services);
  const requestOf = (targetPath: string, daysAgo: number) =>
    pendingRequests([targetPath], { sinceMs: Date.now() - daysAgo * dayMs, seed: daysAgo })[0]!;
  const lost = requestOf('lost', 1);
  const claim = { agentId: 'a', claimToken: 't' };
  const requests = [
    ended(requestOf('old', 3), { status: 'FULFILLED' }),
    ended(requestOf('kept', 1.5), { status: 'FULFILLED' }),
    applyClaim(lost, claim, { nowMs: lost.createdAtMs, leaseMs: 1 }),
  ];
  for (const request of requests) await services.tables[0]!.submitTransaction(creation(request, 'stored'));
  await services.folderRequests.maintenance.run(log);
  const { items } = await services.folderRequests.list({ limit: 10 });
  expect(items.map(({ targetPath, status }) => [targetPath, status])).toEqual([
    ['lost', 'FAILED'],
    ['kept', 'FULFILLED'],
  ]);
  await services.folderRequests.create({ targetPath: 'new', requestedByUserId: 'user-1' }, log);
  const held = await claimFrom(services.folderRequests, agent('a'), log);
  const leaseMs = Date.parse(held!.leaseExpiresAt) - Date.parse(held!.updatedAt);
  expect(leaseMs).toBe(77_000);
});
