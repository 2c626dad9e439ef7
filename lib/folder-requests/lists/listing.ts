import type { FolderRequestStatus } from '../../contract/folder-requests.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import type { QueueParts } from '../table/queue-parts.ts';
import { invertedId } from '../requests/request-id.ts';
import {
  endOf,
  indexedIn,
  partitionOf,
  partitionOfShard,
  pointerPrefix,
  prefixOf,
  recordColumns,
  recordKeyOf,
  recordOf,
  recordPrefix,
  type Entity,
} from '../table/rows.ts';

export interface Listing {
  readonly status?: FolderRequestStatus | undefined;
  readonly agentId?: string | undefined;
  /** The id of a user. */
  readonly requestedBy?: string | undefined;
  readonly projectId?: string | undefined;
  /** The inverted id up to which earlier pages have covered the list. */
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Listed {
  readonly id: string;
}

interface Page<Item = StoredFolderRequest> {
  readonly requests: readonly Item[];
  /** The inverted id up to which this page covers the list; absent if it reaches the end. */
  readonly coveredTo: string | undefined;
}

// The most rows that one request to the storage returns. At 2,000 rows a second, well below the 5 s of a query.
const rowsOfARead = 1000;
// Of each shard and call. What is left is a matter of the next page, so each call ends in bounded time.
const maxReads = 4;

/**
 * Pages over all shards, newest first: the shards are read in parallel and merged. No list is filtered by the storage: by
 * status, each is a range of keys; by requester or project, a range of pointers; an agent's are selected from the rows read.
 *
 * PENDING and PROCESSING requests are sorted otherwise, for claims: a shard's are read completely, or, of more than 1,000,
 * selected from its records, of which the newest are usually PENDING.
 */
export class RequestLists {
  readonly #parts: QueueParts;
  /** The partitions and states with more than 1,000 requests: their records are read first. */
  readonly #crowded = new Set<string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  async page(listing: Listing): Promise<Page> {
    const { requestedBy, projectId } = listing;
    if (requestedBy === undefined && projectId === undefined)
      return this.#merged(listing, (partition) => this.#pageOfShard(partition, listing));
    const prefix = pointerPrefix(requestedBy === undefined ? { projectId } : { requestedBy });
    const { requests: pointers, coveredTo } = await this.#merged(listing, (partition) =>
      this.#range(partition, prefix, listing, pointerIn),
    );
    const records = await Promise.all(
      pointers.map(({ id }) => this.#parts.table.row(partitionOf(id), recordKeyOf(id), recordColumns)),
    );
    const requests = records.flatMap((row) => (row ? [recordOf(row).request] : []));
    return { requests: requests.filter(isIn(listing)), coveredTo };
  }

  async #merged<Item extends Listed>(
    { limit }: Listing,
    read: (partition: string) => Promise<Page<Item>>,
  ): Promise<Page<Item>> {
    const shards = await this.#parts.shards.all();
    const pages = await Promise.all(shards.map((shard) => read(partitionOfShard(shard))));
    // What is older than this is not yet known of every shard.
    const coveredTo = pages.flatMap((page) => page.coveredTo ?? []).toSorted()[0];
    const merged = pages
      .flatMap(({ requests }) => requests)
      .filter(({ id }) => coveredTo === undefined || invertedId(id) <= coveredTo)
      .toSorted((one, other) => (invertedId(one.id) < invertedId(other.id) ? -1 : 1));
    const requests = merged.slice(0, limit);
    const last = requests.at(-1);
    return merged.length > limit && last
      ? { requests, coveredTo: invertedId(last.id) }
      : { requests, coveredTo };
  }

  async #pageOfShard(partition: string, listing: Listing): Promise<Page> {
    const { status } = listing;
    switch (status) {
      case undefined:
        return this.#records(partition, listing);
      case 'FULFILLED':
      case 'FAILED':
        return this.#range(partition, prefixOf[status], listing, requestIn, isIn(listing));
      case 'PENDING':
      case 'PROCESSING':
        return this.#live(partition, prefixOf[status], listing);
      default:
        return status satisfies never;
    }
  }

  async #records(partition: string, listing: Listing): Promise<Page> {
    return this.#range(partition, recordPrefix, listing, (row) => recordOf(row).request, isIn(listing));
  }

  async #live(partition: string, prefix: string, listing: Listing): Promise<Page> {
    const { after, limit } = listing;
    const name = partition + prefix;
    const records = this.#crowded.has(name) ? await this.#records(partition, listing) : undefined;
    if (records && records.requests.length > limit) return records;
    const range = { partition, from: prefix, to: endOf(prefix), limit: rowsOfARead };
    const { rows, mayHaveMore } = await this.#parts.table.rows(range);
    if (mayHaveMore) {
      this.#crowded.add(name);
      return records ?? this.#records(partition, listing);
    }
    this.#crowded.delete(name);
    const requests = rows
      .map(requestIn)
      .filter((request) => isIn(listing)(request) && (after === undefined || invertedId(request.id) > after));
    return { requests, coveredTo: undefined };
  }

  /**
   * Rows whose keys are sorted newest first.
   *
   * @param isListed selects some of them
   */
  async #range<Item extends Listed>(
    partition: string,
    prefix: string,
    { status, agentId, after, limit }: Listing,
    itemIn: (row: Entity) => Item,
    isListed: (item: Item) => boolean = () => true,
  ): Promise<Page<Item>> {
    const requests: Item[] = [];
    const isSelected = agentId !== undefined || (status !== undefined && prefix === recordPrefix);
    // Where few are left out, the first read is enough; where many are, it costs little.
    let rowsOfRead = isSelected ? Math.ceil(1.2 * limit) : limit + 1;
    let from = after === undefined ? prefix : `${prefix}${after}~`;
    for (let reads = 1; ; reads += 1) {
      const { rows, mayHaveMore } = await this.#parts.table.rows({
        partition,
        from,
        to: endOf(prefix),
        limit: rowsOfRead,
        ...(prefix === recordPrefix && { select: recordColumns }),
      });
      for (const item of rows.map(itemIn)) if (isListed(item)) requests.push(item);
      if (!mayHaveMore) return { requests, coveredTo: undefined };
      const last = rows.at(-1)?.rowKey ?? from;
      if (requests.length > limit || reads === maxReads)
        return { requests, coveredTo: last.slice(prefix.length) };
      from = `${last}~`;
      rowsOfRead = rowsOfARead;
    }
  }
}

const isIn =
  ({ status, agentId, projectId }: Listing) =>
  (request: StoredFolderRequest): boolean =>
    (status === undefined || request.status === status) &&
    (agentId === undefined || request.agentId === agentId) &&
    (projectId === undefined || request.projectId === projectId);

const pointerIn = (row: Entity): Listed => ({ id: String(row['id']) });

const requestIn = (row: Entity): StoredFolderRequest => indexedIn(row).request;
