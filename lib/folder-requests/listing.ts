import type { FolderRequestStatus } from '../contract/folder-requests.ts';
import type { StoredFolderRequest } from './folder-request.ts';
import type { QueueParts } from './queue-parts.ts';
import { createdAtMsOf, firstIdOf, idOfInverted, invertedId } from './request-id.ts';
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
  type Entity,
} from './rows.ts';

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
  readonly agentId?: string | null;
}

interface Page<Item = StoredFolderRequest> {
  /** Newest first. */
  readonly requests: readonly Item[];
  /** The inverted id up to which this page covers the list; absent if it reaches the end. */
  readonly coveredTo: string | undefined;
}

// The most rows that one request to the storage returns. At 2,000 rows a second, well below the 5 s of a query.
const rowsOfARead = 1000;
// Of each shard and call. What is left is a matter of the next page, so each call ends in bounded time.
const maxReads = 4;
// Half a second at 100 rows each; halves of a year are a millisecond after 35.
const maxProbes = 40;

/**
 * Pages over all shards, newest first: the shards are read in parallel and merged. No list is filtered by the storage: by
 * status, each is a range of keys; by requester or project, a range of pointers; an agent's are selected from the rows read.
 *
 * PENDING requests are sorted oldest first, for claims; a list of thousands searches for the newest.
 */
