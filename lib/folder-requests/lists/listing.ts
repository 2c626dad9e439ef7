import type { FolderRequestOutcome, FolderRequestStatus } from '../../contract/folder-requests.ts';
import { cleanPastedPath } from '../../contract/pasted-path.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { withinBudget, type QueueParts } from '../table/queue-parts.ts';
import type { Rows } from '../table/queue-table.ts';
import { endingsIn, type Ending, type Period } from '../table/outcomes.ts';
import { firstIdOf, idAtPlace, invertedId } from '../requests/request-id.ts';
import {
  after as behind,
  belongingOf,
  endOf,
  partitionOf,
  partitionOfShard,
  rowKeys,
} from '../table/keys.ts';
import {
  indexKindOf,
  indexedIn,
  pointedIn,
  recordColumns,
  recordKeyOf,
  recordOf,
  type Entity,
} from '../table/rows.ts';

export interface Listing {
  readonly status?: FolderRequestStatus | undefined;
  readonly agentId?: string | undefined;
  /** The id of a user. */
  readonly requestedBy?: string | undefined;
  readonly projectId?: string | undefined;
  /** In the target path, in upper or lower case, with slashes or backslashes. */
  readonly pathPart?: string | undefined;
  /** By the time of creation: from this time on. */
  readonly fromMs?: number | undefined;
  /** By the time of creation: before this time. */
  readonly toMs?: number | undefined;
  /** Those that became FULFILLED or FAILED in this period, also if they have been requeued since; by its hours. */
  readonly ended?: Ended | undefined;
  /** The inverted id, or with `ended` the place of the outcome, up to which earlier pages have covered the list. */
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Ended extends Period {
  readonly outcome?: FolderRequestOutcome | undefined;
}

interface Listed {
  readonly id: string;
}

interface Page<Item = StoredFolderRequest> {
  readonly requests: readonly Item[];
  /** The place up to which this page covers the list, see {@link Listing.after}; absent if it reaches the end. */
  readonly coveredTo: string | undefined;
}

// The most rows that one request to the storage returns. At 2,000 rows a second, well below the 5 s of a query.
const rowsOfARead = 1000;
// Of a shard. They take a second of the partition's time; more are searched for among the records, or by pointers.
const mostInState = 2000;
/** A page ends with a cursor when these are used; what the storage makes it repeat, and records of ended requests, are extra. */
const pageLimits = { ms: 12_000, requests: 300, begin: { ms: 5_000, requests: 20 } };

/**
 * Pages over all shards, newest first: the shards are read in parallel and merged. No list is filtered by the storage: by
 * status, each is a range of keys; by requester or project, a range of pointers; an agent's, and those with a part of a path, are selected from the rows read.
 *
 * PENDING and PROCESSING requests are sorted otherwise, for claims, and a shard's are read completely; more than 2,000
 * PENDING are selected from the records. A page is short or empty only if the search for it takes 20 requests or five seconds.
 */
export class RequestLists {
  readonly #parts: QueueParts;
  /** The partitions with more than 1,000 PENDING requests: their records are read first. */
  readonly #crowded = new Set<string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  async page(query: Listing): Promise<Page> {
    const parts = withinBudget(this.#parts, pageLimits);
    const { toMs, ended, requestedBy, projectId } = query;
    // A list that begins at a time is one whose newer part is covered.
    const newest = toMs === undefined || ended ? undefined : invertedId(firstIdOf(toMs));
    const search = new Search(parts, await parts.shards.all(), this.#crowded);
    const listing = { ...query, after: laterOf(newest, query.after) };
    if (ended) return search.endedIn(listing, ended);
    if (requestedBy !== undefined || projectId !== undefined) {
      return (await search.ofFewInState(listing)) ?? search.pointed(listing);
    }
    return search.merged(listing, (partition) => search.pageOfShard(partition, listing));
  }
}

/** One page. */
class Search {
  readonly #parts: QueueParts;
  readonly #shards: readonly number[];
  readonly #crowded: Set<string>;

  constructor(parts: QueueParts, shards: readonly number[], crowded: Set<string>) {
    this.#parts = parts;
    this.#shards = shards;
    this.#crowded = crowded;
  }

