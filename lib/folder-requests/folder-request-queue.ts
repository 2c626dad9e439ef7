import type { TableClient } from '@azure/data-tables';
import type {
  ClaimedFolderRequest,
  ClaimRouting,
  FolderRequest,
  FolderRequestLease,
  FolderRequestList,
  FolderRequestRelease,
  FolderRequestReport,
  FolderRequestStatistics,
  FolderRequestStatus,
  FolderRequestWithHistory,
} from '../contract/folder-requests.ts';
import { untilSettled } from '../storage/conditional-write.ts';
import { placeOfCursor } from '../storage/cursor.ts';
import type { EventLog } from '../base/event-log.ts';
import { ServiceError } from '../base/service-error.ts';
import type { ClaimingAgent, ClaimResult } from './claims/claim-batches.ts';
import { ClaimBatcher, type ClaimFacts } from './claims/claim-batcher.ts';
import { EndedLeases } from './claims/ended-leases.ts';
import {
  entryOf,
  type Person,
  extendLease,
  isoTime,
  isWithdrawable,
  applyFree,
  applyPathCorrection,
  applyRelease,
  applyReport,
  applyRequeue,
  type StoredFolderRequest,
  type ClaimLoss,
} from './requests/folder-request.ts';
import { historyIn } from './requests/history.ts';
import { createEach, createOnce, type NewFolderRequestFacts } from './idempotent-creation.ts';
import { type Listing, RequestLists } from './lists/listing.ts';
import { faultIn, isSettled, removalOf, settle } from './table/settle.ts';
import { transitionFromRecord } from './table/transitions.ts';
import type { IsServed } from './requests/routing.ts';
import {
  certainNow,
  commitNamed,
  withinBudget,
  type QueueParts,
  type QueueRules,
  type TimeAndRandomness,
} from './table/queue-parts.ts';
import { isOutcomePlace } from './table/outcomes.ts';
import { QueueTable } from './table/queue-table.ts';
import { isInvertedId, RequestIds } from './requests/request-id.ts';
import type { StoredRecord } from './table/rows.ts';
import { deletionOf } from './retention.ts';
import { Shards } from './table/shards.ts';
import { QueueStatistics, type AgentStatistics } from './lists/statistics.ts';
import { QueueMaintenance } from './maintenance.ts';

// A caller waits 15 s. An item that begins has three seconds, the timeout of a request to the storage.
const batchLimits = { ms: 12_000, requests: 1_000, begin: { ms: 9_000, requests: 900 } };
// The agent's own, if it does not say how long it waits.
const defaultWaitMs = 15_000;

/** The queue of folder requests in Azure Table Storage. README.md describes its layout, folder-request.ts the rules. */
export class FolderRequestQueue {
  /** Run by a timer; see maintenance.ts. */
  readonly maintenance: QueueMaintenance;
  readonly #parts: QueueParts;
  readonly #statistics: QueueStatistics;
  readonly #lists: RequestLists;
  readonly #ids: RequestIds;
  readonly #claimBatcher: ClaimBatcher;

