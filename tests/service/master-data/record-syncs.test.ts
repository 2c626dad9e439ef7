import type { TableClient } from '@azure/data-tables';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';
import type { NewContact } from '../../../lib/contacts/contact.ts';
import { type NewProject, projectKind } from '../../../lib/projects/project.ts';
import { RecordSyncs } from '../../../lib/master-data/record-syncs.ts';
import { SearchableRecords } from '../../../lib/master-data/searchable-records.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { contactOf, contactsAt } from '../../support/contact-records.ts';
import { StorageWatch } from '../../support/storage-watch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

let name: string;
let table: TableClient;
let watch: StorageWatch;
let contacts: ReturnType<typeof contactsAt>;

beforeEach(async () => {
  name = await newTable();
  watch = new StorageWatch();
  table = tableClient(name, { additionalPolicies: watch.policies });
  contacts = contactsAt(table);
});

const idAt = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
/** `number` contacts from `from` on. */
const batch = (from: number, number: number, more: object = {}) =>
  Array.from({ length: number }, (_, at) => ({
    id: idAt(from + at),
    record: contactOf(`Muster${from + at}`, more),
    isSynchronized: true,
  }));
const outcomesOf = (outcomes: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(outcomes)].map((each) => [each, outcomes.filter((o) => o === each).length]));

async function listed(): Promise<string[]> {
  const { items, nextCursor } = await contacts.records.list({ limit: 200 });
  expect(nextCursor).toBeNull();
  return items.map(({ id }) => id).toSorted();
}

/** The ids that are listed, after a check that every record has exactly its rows and every row belongs to one. */
async function consistentIds(): Promise<string[]> {
  const keys: string[] = [];
  const expected: string[] = [];
  for await (const row of tableClient(name).listEntities<Record<string, string>>()) {
    if (row.partitionKey !== '~' || row['is_deleted'] === 'true') continue;
    keys.push(row.rowKey!);
    if (row['index_keys']) expected.push(row.rowKey!, ...(JSON.parse(row['index_keys']) as string[]));
  }
  expect(keys.toSorted()).toEqual(expected.toSorted());
  return listed();
}

describe('a batch', () => {
  test('writes in transactions of up to 100 rows, and nothing the second time', async () => {
    const wanted = batch(0, 60);
    expect(outcomesOf(await contacts.records.write(wanted))).toEqual({ created: 60 });
    // A contact has seven rows here: its own, its place in the list, and five words.
    const transactions = watch.calls.filter(({ kind }) => kind === 'transaction').length;
    expect([watch.rowsWritten, transactions, watch.calls.length]).toEqual([420, 5, 65]);
    watch.reset();
    expect(outcomesOf(await contacts.records.write(wanted))).toEqual({ unchanged: 60 });
    expect(watch.calls.every(({ kind }) => kind === 'point read')).toBe(true);
    watch.reset();
    const changed = [...batch(0, 1, { city: 'Bremen' }), ...wanted.slice(1), ...batch(60, 1)];
    expect(outcomesOf(await contacts.records.write(changed))).toEqual({
      updated: 1,
      unchanged: 59,
      created: 1,
    });
    expect((await contacts.records.list({ search: 'bremen', limit: 9 })).items).toHaveLength(1);
    expect(await consistentIds()).toHaveLength(61);
  });

  test('writes each record although another request has changed one of them', async () => {
    await contacts.records.write(batch(0, 20));
    const other = contactsAt(tableClient(name)).records;
    let isChanged = false;
    watch.gate = ({ kind }) => {
      if (kind !== 'transaction' || isChanged) return undefined;
      isChanged = true;
      return other.put(idAt(3), contactOf('Anders', { company: 'Anderswo' })).then(() => undefined);
    };
    expect(outcomesOf(await contacts.records.write(batch(0, 20, { city: 'Bremen' })))).toEqual({
      updated: 20,
    });
    expect(await contacts.records.get(idAt(3))).toMatchObject({ lastName: 'Muster3', company: null });
    expect(await consistentIds()).toHaveLength(20);
  });

  test('has the outcomes of its own writes when the response of a transaction is lost', async () => {
    const repeating = contactsAt(
      tableClient(name, {
        additionalPolicies: watch.policies,
        retryOptions: { maxRetries: 1, retryDelayInMs: 1 },
      }),
    ).records;
    let isLost = false;
    watch.fault = ({ kind }) => {
      if (kind !== 'transaction' || isLost) return undefined;
      isLost = true;
      return 'lost response';
    };
    expect(outcomesOf(await repeating.write(batch(0, 10)))).toEqual({ created: 10 });
    isLost = false;
    const removals = batch(0, 10).map(({ id }) => ({ id, record: null, unlessWrittenSince: '9' }));
    expect(outcomesOf(await repeating.write(removals))).toEqual({ deleted: 10 });
    expect(await consistentIds()).toEqual([]);
  });

  test('restores the rows of a record that were deleted by hand, when it changes', async () => {
    await contacts.records.write(batch(0, 2));
    await table.deleteEntity('~', `W!kiel!${idAt(0)}`);
    expect(outcomesOf(await contacts.records.write(batch(0, 2, { city: 'Bremen' })))).toEqual({ updated: 2 });
    expect(await consistentIds()).toHaveLength(2);
  });

  test('a record that was deleted by a synchronization is new again', async () => {
    await contacts.records.write(batch(0, 1));
    const removal = { id: idAt(0), record: null, unlessWrittenSince: '9' };
    expect(await contacts.records.write([removal])).toEqual(['deleted']);
    expect(await contacts.records.find(idAt(0))).toBeNull();
    expect(await contacts.records.write([removal])).toEqual(['unchanged']);
    await contacts.records.delete(idAt(0));
    expect(await contacts.records.write(batch(0, 1))).toEqual(['created']);
    expect(await consistentIds()).toEqual([idAt(0)]);
  });
});