  /** Of a requester or a project, if few requests of all are in that state. */
  async ofFewInState(listing: Listing): Promise<Page | undefined> {
    const { status } = listing;
    if (status === undefined || status === 'FULFILLED') return undefined;
    const reads = await Promise.all(
      this.#shards.map((shard) =>
        this.#parts.table.rows({
          partition: partitionOfShard(shard),
          ...indexKindOf[status].all,
          limit: mostInState,
        }),
      ),
    );
    if (reads.some(({ mayHaveMore }) => mayHaveMore)) return undefined;
    const requests = reads.flatMap(({ rows }) => rows.map(requestIn)).filter(isAfter(listing));
    return this.merged(listing, async (partition) => ({
      requests: requests.filter(({ id }) => partitionOf(id) === partition),
      coveredTo: undefined,
    }));
  }

  /** Of a requester or a project. */
  async pointed(listing: Listing): Promise<Page> {
    const { requestedBy, projectId } = listing;
    const belonging = belongingOf(requestedBy === undefined ? { projectId } : { requestedBy });
    const prefix = rowKeys.pointer.within({ belonging }).from;
    const isListed = isIn(listing);
    const { requests: pointers, coveredTo } = await this.merged(listing, (partition) =>
      this.#range(partition, prefix, listing, pointerIn, ({ request }) => !request || isListed(request)),
    );
    const found = await Promise.all(
      pointers.map(async ({ id, request }) => request ?? (await this.#recordsOf([{ id }]))[0]),
    );
    const requests = found.filter((request) => request !== undefined).filter(isListed);
    return { requests, coveredTo };
  }

  /** One read of small rows per shard, and one point read per request. */
  async endedIn(listing: Listing, ended: Ended): Promise<Page> {
    const { after, limit } = listing;
    const { table, clock } = this.#parts;
    const { outcome } = ended;
    // Of an hour, few fail.
    const rows = outcome === undefined ? limit + 1 : rowsOfARead;
    const { requests: endings, coveredTo } = await this.merged<Ending>(
      listing,
      async (partition) => {
        const query = { partition, period: ended, after, limit: rows };
        const page = await endingsIn(table, query, clock.now());
        const requests = page.endings.filter((ending) => outcome === undefined || ending.outcome === outcome);
        return { requests, coveredTo: page.coveredTo };
      },
      ({ place }) => place,
    );
    // A request can end twice in an hour.
    const ids = [...new Set(endings.map(({ id }) => id))];
    const requests = (await this.#recordsOf(ids.map((id) => ({ id })))).filter(isIn(listing));
    return { requests, coveredTo };
  }

  /** Those that exist. */
  async #recordsOf(pointers: readonly Listed[]): Promise<StoredFolderRequest[]> {
    const records = await Promise.all(
      pointers.map(({ id }) => this.#parts.table.row(partitionOf(id), recordKeyOf(id), recordColumns)),
    );
    return records.flatMap((row) => (row ? [recordOf(row).request] : []));
  }

  async merged<Item extends Listed>(
    { limit }: Listing,
    read: (partition: string) => Promise<Page<Item>>,
    placeIn: (item: Item) => string = ({ id }) => invertedId(id),
  ): Promise<Page<Item>> {
    const pages = await Promise.all(this.#shards.map((shard) => read(partitionOfShard(shard))));
    // What is older than this is not yet known of every shard.
    const coveredTo = pages.flatMap((page) => page.coveredTo ?? []).toSorted()[0];
    const merged = pages
      .flatMap(({ requests }) => requests)
      .filter((item) => coveredTo === undefined || placeIn(item) <= coveredTo)
      .toSorted((one, other) => (placeIn(one) < placeIn(other) ? -1 : 1));
    const requests = merged.slice(0, limit);
    const last = requests.at(-1);
    return merged.length > limit && last ? { requests, coveredTo: placeIn(last) } : { requests, coveredTo };
  }

  async pageOfShard(partition: string, listing: Listing): Promise<Page> {
    const { status } = listing;
    switch (status) {
      case undefined:
        return this.#records(partition, listing);
      case 'FULFILLED':
      case 'FAILED':
        return this.#range(partition, indexKindOf[status].prefix, listing, requestIn, isIn(listing));
      case 'PENDING':
        return this.#pending(partition, listing);
      case 'PROCESSING':
        return this.#processing(partition, listing);
      default:
        return status satisfies never;
    }
  }

  async #records(partition: string, listing: Listing, reads = Infinity): Promise<Page> {
    const recordIn = (row: Entity): StoredFolderRequest => recordOf(row).request;
    return this.#range(partition, rowKeys.record.prefix, listing, recordIn, isIn(listing), reads);
  }

  /** All of them, since there are as many as agents at work. */
  async #processing(partition: string, listing: Listing): Promise<Page> {
    const { rows } = await this.#parts.table.rows({
      partition,
      ...rowKeys.leased.all,
      limit: Number.POSITIVE_INFINITY,
    });
    return { requests: rows.map(requestIn).filter(isAfter(listing)), coveredTo: undefined };
  }

  /** The newest of many are usually the newest records; otherwise all that wait are read, if they are not too many. */
  async #pending(partition: string, listing: Listing): Promise<Page> {
    const { after, agentId, pathPart, limit, fromMs } = listing;
    const pageOf = ({ rows }: Rows): Page => ({
      requests: rows.map(requestIn).filter(isAfter(listing)),
      coveredTo: undefined,
    });
    let waiting: Rows = { rows: [], mayHaveMore: true };
    if (!this.#crowded.has(partition)) {
      waiting = await this.#waiting(partition, listing, rowsOfARead);
      if (!waiting.mayHaveMore) return pageOf(waiting);
      this.#crowded.add(partition);
    }
    // Of many PENDING requests hardly one has an agent, or a path that somebody searches for.
    const isOfFew = agentId !== undefined || pathPart !== undefined;
    const newest = isOfFew ? { requests: [], coveredTo: after } : await this.#records(partition, listing, 1);
    if (!isOfFew && (newest.requests.length > limit || newest.coveredTo === undefined)) return newest;
    const all = await this.#waiting(partition, listing, mostInState, waiting.rows);
    if (!all.mayHaveMore) {
      const isShort = all.rows.length <= rowsOfARead && after === undefined && fromMs === undefined;
      if (isShort) this.#crowded.delete(partition);
      return pageOf(all);
    }
    const older = await this.#records(partition, { ...listing, after: newest.coveredTo });
    return { requests: [...newest.requests, ...older.requests], coveredTo: older.coveredTo };
  }

  /**
   * Those that wait, oldest first.
   *
   * @param known the first of them
   */
  async #waiting(
    partition: string,
    { after, fromMs }: Listing,
    limit: number,
    known: readonly Entity[] = [],
  ): Promise<Rows> {
    const last = known.at(-1)?.rowKey;
    const { waiting } = rowKeys;
    const { rows, mayHaveMore } = await this.#parts.table.rows({
      partition,
      from:
        last === undefined
          ? waiting.startOf(fromMs === undefined ? {} : { id: firstIdOf(fromMs) })
          : behind(last),
      to: after === undefined ? waiting.all.to : waiting.startOf({ id: idAtPlace(after) }),
      limit: limit - known.length,
    });
    return { rows: [...known, ...rows], mayHaveMore };
  }

  /**
   * Rows whose keys are sorted newest first.
   *
   * @param isListed selects some of them
   * @param reads at most so many of the storage
   */
  async #range<Item extends Listed>(
    partition: string,
    prefix: string,
    { status, agentId, pathPart, after, fromMs, limit }: Listing,
    itemIn: (row: Entity) => Item,
    isListed: (item: Item) => boolean = () => true,
    reads = Infinity,
  ): Promise<Page<Item>> {
    const requests: Item[] = [];
    const isSelected =
      agentId !== undefined ||
      pathPart !== undefined ||
      (status !== undefined && prefix === rowKeys.record.prefix);
    // Where few are left out, the first read is enough; where many are, it costs little.
    let rowsOfRead = isSelected ? Math.ceil(1.2 * limit) : limit + 1;
    let from = after === undefined ? prefix : behind(prefix + after);
    const to = fromMs === undefined ? endOf(prefix) : behind(prefix + invertedId(firstIdOf(fromMs)));
    for (let read = 1; ; read += 1) {
      const { rows, mayHaveMore } = await this.#parts.table.rows({
        partition,
        from,
        to,
        limit: rowsOfRead,
        ...(prefix === rowKeys.record.prefix && { select: recordColumns }),
      });
      for (const item of rows.map(itemIn)) {
        if (isListed(item)) requests.push(item);
      }
      if (!mayHaveMore) return { requests, coveredTo: undefined };
      const last = rows.at(-1)?.rowKey ?? from;
      const isEnough = requests.length > limit || read === reads;
      if (isEnough || !this.#parts.table.allowsStep(this.#shards.length))
        return { requests, coveredTo: last.slice(prefix.length) };
      from = behind(last);
      rowsOfRead = rowsOfARead;
    }
  }
}