  /** @param client must not retry by itself, see QueueTable */
  constructor(client: TableClient, rules: QueueRules, time: TimeAndRandomness) {
    const { clock, randomBytes } = time;
    const table = new QueueTable(client, clock, rules.callTimeoutMs, (actions, isCertain) =>
      this.#statistics.noteCommit(actions, isCertain),
    );
    this.#parts = { table, shards: new Shards(rules.shards, table, clock), rules, clock, randomBytes };
    this.#statistics = new QueueStatistics(this.#parts);
    this.#lists = new RequestLists(this.#parts);
    this.#ids = new RequestIds(randomBytes);
    const leases = new EndedLeases(this.#parts);
    this.maintenance = new QueueMaintenance(this.#parts, leases, this.#statistics);
    this.#claimBatcher = new ClaimBatcher(this.#parts, leases);
  }

  /** @throws ServiceError `idempotency_key_reused` */
  async create(
    facts: NewFolderRequestFacts,
    log: EventLog,
  ): Promise<{ readonly entry: FolderRequest; readonly isNew: boolean }> {
    const { request, isNew } = await createOnce(withinBudget(this.#parts), facts, this.#ids);
    if (isNew) log.info('folder_request_created', { id: request.id });
    return { entry: entryOf(request), isNew };
  }

  /**
   * Creates requests in this order within the budget of one call. Those that it does not reach can be sent again with their
   * keys.
   *
   * @throws ServiceError `storage_unavailable` if no item has a result
   */
  async createEach(
    items: readonly NewFolderRequestFacts[],
    log: EventLog,
  ): Promise<
    readonly (
      | { readonly entry: FolderRequest; readonly isNew: boolean }
      | { readonly fault: 'key_reused' | 'not_confirmed' | 'not_reached' }
    )[]
  > {
    const results = await createEach(withinBudget(this.#parts, batchLimits), items, this.#ids);
    return results.map((result) => {
      if ('fault' in result) return result;
      const { request, isNew } = result;
      if (isNew) log.info('folder_request_created', { id: request.id });
      return { entry: entryOf(request), isNew };
    });
  }

  /**
   * The oldest claimable request that the agent can serve, or for how many milliseconds the same claim finds none, unless a
   * request is created, requeued, or released.
   *
   * @param waitMs for how long the agent waits for the response: later, it gets no request
   * @param repeat what makes the claim repeatable; `mayBeRepeated` if the agent may not have got the response to an earlier one
   */
  async claim(
    agent: ClaimingAgent,
    log: EventLog,
    routing?: ClaimRouting,
    waitMs = defaultWaitMs,
    repeat: Pick<ClaimFacts, 'turn' | 'mayBeRepeated'> = {},
  ): Promise<ClaimResult<ClaimedFolderRequest>> {
    const result = await this.#claimBatcher.claim({ agent, log, routing, ...repeat }, waitMs);
    if (!('claimed' in result)) return result;
    const { claimToken, leaseExpiresAtMs } = result.claimed;
    return {
      claimed: {
        ...entryOf(result.claimed),
        claimToken: claimToken ?? '',
        leaseExpiresAt: isoTime(leaseExpiresAtMs ?? 0),
      },
    };
  }

  /** @throws ServiceError `folder_request_not_found`, `not_processing`, `claim_lost` */
  async report(
    id: string,
    agent: ClaimingAgent,
    report: FolderRequestReport,
    log: EventLog,
  ): Promise<FolderRequest> {
    const next = await this.#transition(
      id,
      log,
      ({ request }, nowMs) => applyReport(request, agent.id, report, nowMs, this.#parts.rules.retryDelaysMs),
      ({ next: { attempts, status, retryAtMs } }) => {
        const facts = { id, agent: agent.logName, attempts };
        if (status === 'FULFILLED') log.info('folder_request_fulfilled', facts);
        else if (retryAtMs !== null)
          log.info('folder_request_retry_planned', { ...facts, at: isoTime(retryAtMs) });
        else log.warn('folder_request_failed', { ...facts, reason: 'reported' });
      },
    );
    return entryOf(next);
  }

  /** @throws ServiceError `folder_request_not_found`, `claim_lost` */
  async heartbeat(
    id: string,
    agentId: string,
    claimToken: string,
    log: EventLog,
  ): Promise<FolderRequestLease> {
    const { leaseMs } = this.#parts.rules;
    const next = await this.#transition(id, log, ({ request }, nowMs) =>
      extendLease(request, { agentId, claimToken }, { nowMs, leaseMs }),
    );
    return { leaseExpiresAt: isoTime(next.leaseExpiresAtMs ?? 0) };
  }

  /**
   * @param targetPath a corrected one, in its stored form
   * @throws ServiceError `folder_request_not_found`, `not_failed`
   */
  async requeue(id: string, by: Person, log: EventLog, targetPath?: string): Promise<FolderRequest> {
    const next = await this.#transition(
      id,
      log,
      ({ request }, nowMs) => applyRequeue(request, nowMs, by, targetPath),
      ({ next: { attempts } }) => log.info('folder_request_requeued', { id, attempts }),
    );
    return entryOf(next);
  }

  /** @throws ServiceError `folder_request_not_found`, `claim_lost` */
  async release(
    id: string,
    agent: ClaimingAgent,
    { claimToken, reason }: FolderRequestRelease,
    log: EventLog,
  ): Promise<FolderRequest> {
    const next = await this.#transition(
      id,
      log,
      ({ request }, nowMs) => applyRelease(request, { agentId: agent.id, claimToken }, reason, nowMs),
      ({ next: { attempts, status } }) => {
        const facts = { id, agent: agent.logName, attempts };
        log.info('folder_request_released', facts);
        if (status === 'FAILED') log.warn('folder_request_failed', { ...facts, reason: 'released' });
      },
    );
    return entryOf(next);
  }

  /**
   * Takes a request from its agent.
   *
   * @throws ServiceError `folder_request_not_found`, `not_processing`
   */
  async free(id: string, by: Person, reason: string, log: EventLog): Promise<FolderRequest> {
    const next = await this.#transition(
      id,
      log,
      ({ request }, nowMs) => applyFree(request, by, reason, nowMs),
      ({ next: { attempts } }) => log.info('folder_request_freed', { id, attempts }),
    );
    return entryOf(next);
  }

  /**
   * Corrects the path of a waiting request.
   *
   * @param by the caller; `mayAny` for administrators, who can also correct the requests of others
   * @param targetPath in its stored form
   * @throws ServiceError `folder_request_not_found`, `forbidden`, `not_pending`
   */
  async correctPath(
    id: string,
    by: Person & { readonly mayAny: boolean },
    targetPath: string,
    log: EventLog,
  ): Promise<FolderRequest> {
    const next = await this.#transition(
      id,
      log,
      ({ request }, nowMs) => {
        if (!by.mayAny && request.requestedByUserId !== by.userId) throw ofAnotherUser();
        return applyPathCorrection(request, by, targetPath, nowMs);
      },
      ({ next: { attempts } }) => log.info('folder_request_corrected', { id, attempts }),
    );
    return entryOf(next);
  }

  /**
   * @param by the caller; `mayAny` for administrators, who can also withdraw FAILED requests and those of others
   * @throws ServiceError `folder_request_not_found`, `forbidden`, `not_pending`
   */
  async withdraw(
    id: string,
    by: { readonly userId: string; readonly mayAny: boolean },
    log: EventLog,
  ): Promise<void> {
    const parts = withinBudget(this.#parts);
    let lost = 0;
    await untilSettled('folder request', async () => {
      const record = await recordOf(parts, id);
      const { request } = record;
      if (!by.mayAny && request.requestedByUserId !== by.userId) throw ofAnotherUser();
      if (!isWithdrawable(request, by.mayAny)) throw rejection({ rejected: 'not_pending' }, request.status);
      const isGone = async (): Promise<boolean> => (await parts.table.record(id)) === undefined;
      // What the record names may not be what there is.
      const { actions } =
        lost < 2 ? { actions: await deletionOf(parts.table, record) } : await removalOf(parts, id);
      if (!(await parts.table.commit(actions, isGone))) {
        lost += 1;
        return null;
      }
      log.info('folder_request_withdrawn', { id, attempts: request.attempts });
      return true;
    });
  }

  /** @throws ServiceError `folder_request_not_found` */
  async get(id: string): Promise<FolderRequestWithHistory> {
    const { request, entity } = await recordOf(withinBudget(this.#parts), id);
    return { ...entryOf(request), history: historyIn(entity, request.transitions) };
  }

  /**
   * Newest first; with `ended`, those of the newest hour first.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list(
    query: Omit<Listing, 'after'> & { readonly cursor?: string | undefined },
  ): Promise<FolderRequestList> {
    const { cursor, ...listing } = query;
    const isPlace = listing.ended ? isOutcomePlace : isInvertedId;
    const after = cursor === undefined ? undefined : placeOfCursor(cursor, isPlace);
    const { requests, coveredTo } = await this.#lists.page({ ...listing, after });
    return {
      items: requests.map(entryOf),
      nextCursor: coveredTo ?? null,
    };
  }

  async statistics(hours: number, isServed?: IsServed): Promise<FolderRequestStatistics> {
    return this.#statistics.ofQueue(hours, isServed);
  }

  /** By agent: its current request, and its outcomes of the last `hours`. */
  async agentStatistics(hours: number): Promise<AgentStatistics> {
    return this.#statistics.ofAgents(hours);
  }

  /** Reads the record, decides, and writes; decides again if the request changed in between. */
  async #transition<Accepted extends { readonly next: StoredFolderRequest }>(
    id: string,
    log: EventLog,
    decide: (record: StoredRecord, nowMs: number) => Accepted | Repeated | Rejection,
    announce: (accepted: Accepted) => void = () => undefined,
  ): Promise<StoredFolderRequest> {
    const parts = withinBudget(this.#parts);
    let lost = 0;
    return untilSettled('folder request', async () => {
      const record = await recordOf(parts, id);
      const isInvalid = faultIn(record.entity) !== undefined;
      // A transaction that fails twice finds other rows than the record names.
      if (lost === 2 || (!isSettled(record) && !isInvalid)) {
        await settle(parts, id, log);
        lost = 0;
        return null;
      }
      const decision = decide(record, await certainNow(parts));
      if ('rejected' in decision) throw rejection(decision, record.request.status);
      if ('repeated' in decision) return record.request;
      const { next } = decision;
      const actions = (lastOp: string) => transitionFromRecord(record, next, lastOp);
      if (!(await commitNamed(parts, id, actions))) {
        lost += 1;
        return null;
      }
      announce(decision);
      return next;
    });
  }
}

async function recordOf({ table }: QueueParts, id: string): Promise<StoredRecord> {
  const record = await table.record(id);
  if (record) return record;
  throw new ServiceError('folder_request_not_found', { detail: `There is no folder request ${id}.` });
}

export const ofAnotherUser = (): ServiceError =>
  new ServiceError('forbidden', {
    detail: 'This operation requires the app role Administrator: the folder request belongs to another user.',
  });

type Rejection =
  | { readonly rejected: 'not_processing' | 'not_failed' | 'not_pending' }
  | { readonly rejected: 'claim_lost'; readonly loss: ClaimLoss };

type Repeated = { readonly repeated: true };

function rejection(outcome: Rejection, status: FolderRequestStatus): ServiceError {
  const expected = { not_processing: 'PROCESSING', not_failed: 'FAILED', not_pending: 'PENDING' };
  const detail =
    outcome.rejected === 'claim_lost'
      ? `The claim is no longer yours: ${claimLosses[outcome.loss]}. The folder request is ${status}.`
      : `Expected a folder request that is ${expected[outcome.rejected]}; this one is ${status}.`;
  return new ServiceError(outcome.rejected, { detail });
}

// Does not name the agent that holds it: the id of an agent may be its key.
const claimLosses: Readonly<Record<ClaimLoss, string>> = {
  agent: 'the agent of this key does not hold it',
  token: 'claimToken is not the token of the last claim',
  status: 'it has ended',
};
