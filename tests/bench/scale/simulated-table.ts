import { createRequire } from 'node:module';
import { RestError, type TableClient, type TransactionAction } from '@azure/data-tables';
import type { Clock } from '../../../lib/contract/clock.ts';
import { keyRangeOf, type FilterNode } from '../../../local/stand-ins/tables/key-range.ts';
import { OrderedEntities, type StoredEntity } from '../../../local/stand-ins/tables/ordered-entities.ts';

/** Published targets of Azure Table Storage: "Scalability and performance targets for Table storage". */
const limits = { partitionEntitiesPerSecond: 2_000, accountRequestsPerSecond: 20_000 };

const scannedRowsPerSecond = 2_000;
const parseFilter = (
  createRequire(import.meta.url)('azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js') as {
    default: (filter: string) => FilterNode & { evaluate(row: StoredEntity): boolean };
  }
).default;

interface Second {
  number: number;
  count: number;
}

/**
 * A table in memory with the published limits: a partition serves 2,000 entities a second, counting those that a query
 * scans and at least one for each request, an account 20,000 requests. What exceeds them is rejected with 503. Requests
 * take 5 to 15 ms (an assumption) and the scan of their rows.
 */
export class SimulatedTable {
  requests = 0;
  rejected = 0;
  conflicts = 0;
  entities = 0;
  /** The most entities that a partition served in a second. */
  busiest = 0;
  readonly #rows = new OrderedEntities();
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #partitions = new Map<string, Second>();
  readonly #account: Second = { number: 0, count: 0 };
  #writes = 0;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  reset(): void {
    this.requests = this.rejected = this.conflicts = this.entities = this.busiest = 0;
  }

  readonly client = {
    getEntity: async (partitionKey: string, rowKey: string) => {
      await this.#serve(partitionKey, 1);
      const row = this.#rows.findOne({ PartitionKey: partitionKey, RowKey: rowKey });
      if (!row) throw new RestError('missing', { statusCode: 404 });
      return entityOf(row);
    },
    listEntities: ({ queryOptions }: { queryOptions: { filter: string } }) => ({
      byPage: ({ maxPageSize }: { maxPageSize: number }) => ({
        next: async () => ({ value: await this.#page(queryOptions.filter, maxPageSize) }),
      }),
    }),
    submitTransaction: async (actions: TransactionAction[]) => {
      await this.#serve(actions[0]![1].partitionKey, actions.length);
      this.#check(actions);
      for (const [kind, entity, mode] of actions) {
        const key = { PartitionKey: entity.partitionKey, RowKey: entity.rowKey };
        if (kind === 'delete') this.#rows.remove(key);
        else this.#rows.insert(this.#stored(entity, mode === 'Merge' ? this.#rows.findOne(key) : null));
      }
      return { status: 202 };
    },
  } as unknown as TableClient;

  #check(actions: readonly TransactionAction[]): void {
    for (const [at, [kind, entity, , options]] of actions.entries()) {
      const row = this.#rows.findOne({ PartitionKey: entity.partitionKey, RowKey: entity.rowKey });
      const etag = options?.etag;
      const status =
        kind === 'create' && row
          ? 409
          : (kind === 'update' || kind === 'delete') && !row
            ? 404
            : etag !== undefined && etag !== '*' && etag !== row?.eTag
              ? 412
              : 0;
      if (status === 0) continue;
      this.conflicts += 1;
      throw new RestError(`${at}:not as expected`, { statusCode: status, code: 'Condition' });
    }
  }

  async #page(filter: string, limit: number): Promise<unknown[]> {
    const plain = /^PartitionKey eq '([^']*)' and RowKey ge '([^']*)' and RowKey lt '([^']*)'$/.exec(filter);
    const tree = plain ? undefined : parseFilter(filter);
    const [, partition = '', from = '', to = ''] = plain ?? [];
    const range = plain
      ? { from: { PartitionKey: partition, RowKey: from }, to: { PartitionKey: partition, RowKey: to } }
      : keyRangeOf(tree);
    const maxScanned = 5 * scannedRowsPerSecond;
    const isMatch = (row: StoredEntity): boolean => tree?.evaluate(row) ?? true;
    const { matches, scanned } = this.#rows.scan(range, isMatch, { limit, maxScanned });
    await this.#serve(range.from.PartitionKey, Math.max(1, scanned), (scanned / scannedRowsPerSecond) * 1000);
    return matches.map(entityOf);
  }

  async #serve(partition: string, entities: number, scanMs = 0): Promise<void> {
    this.requests += 1;
    this.entities += entities;
    await this.#clock.wait(5 + this.#random() * 10 + scanMs);
    const second = Math.floor(this.#clock.now() / 1000);
    const own = this.#partitions.get(partition) ?? { number: second, count: 0 };
    this.#partitions.set(partition, own);
    if (
      counted(own, second, entities) <= limits.partitionEntitiesPerSecond &&
      counted(this.#account, second, 1) <= limits.accountRequestsPerSecond
    ) {
      this.busiest = Math.max(this.busiest, own.count);
      return;
    }
    this.rejected += 1;
    throw new RestError('server busy', { statusCode: 503, code: 'ServerBusy' });
  }

  #stored(
    { partitionKey, rowKey, ...columns }: TransactionAction[1],
    old: StoredEntity | null,
  ): StoredEntity {
    this.#writes += 1;
    return {
      PartitionKey: partitionKey,
      RowKey: rowKey,
      properties: { ...old?.properties, ...columns },
      lastModifiedTime: '',
      eTag: `W/"${this.#writes}"`,
    };
  }
}

const entityOf = ({ PartitionKey, RowKey, properties, eTag }: StoredEntity): object => ({
  ...properties,
  partitionKey: PartitionKey,
  rowKey: RowKey,
  etag: eTag,
});

function counted(counter: Second, second: number, count: number): number {
  if (counter.number !== second) Object.assign(counter, { number: second, count: 0 });
  counter.count += count;
  return counter.count;
}