/** The one that is farther in the list. */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

const isIn = (listing: Listing): ((request: StoredFolderRequest) => boolean) => {
  const { status, agentId, requestedBy, projectId, fromMs, toMs } = listing;
  const pathPart = listing.pathPart && comparable(cleanPastedPath(listing.pathPart) || listing.pathPart);
  return (request) =>
    (fromMs === undefined || request.id >= firstIdOf(fromMs)) &&
    (toMs === undefined || request.id < firstIdOf(toMs)) &&
    (status === undefined || request.status === status) &&
    (agentId === undefined || request.agentId === agentId) &&
    (requestedBy === undefined || request.requestedByUserId === requestedBy) &&
    (projectId === undefined || request.projectId === projectId) &&
    (pathPart === undefined || comparable(request.targetPath).includes(pathPart));
};

const comparable = (path: string): string => path.normalize('NFC').replaceAll('/', '\\').toLowerCase();

const isAfter = (listing: Listing): ((request: StoredFolderRequest) => boolean) => {
  const isListed = isIn(listing);
  const { after } = listing;
  return (request) => isListed(request) && (after === undefined || invertedId(request.id) > after);
};

interface Pointer extends Listed {
  /** Absent in one of 1.0. */
  readonly request: StoredFolderRequest | undefined;
}

const pointerIn = (row: Entity): Pointer => ({ id: String(row['id']), request: pointedIn(row) });

const requestIn = (row: Entity): StoredFolderRequest => indexedIn(row).request;