test('an external id leads to its records, whatever its characters', async () => {
  const { records } = contacts;
  for (const [at, externalId] of ['K/1', 'k/1', '#ä?\\%', 'x'.repeat(200)].entries()) {
    const derived = await records.idOf(externalId);
    expect(await records.idOf(externalId)).toBe(derived);
    await records.put(idAt(at), contactOf(`Muster${at}`, { externalId }));
    expect(await records.idOf(externalId)).toBe(idAt(at));
    expect((await records.list({ externalId, limit: 5 })).items.map(({ id }) => id)).toEqual([idAt(at)]);
  }
  await records.put(idAt(0), contactOf('Muster0', { externalId: 'K/2' }));
  expect((await records.list({ externalId: 'K/1', limit: 5 })).items).toEqual([]);
  expect(await consistentIds()).toHaveLength(4);
});

describe('the end of a complete synchronization', () => {
  const seen = async (syncId: string, wanted: ReturnType<typeof batch>): Promise<void> => {
    await contacts.syncs.see(
      syncId,
      wanted.map(({ id }) => id),
    );
    await contacts.records.write(wanted);
  };
  const finish = (syncId: string, confirmed?: number) => contacts.syncs.finish(syncId, confirmed);

  test('deletes in steps what was not seen, and nothing that was written since its beginning', async () => {
    contacts = contactsAt(table, { maxMissingPercent: 0 });
    await contacts.records.write(batch(0, 40));
    const { id } = await contacts.syncs.begin();
    await contacts.records.put(idAt(0), contactOf('Muster0'));
    await contacts.records.put(idAt(90), contactOf('Neu'));
    await seen(id, batch(12, 20));
    await seen(id, batch(32, 8));
    const steps = [await finish(id, 11)];
    while (!steps.at(-1)!.isFinished) steps.push(await finish(id));
    expect(steps).toEqual([
      { isFinished: false, deleted: 5, archived: 0, others: 0 },
      { isFinished: false, deleted: 10, archived: 0, others: 0 },
      { isFinished: true, deleted: 11, archived: 0, others: 0 },
    ]);
    expect(await consistentIds()).toEqual(
      [...batch(12, 28).map((each) => each.id), idAt(0), idAt(90)].toSorted(),
    );
    expect(await finish(id)).toEqual(steps.at(-1));
  });

  test('removes nothing for one that release 1.0.0 has finished, which left no ids that were seen', async () => {
    await contacts.records.write(batch(0, 3));
    const { id } = await contacts.syncs.begin();
    const finished = { state: 'finished', approved: 5, deleted: 1, archived: 1, others: 0 };
    await table.updateEntity({ partitionKey: '~syncs', rowKey: id, ...finished }, 'Merge');
    expect(await finish(id)).toEqual({ isFinished: true, deleted: 1, archived: 1, others: 0 });
    expect(await consistentIds()).toHaveLength(3);
  });

  test('requires the number of missing records, if they are more than the permitted share', async () => {
    contacts = contactsAt(table, { removalsPerStep: 12 });
    await contacts.records.write(batch(0, 50));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(0, 29));
    const ids = batch(29, 21).map((each) => each.id);
    for (const confirmed of [undefined, 20, 0]) {
      await expect(finish(id, confirmed)).rejects.toMatchObject({
        code: 'too_many_missing',
        facts: { members: { missing: 21, missingIds: ids } },
      });
    }
    // One more was seen after all; 40 % are permitted.
    await seen(id, batch(29, 1));
    while (!(await finish(id)).isFinished);
    expect(await consistentIds()).toHaveLength(30);
  });

  test('counts neither new records nor the hundred-and-first id', async () => {
    await contacts.records.write(batch(0, 110));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(200, 90));
    const { facts } = await finish(id).catch((error: any) => error);
    expect(facts.detail).toMatch(/^110 of 110 contacts /);
    expect(facts.members.missingIds).toHaveLength(100);
    expect(await listed()).toHaveLength(200);
  });

  test('closes it: later batches are rejected, and none that was accepted is lost', async () => {
    await contacts.records.write(batch(0, 10));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(0, 6));
    // A batch that arrives between the count and the removal is either seen or rejected.
    const late = contactsAt(tableClient(name)).syncs;
    let lateBatch: Promise<unknown> | undefined;
    watch.gate = ({ kind }) => {
      if (kind !== 'write' || lateBatch) return undefined;
      lateBatch = late.see(id, [idAt(6)]);
      return lateBatch.then(() => undefined);
    };
    while (!(await finish(id)).isFinished);
    await lateBatch;
    expect(await consistentIds()).toEqual(batch(0, 7).map((each) => each.id));
    await expect(late.see(id, [idAt(9)])).rejects.toMatchObject({ code: 'sync_closed' });
    await expect(late.see(idAt(1), [])).rejects.toMatchObject({ code: 'sync_not_found' });
    await expect(finish(idAt(1))).rejects.toMatchObject({ code: 'sync_not_found' });
  });

  test('rejects a batch whose ids are written after the end has read what was seen', async () => {
    await contacts.records.write(batch(0, 10));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(0, 9));
    // The end comes between the batch's look at the synchronization and its write.
    const other = contactsAt(tableClient(name)).syncs;
    let end: Promise<void> | undefined;
    watch.gate = ({ kind }) => {
      if (kind !== 'write') return undefined;
      end ??= other.finish(id).then(() => undefined);
      return end;
    };
    await expect(contacts.syncs.see(id, [idAt(9)])).rejects.toMatchObject({ code: 'sync_closed' });
    expect(await consistentIds()).toEqual(batch(0, 9).map((each) => each.id));
  });

  const forgetSeen = async (syncId: string): Promise<void> => {
    for await (const { rowKey = '' } of tableClient(name).listEntities()) {
      if (rowKey.startsWith(`${syncId}!`)) await tableClient(name).deleteEntity('~syncs', rowKey);
    }
  };

  test('two ends that overlap remove each record once', async () => {
    contacts = contactsAt(table, { maxMissingPercent: 100 });
    await contacts.records.write(batch(0, 12));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(10, 2));
    const other = contactsAt(tableClient(name), { maxMissingPercent: 100 }).syncs;
    // The other one closes the synchronization and removes five after this one has read that it is open.
    let otherStep: Promise<void> | undefined;
    watch.gate = ({ kind }) => {
      if (kind !== 'query') return undefined;
      otherStep ??= other.finish(id).then(() => undefined);
      return otherStep;
    };
    const ends = [await finish(id)];
    while (!ends.at(-1)!.isFinished) ends.push(await finish(id));
    expect(ends.at(-1)).toEqual({ isFinished: true, deleted: 10, archived: 0, others: 0 });
    expect(await consistentIds()).toEqual(batch(10, 2).map((each) => each.id));
  });

  test('removes no more than was counted in all its steps together', async () => {
    contacts = contactsAt(table, { maxMissingPercent: 100 });
    await contacts.records.write(batch(0, 14));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(10, 4));
    expect(await finish(id)).toMatchObject({ isFinished: false, deleted: 5 });
    await forgetSeen(id);
    await expect(finish(id)).rejects.toMatchObject({ code: 'too_many_missing' });
    expect(await consistentIds()).toHaveLength(9);
  });

  test('removes no more than was counted, whatever has become of the rows that say what was seen', async () => {
    await contacts.records.write(batch(0, 10));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(0, 8));
    let isForgotten = false;
    watch.gate = ({ kind }) => {
      if (kind !== 'write' || isForgotten) return undefined;
      isForgotten = true;
      return forgetSeen(id);
    };
    await expect(finish(id)).rejects.toMatchObject({ code: 'too_many_missing' });
    expect(await consistentIds()).toHaveLength(10);
  });

  test('leaves a record that is written in the moment of its removal', async () => {
    await contacts.records.write(batch(0, 10));
    const { id } = await contacts.syncs.begin();
    await seen(id, batch(0, 8));
    const other = contactsAt(tableClient(name)).records;
    let change: Promise<void> | undefined;
    watch.gate = ({ kind }) => {
      if (kind !== 'transaction') return undefined;
      change ??= other.put(idAt(8), contactOf('Muster8', { city: 'Kiel Rettung' })).then(() => undefined);
      return change;
    };
    while (!(await finish(id)).isFinished);
    expect(change).toBeDefined();
    expect(await consistentIds()).toEqual(batch(0, 9).map((each) => each.id));
  });

  test('archives the projects that are kept: they leave list and search, and return when they are written again', async () => {
    const projects = new SearchableRecords<NewProject>(table, projectKind);
    const syncsWith = (maxMissingPercent: number) =>
      new RecordSyncs<NewProject>(table, projects, {
        maxMissingPercent,
        removalsPerStep: 100,
        clock: systemClock,
        isKept: async (id) => id === 'with-documents',
      });
    const project = (number: string) => ({ number, name: 'Neubau Brücke', externalId: `E-${number}` });
    await projects.put('with-documents', project('P-1'));
    await projects.put('without', project('P-2'));
    // The second one finds nothing missing.
    for (const maxMissingPercent of [100, 0]) {
      const syncs = syncsWith(maxMissingPercent);
      const { id } = await syncs.begin();
      const removed = maxMissingPercent === 0 ? 0 : 1;
      const end = { deleted: removed, archived: removed };
      expect(await syncs.finish(id)).toEqual({ isFinished: true, ...end, others: 0 });
    }
    const found = async (query: object) =>
      (await projects.list({ limit: 9, ...query })).items.map(({ id, isArchived }) => [id, isArchived]);
    const archived = [['with-documents', true]];
    expect([await found({}), await found({ search: 'brücke' })]).toEqual([[], []]);
    expect(await found({ isArchived: true })).toEqual(archived);
    expect(await found({ isArchived: true, search: 'p 1 brueck' })).toEqual(archived);
    expect(await projects.get('with-documents')).toMatchObject({ number: 'P-1', isArchived: true });
    await projects.write([{ id: 'with-documents', record: project('P-1') }]);
    expect(await found({})).toEqual([['with-documents', false]]);
    expect(await found({ isArchived: true })).toEqual([]);
  });

  test('a month later, the rows of abandoned synchronizations and deleted records are gone', async () => {
    const clock = new VirtualClock({ nowMs: Date.parse('2026-11-20T10:00:00Z') });
    const { syncs } = contactsAt(table, { clock });
    await contacts.records.write(batch(0, 1));
    await contacts.records.write([{ id: idAt(0), record: null, unlessWrittenSince: '9' }]);
    const { id } = await syncs.begin();
    await syncs.see(id, [idAt(0)]);
    clock.advance(31 * 86_400_000);
    const next = await syncs.begin();
    await syncs.finish(next.id);
    const rows = await Array.fromAsync(table.listEntities());
    expect(rows.map(({ rowKey }) => rowKey)).toEqual([next.id, '~last']);
  });
});

