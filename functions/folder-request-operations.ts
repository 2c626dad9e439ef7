import * as z from 'zod';
import { faultAt } from '../lib/base/service-error.ts';
import {
  folderRequest,
  folderRequestCorrection,
  folderRequestFree,
  folderRequestList,
  folderRequestOutcomes,
  folderRequestParams,
  folderRequestRequeue,
  folderRequestStatistics,
  folderRequestStatuses,
  folderRequestWithHistory,
  newFolderRequest,
  newKeyedFolderRequest,
  type FolderRequest,
} from '../lib/contract/folder-requests.ts';
import { because } from '../lib/contract/faults.ts';
import { projectId } from '../lib/contract/project-id.ts';
import { text } from '../lib/contract/text.ts';
import { requireMayList } from '../lib/folder-requests/lists/list-rights.ts';
import { ofAnotherUser } from '../lib/folder-requests/folder-request-queue.ts';
import { markUnserved } from '../lib/folder-requests/requests/routing.ts';
import { batchItems, FaultyItem } from '../lib/http/batch-items.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { defaultPageLimit, pageCursor, pageLimit, wholeNumber } from '../lib/http/paging.ts';
import { faultSchema } from '../lib/http/request-faults.ts';
import type { Services } from '../lib/services.ts';

const readAgain = { 'Retry-After': 'Seconds after which it is worth reading again' };

/** A waiting call would cost five times as much (docs/decisions/0034-no-call-waits-for-a-folder.md). */
const readAgainAfter = (entries: readonly FolderRequest[]): Record<string, string> => ({
  'retry-after': entries.some(({ status }) => status === 'PENDING' || status === 'PROCESSING') ? '5' : '60',
});

const maxBatch = 100;
// Of the longest paths, in UTF-8.
const maxBatchBytes = 1024 * 1024;

const createdFolderRequests = z
  .object({
    items: z
      .array(
        z.object({
          outcome: z.enum(['created', 'existing', 'fault']).meta({
            id: 'FolderRequestOutcomeOfBatch',
            description: 'existing: an earlier call with this key has created it',
          }),
          folderRequest: folderRequest.optional().meta({ description: 'Absent for a fault' }),
          errors: z.array(faultSchema).optional(),
        }),
      )
      .meta({ description: 'In the order of the request' }),
  })
  .meta({ id: 'CreatedFolderRequests' });

