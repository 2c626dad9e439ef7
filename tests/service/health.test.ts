import { beforeEach, expect, test } from 'vitest';
import { AgentRegistry } from '../../lib/folder-requests/agent-registry.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { Api } from '../support/api.ts';
import { azuriteConnectionString, newTable, newTableName, tableClient } from '../support/azurite.ts';
import { RecordedLog } from '../support/folder-queue.ts';
import { StorageWatch } from '../support/storage-watch.ts';

let watch: StorageWatch;

beforeEach(() => {
  watch = new StorageWatch();
});

const watched = (name: string) => tableClient(name, { additionalPolicies: watch.policies });

/** A service whose tables have these names. */
function serviceOf(names: readonly string[]): Api {
  const services = connect(readSettings({ STORAGE_CONNECTION_STRING: azuriteConnectionString() }));
  const tables = names.map(watched);
  const agents = new AgentRegistry(tables[1]!, systemClock, new RecordedLog());
  return new Api({ ...services, tables, agents });
}

const newTables = (): Promise<string[]> => Promise.all(Array.from({ length: 5 }, newTable));

test('checks every table on each call', async () => {
  const api = serviceOf(await newTables());
  const costs: number[] = [];
  for (let call = 0; call < 3; call += 1) {
    watch.reset();
    expect(await api.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    costs.push(watch.calls.length);
  }
  // The first call also reads the rows of the agents.
  expect(costs).toEqual([6, 5, 5]);
});

test('reports an outage and its end immediately', async () => {
  const names = await newTables();
  const api = serviceOf(names);
  await api.call('GET', '/health');
  watch.fault = () => 503;
  const { status, body } = await api.call('GET', '/health');
  expect([status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(body.detail).toContain(`table:${names[0]}`);
  watch.fault = () => undefined;
  expect((await api.call('GET', '/health')).status).toBe(200);
});

test('names a missing table until it exists', async () => {
  const names = [...(await newTables()).slice(0, 4), newTableName()];
  const api = serviceOf(names);
  for (let call = 0; call < 2; call += 1) {
    const { status, body } = await api.call('GET', '/health');
    expect([status, body.detail]).toEqual([503, expect.stringContaining(`table:${names[4]}`)]);
  }
  await tableClient(names[4]!).createTable();
  expect((await api.call('GET', '/health')).status).toBe(200);
});