test('of weekly synchronizations, none is overdue before the first and for three weeks after the last, whose end is called twice', async () => {
  const clock = new VirtualClock({ nowMs: Date.parse('2026-11-20T10:00:00Z') });
  const { syncs } = contactsAt(table, { clock });
  const dayMs = 86_400_000;
  clock.advance(100 * dayMs);
  expect(await syncs.silence()).toEqual({ silentMs: 0, isOverdue: false });
  for (let week = 0; week < 2; week += 1) {
    clock.advance(7 * dayMs);
    const { id } = await syncs.begin();
    await syncs.finish(id);
    clock.advance(60_000);
    // Its response was lost.
    expect((await syncs.finish(id)).isFinished).toBe(true);
  }
  clock.advance(20 * dayMs);
  expect((await syncs.silence()).isOverdue).toBe(false);
  clock.advance(2 * dayMs);
  expect((await syncs.silence()).isOverdue).toBe(true);
});

describe('a process that is killed in the middle of a synchronization', () => {
  /**
   * Writes a batch of a complete synchronization and ends it.
   *
   * @returns the calls of the storage until the end, or until `lastCall`, which no longer reaches it, nor does any later one
   */
  async function run(syncId: string, wanted: ReturnType<typeof batch>, lastCall = Infinity): Promise<number> {
    const killed = Promise.withResolvers<void>();
    const watch = new StorageWatch();
    watch.gate = ({ index }) => {
      if (index + 1 < lastCall) return undefined;
      killed.resolve();
      return new Promise<never>(() => undefined);
    };
    const { records, syncs } = contactsAt(tableClient(name, { additionalPolicies: watch.policies }));
    const synchronize = async (): Promise<void> => {
      await syncs.see(
        syncId,
        wanted.map(({ id }) => id),
      );
      await records.write(wanted);
      for (let isFinished = false; !isFinished;) ({ isFinished } = await syncs.finish(syncId));
    };
    await Promise.race([killed.promise, synchronize()]);
    return watch.calls.length;
  }

  test('at ten places, in batch and end: the next run completes it, and loses nothing that was seen', async () => {
    // 15 records, of which 9 remain, 3 of them with changes, 6 vanish and 2 are new.
    const wanted = [...batch(0, 6), ...batch(6, 3, { city: 'Bremen' }), ...batch(40, 2)];
    const remaining = wanted.map(({ id }) => id).toSorted();
    const beginning = async (): Promise<string> => {
      name = await newTable();
      contacts = contactsAt(tableClient(name));
      await contacts.records.write(batch(0, 15));
      return (await contacts.syncs.begin()).id;
    };
    const all = await run(await beginning(), wanted);
    expect(await consistentIds()).toEqual(remaining);
    const places = Array.from({ length: 10 }, (_, at) => 1 + Math.round((at * (all - 1)) / 9));
    expect(new Set(places).size).toBe(10);
    for (const place of places) {
      const syncId = await beginning();
      expect(await run(syncId, wanted, place)).toBeGreaterThanOrEqual(place);
      // Whatever has happened, no record is half written, and none that was seen is gone.
      expect(await consistentIds(), `killed at call ${place} of ${all}`).toEqual(
        expect.arrayContaining(batch(0, 9).map(({ id }) => id)),
      );
      const { state } = await tableClient(name).getEntity<{ state: string }>('~syncs', syncId);
      if (state === 'open') {
        await contacts.syncs.see(syncId, remaining);
        await contacts.records.write(wanted);
      }
      while (!(await contacts.syncs.finish(syncId)).isFinished);
      expect(await consistentIds(), `killed at call ${place} of ${all}`).toEqual(remaining);
    }
  });
});

