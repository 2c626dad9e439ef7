import * as z from 'zod';
import { optionalLine } from '../lib/base/line.ts';
import { inSlices } from '../lib/base/slices.ts';
import type { Access } from '../lib/callers/caller.ts';
import { faultAt, type Fault } from '../lib/base/service-error.ts';
import { givenUuid } from '../lib/contract/text.ts';
import { batchItems, FaultyItem } from '../lib/http/batch-items.ts';
import { faultSchema } from '../lib/http/request-faults.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { KnownRecords } from '../lib/master-data/known-records.ts';
import type { RecordSyncs } from '../lib/master-data/record-syncs.ts';
import type { Fields, SearchableRecords } from '../lib/master-data/searchable-records.ts';

export interface BatchedRecords<F extends Fields> {
  readonly records: SearchableRecords<F>;
  readonly syncs: RecordSyncs<F>;
  readonly id: z.ZodType<string>;
  /** Of a batch. */
  readonly item: z.ZodType<Item<F>>;
}

const maxItems = 1000;
// What the gateway accepts. 1,000 contacts of an office have 350 KiB.
const maxBodyBytes = 1024 * 1024;
const parallelLookups = 32;

const identified = z.object({ id: z.unknown(), externalId: z.unknown() }).partial();
const externalIdOf = optionalLine(200);
const syncParams = z.strictObject({ syncId: givenUuid });
const outcome = z
  .enum(['created', 'updated', 'unchanged', 'fault'])
  .meta({ id: 'BatchOutcome', description: 'What became of it' });
const count = z.int();

const batchResult = z
  .object({
    created: count,
    updated: count,
    unchanged: count,
    faults: count,
    items: z
      .array(
        z.object({
          index: count,
          id: z.string().nullable(),
          outcome,
          errors: z.array(faultSchema).optional(),
        }),
      )
      .meta({ description: 'In the order of the request' }),
  })
  .meta({ id: 'BatchResult' });
const sync = z.object({ id: z.string(), startedAt: z.iso.datetime() }).meta({ id: 'Synchronization' });
const syncEnd = z
  .object({
    isFinished: z.boolean(),
    deleted: count,
    archived: count,
    others: count.meta({
      description: 'Entered or imported without an externalId and not in the synchronization: they stay',
    }),
  })
  .meta({ id: 'SynchronizationEnd' });

const confirm = z.int().min(0).meta({ description: 'The number in too_many_missing, to remove them' });
const end = z.strictObject({ confirm: confirm.optional() }).meta({ example: {} });

type Item<F> = F & { readonly id?: string | undefined };

export const batchOf = <F>(item: z.ZodType<Item<F>>) =>
  z.strictObject({
    syncId: givenUuid
      .optional()
      .meta({ description: 'Of the complete synchronization that this batch belongs to' }),
    items: batchItems(item, maxItems),
  });

/** What keeps an item of a batch with records of these ids from being written. */
function faultsOfItem(given: object, index: number, ids: readonly (string | null)[]): Fault[] {
  const at = `body.items.${index}`;
  if (given instanceof FaultyItem) return given.faultsAt(index);
  const id = ids[index] ?? null;
  if (id === null) return [faultAt(at, 'id_or_external_id_required')];
  const first = ids.indexOf(id);
  return first < index ? [faultAt(at, 'same_record', { index: first })] : [];
}