const dateTime = z.iso.datetime({ offset: true, error: because('not_date_time') });
const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** What users and administrators do with folder requests; the agents' part is in agent-operations.ts. */
export function folderRequestOperations({ agents, folderRequests }: Services): readonly Operation[] {
  const tag = 'folder requests';
  const users = {
    tag,
    access: { kind: 'user', anyOf: ['BackOffice', 'Management', 'Administrator'] },
  } as const;
  const created = { schema: folderRequest, headers: { Location: 'Where the folder request can be read' } };
  const administrators = { tag, access: { kind: 'user', anyOf: ['Administrator'] } } as const;
  return [
    operation({
      ...users,
      id: 'request-folder',
      method: 'POST',
      route: 'v1/folder-requests',
      summary: 'Request a folder',
      description:
        'Queues the request for the agents. With an Idempotency-Key, repeating the call within 24 hours returns the first request.',
      headers: z.object({ 'idempotency-key': idempotencyKey }),
      body: newFolderRequest,
      responses: {
        200: { description: 'Already requested with this Idempotency-Key', ...created },
        201: { description: 'Queued', ...created },
      },
      async handle({ caller, headers, body, log }) {
        const facts = {
          ...body,
          requestedByUserId: caller.oid,
          requestedByName: caller.name,
          idempotencyKey: headers['idempotency-key'],
        };
        const { entry: stored, isNew } = await folderRequests.create(facts, log);
        const entry = markUnserved(stored, await agents.isServed());
        const location = `/api/v1/folder-requests/${entry.id}`;
        return { status: isNew ? 201 : 200, headers: { location }, jsonBody: entry };
      },
    }),
    operation({
      ...users,
      id: 'batch-folder-requests',
      method: 'POST',
      route: 'v1/folder-requests/batch',
      summary: 'Request up to 100 folders',
      description:
        'Each item has its own key, so repeating the call within 24 hours creates nothing a second time. The result has the outcome of each item, or its faults, which do not affect the others. If the storage is slow or fails, what is created so far is told, and the other items are faults `not_reached`, or `not_confirmed` for one that may have been created: send them again with their keys.',
      body: z.strictObject({ items: batchItems(newKeyedFolderRequest, maxBatch) }),
      maxBodyBytes: maxBatchBytes,
      responses: { 200: { description: 'What became of each item', schema: createdFolderRequests } },
      async handle({ caller: { oid, name }, body: { items }, log }) {
        const requester = { requestedByUserId: oid, requestedByName: name };
        const isServed = await agents.isServed();
        const right = [...items.entries()].flatMap(([index, item]) => {
          if (item instanceof FaultyItem) return [];
          const { key: idempotencyKey, ...asked } = item;
          return [{ index, facts: { ...asked, ...requester, idempotencyKey } }];
        });
        const results = await folderRequests.createEach(
          right.map(({ facts }) => facts),
          log,
        );
        const resultOf = new Map(right.map(({ index }, at) => [index, results[at]!]));
        const outcomes = items.map((item, index) => {
          if (item instanceof FaultyItem) return { outcome: 'fault', errors: item.faultsAt(index) };
          const result = resultOf.get(index)!;
          if ('fault' in result) {
            const at = result.fault === 'key_reused' ? `body.items.${index}.key` : `body.items.${index}`;
            return { outcome: 'fault', errors: [faultAt(at, result.fault)] };
          }
          const { entry, isNew } = result;
          return { outcome: isNew ? 'created' : 'existing', folderRequest: markUnserved(entry, isServed) };
        });
        return { status: 200, jsonBody: { items: outcomes } };
      },
    }),
    operation({
      ...users,
      id: 'list-folder-requests',
      method: 'GET',
      route: 'v1/folder-requests',
      summary: 'List folder requests',
      description:
        'Newest first. While nextCursor is not null, there may be another page, even after a short one, or an empty one if the search takes more than five seconds or 20 storage requests. Callers other than administrators list their own requests (requestedBy=me) or those of a project; the times, with their zone, and outcome are for administrators and with requestedBy=me. With processedFrom, processedTo or outcome, the list has the requests that the statistics count in that time, if they still exist, also if they have been requeued since; those of the newest hour first.',
      query: z.strictObject({
        status: z.enum(folderRequestStatuses).optional(),
        agentId: text(200).min(1).optional(),
        requestedBy: z.literal('me').optional().meta({ description: "The caller's own requests." }),
        projectId: projectId.optional(),
        path: text(400).min(1).optional().meta({
          description:
            'A part of the target path, in upper or lower case, with slashes or backslashes, as it was pasted. Where few of many match, a page may be short or empty, with a cursor; of up to 2,000 PENDING requests, all are searched for each page.',
        }),
        from: dateTime.optional().meta({ description: 'Created at this time or later.' }),
        to: dateTime.optional().meta({ description: 'Created before this time.' }),
        processedFrom: dateTime.optional().meta({
          description: 'Became FULFILLED or FAILED at this time or later; at most eight days ago.',
        }),
        processedTo: dateTime
          .optional()
          .meta({ description: 'Became FULFILLED or FAILED before this time.' }),
        outcome: z
          .enum(folderRequestOutcomes)
          .optional()
          .meta({ description: 'What the request became in that time; status is what it is now.' }),
        limit: pageLimit,
        cursor: pageCursor(200),
      }),
      responses: { 200: { description: 'One page', schema: folderRequestList, headers: readAgain } },
      async handle({ caller, query }) {
        requireMayList(query, caller.permissions.has('Administrator'));
        const { requestedBy, path, limit = defaultPageLimit, from, to, ...others } = query;
        const { processedFrom, processedTo, outcome, ...filter } = others;
        const ofEnd = [processedFrom, processedTo, outcome];
        const ended = {
          fromMs: timeOf(processedFrom) ?? 0,
          toMs: timeOf(processedTo) ?? Number.MAX_SAFE_INTEGER,
          outcome,
        };
        const page = await folderRequests.list({
          ...filter,
          pathPart: path,
          fromMs: timeOf(from),
          toMs: timeOf(to),
          ended: ofEnd.some((value) => value !== undefined) ? ended : undefined,
          limit,
          requestedBy: requestedBy && caller.oid,
        });
        const isServed = await agents.isServed();
        const items = page.items.map((entry) => markUnserved(entry, isServed));
        return { status: 200, headers: readAgainAfter(items), jsonBody: { ...page, items } };
      },
    }),
    operation({
      ...administrators,
      id: 'get-folder-request-statistics',
      method: 'GET',
      route: 'v1/folder-requests/statistics',
      summary: 'Count folder requests',
      description:
        'Counts of the requests in the queue, which stop at 1,000 for each shard, and of those that became FULFILLED or FAILED in each hour, in UTC, oldest first, the current hour last. An instance of the service shows its own changes immediately and those of others within a minute.',
      query: z.strictObject({
        hours: wholeNumber(1, 168, 24, 'How many hours the list of outcomes has.'),
      }),
      responses: { 200: { description: 'The counts', schema: folderRequestStatistics } },
      async handle({ query }) {
        const isServed = await agents.isServed();
        return { status: 200, jsonBody: await folderRequests.statistics(query.hours ?? 24, isServed) };
      },
    }),
    operation({
      ...users,
      id: 'get-folder-request',
      method: 'GET',
      route: 'v1/folder-requests/{id}',
      summary: 'Read a folder request',
      description: 'A request of the caller with its history. Administrators can read any request.',
      params: folderRequestParams,
      responses: {
        200: { description: 'The folder request', schema: folderRequestWithHistory, headers: readAgain },
      },
      problems: ['folder_request_not_found'],
      async handle({ caller, params }) {
        const entry = await folderRequests.get(params.id);
        if (entry.requestedByUserId !== caller.oid && !caller.permissions.has('Administrator')) {
          throw ofAnotherUser();
        }
        const jsonBody = markUnserved(entry, await agents.isServed());
        return { status: 200, headers: readAgainAfter([entry]), jsonBody };
      },
    }),
    operation({
      ...administrators,
      id: 'requeue-folder-request',
      method: 'POST',
      route: 'v1/folder-requests/{id}/requeue',
      summary: 'Queue a failed folder request again',
      description:
        'Changes FAILED to PENDING, in its old place, keeps attempts, and clears the error message. A targetPath in the body replaces a wrong one.',
      params: folderRequestParams,
      body: folderRequestRequeue,
      isBodyOptional: true,
      responses: { 200: { description: 'Queued again', schema: folderRequest } },
      problems: ['folder_request_not_found', 'not_failed'],
      async handle({ caller, params, body, log }) {
        const by = { userId: caller.oid, name: caller.name };
        const entry = await folderRequests.requeue(params.id, by, log, body?.targetPath);
        return { status: 200, jsonBody: markUnserved(entry, await agents.isServed()) };
      },
    }),
    operation({
      ...administrators,
      id: 'free-folder-request',
      method: 'POST',
      route: 'v1/folder-requests/{id}/free',
      summary: 'Take a folder request from its agent',
      description:
        'Changes PROCESSING to PENDING, in its old place: for an agent that is gone or stuck. Its next call is 409 claim_lost, and it stops its work. The reason is kept in the history. Pause the agent first if it should not claim the request again.',
      params: folderRequestParams,
      body: folderRequestFree,
      responses: { 200: { description: 'Pending again', schema: folderRequest } },
      problems: ['folder_request_not_found', 'not_processing'],
      async handle({ caller, params, body, log }) {
        const by = { userId: caller.oid, name: caller.name };
        const entry = await folderRequests.free(params.id, by, body.reason, log);
        return { status: 200, jsonBody: markUnserved(entry, await agents.isServed()) };
      },
    }),
    operation({
      ...users,
      id: 'correct-folder-request',
      method: 'PATCH',
      route: 'v1/folder-requests/{id}',
      summary: 'Correct the path of a folder request',
      description:
        'Replaces the path of a PENDING request of the caller, which keeps its place. The former path is kept in the history. Administrators can correct any PENDING request. The same path changes nothing.',
      params: folderRequestParams,
      body: folderRequestCorrection,
      responses: { 200: { description: 'With the path', schema: folderRequest } },
      problems: ['folder_request_not_found', 'not_pending'],
      async handle({ caller, params, body, log }) {
        const mayAny = caller.permissions.has('Administrator');
        const by = { userId: caller.oid, name: caller.name, mayAny };
        const entry = await folderRequests.correctPath(params.id, by, body.targetPath, log);
        return { status: 200, jsonBody: markUnserved(entry, await agents.isServed()) };
      },
    }),
    operation({
      ...users,
      id: 'withdraw-folder-request',
      method: 'DELETE',
      route: 'v1/folder-requests/{id}',
      summary: 'Withdraw a folder request',
      description:
        'Deletes a PENDING request of the caller; an event in the log remains. Administrators can withdraw any PENDING or FAILED request.',
      params: folderRequestParams,
      responses: { 204: { description: 'Withdrawn' } },
      problems: ['folder_request_not_found', 'not_pending'],
      async handle({ caller, params, log }) {
        const by = { userId: caller.oid, mayAny: caller.permissions.has('Administrator') };
        await folderRequests.withdraw(params.id, by, log);
        return { status: 204 };
      },
    }),
  ];
}
