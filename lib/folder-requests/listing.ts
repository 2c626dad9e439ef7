import { odata } from '@azure/data-tables';
import type { FolderRequestStatus } from '../contract/folder-requests.ts';
import type { StoredFolderRequest } from './folder-request.ts';
import type { QueueTable, RowRange } from './queue-table.ts';
import { invertedId } from './request-id.ts';
import {
  endOf,
  listedIndexColumns,
  listedRecordColumns,
  partitionOfShard,
  queueKeyUpTo,
  recordOf,
  requestOfIndex,
} from './rows.ts';

export interface Listing {
  readonly status?: FolderRequestStatus | undefined;
  readonly agentId?: string | undefined;
  /** Inverted id of the last entry of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Page {
  /** Newest first. */
  readonly requests: readonly StoredFolderRequest[];
  readonly hasMore: boolean;
}

// The most rows that one request to the storage returns.
const maxPage = 1000;

/**
 * Pages over all shards, newest first: the shards are read in parallel and merged. One entry more than the page holds is
 * read, which shows whether another page follows.
 *
 * PENDING and PROCESSING requests are read from the queue's index, which has only live requests but is sorted oldest first.
 * If a shard has more than 1,000 of them, the page is read from the records, whose newest are the waiting ones. Reading the
 * records first would scan all history whenever fewer requests are waiting than the page can hold. After such a page of
 * PENDING requests, the next read of the first page covers only the part of the index from the oldest request of that page
 * on, so a refresh costs one request per shard.
 */
export class RequestLists {
  readonly #table: QueueTable;
  /** By partition with more than 1,000 waiting requests: creation of the oldest request on the first page as last read. */
  readonly #pendingSinceMs = new Map<string, number>();

  constructor(table: QueueTable) {
    this.#table = table;
  }

  async page(shards: readonly number[], listing: Listing): Promise<Page> {
    const pages = await Promise.all(
      shards.map((shard) => this.#pageOfShard(partitionOfShard(shard), listing)),
    );
    const merged = pages.flat().toSorted(newestFirst);
    return { requests: merged.slice(0, listing.limit), hasMore: merged.length > listing.limit };
  }

  async #pageOfShard(partition: string, listing: Listing): Promise<readonly StoredFolderRequest[]> {
    const { status, limit } = listing;
    switch (status) {
      case undefined:
        return this.#records(partition, listing);
      case 'FULFILLED':
        return this.#ended(partition, 'D_', listing);
      case 'FAILED':
        return this.#ended(partition, 'F_', listing);
      case 'PROCESSING':
        return (await this.#live(partition, listing)) ?? this.#records(partition, listing);
      case 'PENDING': {
        if (listing.after !== undefined || listing.agentId !== undefined)
          return (await this.#live(partition, listing)) ?? this.#records(partition, listing);
        const sinceMs = this.#pendingSinceMs.get(partition);
        if (sinceMs !== undefined) {
          const newest = await this.#live(partition, listing, sinceMs);
          if (newest && newest.length > limit) return newest;
        }
        const all = await this.#live(partition, listing);
        const page = all ?? (await this.#records(partition, listing));
        const oldest = page.at(-1);
        if (all || !oldest) this.#pendingSinceMs.delete(partition);
        else this.#pendingSinceMs.set(partition, oldest.createdAtMs);
        return page;
      }
      default:
        return status satisfies never;
    }
  }

  async #records(
    partition: string,
    { status, agentId, after, limit }: Listing,
  ): Promise<readonly StoredFolderRequest[]> {
    const conditions = [
      ...(status === undefined ? [] : [odata`status eq ${status}`]),
      ...(agentId === undefined ? [] : [odata`agent_id eq ${agentId}`]),
    ];
    const { rows } = await this.#table.rows({
      ...rangeOf(partition, 'J_', after),
      limit: limit + 1,
      select: listedRecordColumns,
      ...(conditions.length > 0 && { filter: conditions.join(' and ') }),
    });
    return rows.map((row) => recordOf(row).request);
  }

  async #ended(
    partition: string,
    prefix: 'D_' | 'F_',
    { agentId, after, limit }: Listing,
  ): Promise<readonly StoredFolderRequest[]> {
    const { rows } = await this.#table.rows({
      ...rangeOf(partition, prefix, after),
      limit: limit + 1,
      select: listedIndexColumns,
      ...(agentId !== undefined && { filter: odata`agentId eq ${agentId}` }),
    });
    return rows.map(requestOfIndex);
  }

  /** The shard's live requests, with `sinceMs` only those created since; undefined if there are more than 1,000. */
  async #live(
    partition: string,
    { status, agentId, after, limit }: Listing,
    sinceMs?: number,
  ): Promise<readonly StoredFolderRequest[] | undefined> {
    const { rows, mayHaveMore } = await this.#table.rows({
      partition,
      from: sinceMs === undefined ? 'Q_' : queueKeyUpTo(sinceMs - 1),
      to: endOf('Q_'),
      limit: maxPage,
      select: listedIndexColumns,
      filter: odata`leased eq ${status === 'PROCESSING'}`,
    });
    if (mayHaveMore) return undefined;
    return rows
      .map(requestOfIndex)
      .filter((request) => agentId === undefined || request.agentId === agentId)
      .filter((request) => after === undefined || invertedId(request.id) > after)
      .toSorted(newestFirst)
      .slice(0, limit + 1);
  }
}

const rangeOf = (
  partition: string,
  prefix: string,
  after: string | undefined,
): Pick<RowRange, 'partition' | 'from' | 'to'> => ({
  partition,
  from: after === undefined ? prefix : `${prefix}${after}~`,
  to: endOf(prefix),
});

const newestFirst = (one: StoredFolderRequest, other: StoredFolderRequest): number =>
  invertedId(one.id) < invertedId(other.id) ? -1 : 1;