describe('a synchronization of many records', () => {
  const external = (from: number, number: number, more: object = {}) =>
    Array.from({ length: number }, (_, at) =>
      contactOf(`Muster${from + at}`, { externalId: `K-${from + at}`, ...more }),
    );

  /** As a batch of the API does it. */
  async function send(syncId: string, all: readonly NewContact[]) {
    const known = await contacts.syncs.knownFor(syncId);
    const ids = await Promise.all(all.map(({ externalId }) => contacts.records.idOf(externalId!, known)));
    const wanted = all.map((record, at) => ({ id: ids[at]!, record, isSynchronized: true }));
    await contacts.syncs.see(syncId, ids);
    return outcomesOf(await contacts.records.write(wanted, known));
  }

  test('costs no request for a record that is new or as it was, and two for one that changes', async () => {
    const first = await contacts.syncs.begin();
    watch.reset();
    expect(await send(first.id, external(0, 300))).toEqual({ created: 300 });
    const transactions = watch.calls.filter(({ kind }) => kind === 'transaction').length;
    // The synchronization twice and its ids, and one page of the records.
    expect(watch.calls.length - transactions).toBe(5);
    expect(transactions).toBe(25);
    const second = await contacts.syncs.begin();
    watch.reset();
    expect(await send(second.id, external(0, 150))).toEqual({ unchanged: 150 });
    expect(await send(second.id, external(150, 150))).toEqual({ unchanged: 150 });
    expect(watch.calls.length).toBe(9);
    watch.reset();
    expect(await send(second.id, external(0, 1, { city: 'Bremen' }))).toEqual({ updated: 1 });
    expect(watch.calls.length).toBe(6);
  });

  test('notices what this process has written since it has read them', async () => {
    const { id: syncId } = await contacts.syncs.begin();
    await send(syncId, external(0, 2));
    const { items } = await contacts.records.list({ externalId: 'K-0', limit: 1 });
    await contacts.records.put(items[0]!.id, contactOf('Anders', { externalId: 'K-0' }));
    await contacts.records.put(idAt(9), contactOf('Neu', { externalId: 'K-9' }));
    expect(await send(syncId, [...external(0, 2), ...external(9, 1)])).toEqual({ updated: 2, unchanged: 1 });
    expect((await contacts.records.list({ externalId: 'K-9', limit: 9 })).items).toMatchObject([
      { id: idAt(9), lastName: 'Muster9' },
    ]);
    expect(await consistentIds()).toHaveLength(3);
  });

  test('writes a record that another process has created since it has read them', async () => {
    const { id: syncId } = await contacts.syncs.begin();
    await send(syncId, external(0, 1));
    const other = contactsAt(tableClient(name)).records;
    const id = await other.idOf('K-5');
    await other.put(id, contactOf('Anders', { externalId: 'K-5' }));
    expect(await send(syncId, external(5, 1))).toEqual({ updated: 1 });
    expect(await contacts.records.find(id)).toMatchObject({ lastName: 'Muster5' });
    expect(await consistentIds()).toHaveLength(2);
  });

  test('two at once read the records for themselves; a reading that fails ends its own batch only', async () => {
    await contacts.records.put(idAt(1), contactOf('Erste'));
    const [one, other] = [await contacts.syncs.begin(), await contacts.syncs.begin()];
    const { promise: isHeld, resolve: endFirst } = Promise.withResolvers<void>();
    let readings = 0;
    watch.reset();
    watch.gate = ({ kind }) => {
      if (kind !== 'query') return undefined;
      readings += 1;
      return readings === 1 ? isHeld : undefined;
    };
    watch.fault = ({ kind }) => (kind === 'query' && readings > 1 ? 404 : undefined);
    const first = contacts.syncs.knownFor(one.id);
    await vi.waitFor(() => expect(readings).toBe(1));
    await expect(contacts.syncs.knownFor(other.id)).rejects.toBeDefined();
    watch.fault = () => undefined;
    endFirst();
    expect((await first).idOf('none')).toMatchObject({ isCertain: true });
    expect((await contacts.syncs.knownFor(other.id)).hasNone(idAt(1))).toBe(false);
  });

  test('leaves what people have entered, and says how many', async () => {
    await contacts.records.put(idAt(1), contactOf('Eingetippt'));
    await contacts.records.write([{ id: idAt(2), record: contactOf('Importiert') }]);
    await contacts.records.write([{ id: idAt(3), record: contactOf('Abgeglichen'), isSynchronized: true }]);
    // A person's correction does not make it a record of that person.
    await contacts.records.put(idAt(3), contactOf('Abgeglichen', { city: 'Ulm' }));
    await contacts.records.put(idAt(4), contactOf('Nummeriert', { externalId: 'K-4' }));
    const { id } = await contacts.syncs.begin();
    await expect(contacts.syncs.finish(id)).rejects.toMatchObject({
      facts: { members: { missing: 2, others: 2 } },
    });
    const end = { isFinished: true, deleted: 2, archived: 0, others: 2 };
    expect(await contacts.syncs.finish(id, 2)).toEqual(end);
    expect(await contacts.syncs.finish(id)).toEqual(end);
    expect(await consistentIds()).toEqual([idAt(1), idAt(2)]);
  });

  test('a record without an external id is marked when a synchronization first contains it', async () => {
    const [wanted] = batch(1, 1);
    const { saved } = await contacts.records.put(wanted!.id, wanted!.record);
    const rowsWritten: number[] = [];
    for (let run = 0; run < 2; run += 1) {
      const { id } = await contacts.syncs.begin();
      const known = await contacts.syncs.knownFor(id);
      watch.reset();
      expect(await contacts.records.write([wanted!], known)).toEqual(['unchanged']);
      rowsWritten.push(watch.rowsWritten);
    }
    expect(rowsWritten).toEqual([7, 0]);
    expect(await contacts.records.get(saved.id)).toEqual(saved);
    const { id } = await contacts.syncs.begin();
    expect(await contacts.syncs.finish(id, 1)).toMatchObject({ deleted: 1, others: 0 });
  });
});