export class RequestLists {
  readonly #parts: QueueParts;
  /** By partition with more than 1,000 PENDING requests, where a page probably begins: from this time, or so much earlier. */
  readonly #pendingHints = new Map<string, { readonly sinceMs: number; readonly spanMs: number }>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  async page(listing: Listing): Promise<Page> {
    const shards = await this.#parts.shards.all();
    const { status, agentId, requestedBy, projectId } = listing;
    if (requestedBy === undefined && projectId === undefined)
      return this.#merged(shards, listing, (partition) => this.#pageOfShard(partition, listing));
    const prefix = pointerPrefix(requestedBy === undefined ? { projectId } : { requestedBy });
    const { requests: pointers, coveredTo } = await this.#merged(shards, listing, (partition) =>
      this.#range(partition, prefix, { ...listing, agentId: undefined }, pointerIn),
    );
    const records = await Promise.all(
      pointers.map(({ id }) => this.#parts.table.row(partitionOf(id), recordKeyOf(id), recordColumns)),
    );
    const requests = records.flatMap((row) => (row ? [recordOf(row).request] : []));
    return {
      requests: requests.filter(
        (request) =>
          (status === undefined || request.status === status) &&
          (agentId === undefined || request.agentId === agentId) &&
          (projectId === undefined || request.projectId === projectId),
      ),
      coveredTo,
    };
  }

  async #merged<Item extends Listed>(
    shards: readonly number[],
    listing: Listing,
    read: (partition: string) => Promise<Page<Item>>,
  ): Promise<Page<Item>> {
    const pages = await Promise.all(shards.map((shard) => read(partitionOfShard(shard))));
    // What is older than this is not yet known of every shard.
    const coveredTo = pages.flatMap((page) => page.coveredTo ?? []).toSorted()[0];
    const merged = pages
      .flatMap(({ requests }) => requests)
      .filter(({ id }) => coveredTo === undefined || invertedId(id) <= coveredTo)
      .toSorted(newestFirst);
    const requests = merged.slice(0, listing.limit);
    const last = requests.at(-1);
    return merged.length > listing.limit && last
      ? { requests, coveredTo: invertedId(last.id) }
      : { requests, coveredTo };
  }

  async #pageOfShard(partition: string, listing: Listing): Promise<Page> {
    const { status } = listing;
    switch (status) {
      case undefined:
        return this.#range(partition, 'J_', listing, (row) => recordOf(row).request);
      case 'FULFILLED':
      case 'FAILED':
        return this.#range(partition, prefixOf[status], listing, requestIn);
      case 'PROCESSING':
        return this.#leased(partition, listing);
      case 'PENDING':
        return this.#pending(partition, listing);
      default:
        return status satisfies never;
    }
  }

  /** Rows whose keys are sorted newest first. */
  async #range<Item extends Listed>(
    partition: string,
    prefix: string,
    { agentId, after, limit }: Listing,
    requestOf: (row: Entity) => Item,
  ): Promise<Page<Item>> {
    const requests: Item[] = [];
    let from = after === undefined ? prefix : `${prefix}${after}~`;
    for (let reads = 1; ; reads += 1) {
      const { rows, mayHaveMore } = await this.#parts.table.rows({
        partition,
        from,
        to: endOf(prefix),
        limit: agentId === undefined ? limit + 1 : rowsOfARead,
        ...(prefix === 'J_' && { select: recordColumns }),
      });
      for (const row of rows) {
        const request = requestOf(row);
        if (agentId === undefined || request.agentId === agentId) requests.push(request);
      }
      const last = rows.at(-1)?.rowKey ?? from;
      if (!mayHaveMore) return { requests, coveredTo: undefined };
      if (requests.length > limit || reads === maxReads)
        return { requests, coveredTo: last.slice(prefix.length) };
      from = `${last}~`;
    }
  }

  /** Of more than 2,000, the newest are searched for by halves of the time in which they were created. */
  async #pending(partition: string, { agentId, after, limit }: Listing): Promise<Page> {
    const requests: StoredFolderRequest[] = [];
    const add = (read: readonly StoredFolderRequest[]): void => {
      for (const request of read.toReversed())
        if (agentId === undefined || request.agentId === agentId) requests.push(request);
    };
    const last = after === undefined ? undefined : idOfInverted(after);
    const hint = this.#pendingHints.get(partition);
    let to = last === undefined ? endOf('Q_') : `Q_${last}`;
    let toMs = last === undefined ? this.#parts.clock.now() : createdAtMsOf(last);
    let from = hint ? pendingKeyAt(last === undefined ? hint.sinceMs : toMs - hint.spanMs) : 'Q_';
    let rowsOfRead = rowsOfARead;
    // The oldest of a range with more than one read returns; the others are between `key` and `to`.
    let low: { from: string; read: readonly StoredFolderRequest[]; key: string } | undefined;
    const halfOf = (key: string): string => {
      const half = pendingKeyAt((toMs + createdAtMsOf(key.slice(2))) / 2);
      return half > key ? half : key;
    };
    for (let reads = 1; ; reads += 1) {
      const { rows, mayHaveMore } = await this.#parts.table.rows({ partition, from, to, limit: rowsOfRead });
      const read = rows.map(requestIn);
      const newest = rows.at(-1);
      if (mayHaveMore && newest) {
        const key = `${newest.rowKey}~`;
        if (low) rowsOfRead = Math.max(100, 2 * limit);
        const next = low ? halfOf(key) : key;
        low = low?.key === from ? { ...low, read: [...low.read, ...read], key } : { from, read, key };
        from = next;
        continue;
      }
      add(read);
      to = from;
      if (low?.key === from) {
        add(low.read);
        to = low.from;
        low = undefined;
      }
      const isEnd = to === 'Q_';
      const oldest = requests[limit];
      if (isEnd || oldest || reads >= maxProbes) {
        if (isEnd && reads === 1) this.#pendingHints.delete(partition);
        else if (last === undefined && oldest) {
          const { createdAtMs: sinceMs } = oldest;
          // Twice the time of this page, for the next ones.
          const spanMs = 2 * ((requests[0]?.createdAtMs ?? sinceMs) - sinceMs + 1);
          this.#pendingHints.set(partition, { sinceMs, spanMs });
        }
        return { requests, coveredTo: isEnd ? undefined : invertedId(to.slice(2)) };
      }
      toMs = createdAtMsOf(to.slice(2));
      from = low ? halfOf(low.key) : 'Q_';
    }
  }

  /** All of them: an agent has one. */
  async #leased(partition: string, { agentId, after }: Listing): Promise<Page> {
    const { rows } = await this.#parts.table.rows({
      partition,
      from: 'P_',
      to: endOf('P_'),
      limit: Infinity,
    });
    const requests = rows
      .map(requestIn)
      .filter((request) => agentId === undefined || request.agentId === agentId)
      .filter(({ id }) => after === undefined || invertedId(id) > after);
    return { requests, coveredTo: undefined };
  }
}

const pointerIn = (row: Entity): Listed => ({ id: String(row['id']) });

const pendingKeyAt = (ms: number): string => `Q_${firstIdOf(ms)}`;

const requestIn = (row: Entity): StoredFolderRequest => indexedIn(row).request;

const newestFirst = (one: Listed, other: Listed): number =>
  invertedId(one.id) < invertedId(other.id) ? -1 : 1;
