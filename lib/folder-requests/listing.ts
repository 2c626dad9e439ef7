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
  recordOf,
  requestOfIndex,
} from './rows.ts';

export interface Listing {
  readonly status?: FolderRequestStatus | undefined;
  readonly agentId?: string | undefined;
  /** Inverted id of the last entry of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Page {
  /** Newest first. */
  readonly requests: readonly StoredFolderRequest[];
  readonly hasMore: boolean;
}

// What one request to the storage returns at most.
const maxPage = 1000;

/**
 * One page over all shards, newest first: all shards are read at once and merged. One more entry than asked for is
 * read, so that the last page is known as such.
 *
 * PENDING and PROCESSING come from the queue's index, which holds the live requests only but lies oldest first. Where
 * a shard has more than 1,000 of them, the page comes from the records, whose newest are those that wait: they are
 * read along, so that this too is one round trip. Searching the records first would scan all history whenever fewer
 * requests wait than the page has room for.
 */
export async function listRequests(
  table: QueueTable,
  shards: readonly number[],
  listing: Listing,
): Promise<Page> {
  const pages = await Promise.all(
    shards.map((shard) => pageOfShard(table, partitionOfShard(shard), listing)),
  );
  const merged = pages.flat().toSorted(newestFirst);
  return { requests: merged.slice(0, listing.limit), hasMore: merged.length > listing.limit };
}

async function pageOfShard(
  table: QueueTable,
  partition: string,
  { status, agentId, after, limit }: Listing,
): Promise<readonly StoredFolderRequest[]> {
  const from = (prefix: string): string => (after === undefined ? prefix : `${prefix}${after}~`);
  const range = (prefix: string): RowRange => ({
    partition,
    select: prefix === 'J_' ? listedRecordColumns : listedIndexColumns,
    from: from(prefix),
    to: endOf(prefix),
    limit: limit + 1,
  });
  const records = async (): Promise<readonly StoredFolderRequest[]> => {
    const conditions = [
      ...(status === undefined ? [] : [odata`status eq ${status}`]),
      ...(agentId === undefined ? [] : [odata`agent_id eq ${agentId}`]),
    ];
    const { rows } = await table.rows({
      ...range('J_'),
      ...(conditions.length > 0 && { filter: conditions.join(' and ') }),
    });
    return rows.map((row) => recordOf(row).request);
  };
  const live = async (): Promise<readonly StoredFolderRequest[] | undefined> => {
    const { rows, mayHaveMore } = await table.rows({
      partition,
      from: 'Q_',
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
  };
  const byAgent = agentId === undefined ? {} : { filter: odata`agentId eq ${agentId}` };
  switch (status) {
    case undefined:
      return records();
    case 'FULFILLED':
      return (await table.rows({ ...range('D_'), ...byAgent })).rows.map(requestOfIndex);
    case 'FAILED':
      return (await table.rows({ ...range('F_'), ...byAgent })).rows.map(requestOfIndex);
    case 'PROCESSING':
      return (await live()) ?? records();
    case 'PENDING': {
      const [waiting, newest] = await Promise.all([live(), table.rows(range('J_'))]);
      if (waiting) return waiting;
      const pending = newest.rows
        .map((row) => recordOf(row).request)
        .filter((request) => request.status === 'PENDING');
      return agentId === undefined && pending.length > limit ? pending : records();
    }
    default:
      return status satisfies never;
  }
}

const newestFirst = (one: StoredFolderRequest, other: StoredFolderRequest): number =>
  invertedId(one.id) < invertedId(other.id) ? -1 : 1;