/** What a system of record does with many records. */
export function batchOperations<F extends Fields>(
  { records, syncs, id: idSchema, item }: BatchedRecords<F>,
  access: Access & { kind: 'user' },
): readonly Operation[] {
  const { name } = records.kind;
  const own = { tag: `${name}s`, method: 'POST', access } as const;
  const archiving = records.kind.canBeArchived
    ? ' A project with documents or folders is archived instead: it leaves list and search until it is written again.'
    : '';

  /** The ids of all items, also of the faulty ones, whose records the system of record nevertheless has. */
  function idsOf(
    items: readonly (Item<F> | FaultyItem)[],
    known?: KnownRecords,
  ): Promise<readonly (string | null)[]> {
    const keys = items.map((given) => {
      if (!(given instanceof FaultyItem)) return given;
      const { id, externalId } = identified.safeParse(given.parsed.value).data ?? {};
      return {
        id: id === undefined ? undefined : (idSchema.safeParse(id).data ?? null),
        externalId: externalIdOf.safeParse(externalId).data,
      };
    });
    const own = new Map(keys.flatMap(({ id, externalId }) => (id ? [[externalId, id]] : [])));
    return inSlices(keys, parallelLookups, async ({ id, externalId }) => {
      if (id !== undefined || !externalId) return id ?? null;
      return own.get(externalId) ?? records.idOf(externalId, known);
    });
  }

  return [
    operation({
      ...own,
      id: `batch-${name}s`,
      route: `v1/${name}s/batch`,
      summary: `Create or replace up to 1,000 ${name}s`,
      description: `Each item is a ${name} with its id, its externalId, or both; without an id, it replaces the ${name} with that externalId, or creates one. The result has the outcome of each item, or its faults, which do not affect the others. Repeating the call changes nothing. The body has at most 1 MiB.`,
      body: batchOf(item),
      maxBodyBytes,
      responses: { 200: { description: 'What became of each item', schema: batchResult } },
      problems: ['sync_not_found', 'sync_closed'],
      async handle({ body: { items, syncId } }) {
        const known = syncId === undefined ? undefined : await syncs.knownFor(syncId);
        const ids = await idsOf(items, known);
        if (syncId !== undefined)
          await syncs.see(
            syncId,
            ids.filter((id) => id !== null),
          );
        const faults = items.map((given, index) => faultsOfItem(given, index, ids));
        const right = [...items.keys()].filter((index) => faults[index]!.length === 0);
        const outcomes = await records.write(
          right.map((index) => ({
            id: ids[index]!,
            record: items[index] as Item<F>,
            isSynchronized: syncId !== undefined,
          })),
          known,
        );
        const written = new Map(right.map((index, at) => [index, outcomes[at]]));
        const all = ids.map((id, index) => {
          const outcome = written.get(index);
          return outcome ? { index, id, outcome } : { index, id, outcome: 'fault', errors: faults[index] };
        });
        const countOf = (outcome: string): number => all.filter((each) => each.outcome === outcome).length;
        return {
          status: 200,
          jsonBody: {
            created: countOf('created'),
            updated: countOf('updated'),
            unchanged: countOf('unchanged'),
            faults: countOf('fault'),
            items: all,
          },
        };
      },
    }),
    operation({
      ...own,
      id: `begin-${name}s-sync`,
      route: `v1/${name}s/syncs`,
      summary: `Begin a complete synchronization of the ${name}s`,
      description: `Batches with its id say which ${name}s the system of record has; its end removes the others.`,
      responses: { 201: { description: 'The synchronization', schema: sync } },
      async handle() {
        return { status: 201, jsonBody: await syncs.begin() };
      },
    }),
    operation({
      ...own,
      id: `finish-${name}s-sync`,
      route: `v1/${name}s/syncs/{syncId}/finish`,
      summary: `Remove the ${name}s that a synchronization has not seen`,
      description: `Removes what no batch of the synchronization contained and nobody has written since it began, if it has an externalId or was written by a synchronization; others counts what stays. Repeat the call while isFinished is false; each call removes some 2,000, and a repetition continues after a failure. From the first call on, its batches are sync_closed.${archiving}`,
      params: syncParams,
      body: end,
      isBodyOptional: true,
      responses: { 200: { description: 'What was removed so far', schema: syncEnd } },
      problems: ['sync_not_found', 'too_many_missing'],
      async handle({ params, body }) {
        return { status: 200, jsonBody: await syncs.finish(params.syncId, body?.confirm) };
      },
    }),
  ];
}
