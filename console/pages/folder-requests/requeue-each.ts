import { ApiProblem } from '../../api/api-problem.ts';
import { api } from '../../api/client.ts';
import { matches, type FolderRequest } from './loaded-requests.ts';
import { fetchPage } from './use-folder-requests.ts';
import type { RequestFilter } from './use-request-filter.ts';

export interface RequeueOutcome {
  readonly requeued: number;
  readonly rejected: readonly { readonly request: FolderRequest; readonly reason: string }[];
}

/** Few enough to remain below the gateway's limit of calls per user for a while, and to leave room for other users. */
const parallel = 4;

/** Every failed request that matches the filter, loaded page by page. */
export async function allFailed(
  { agentId, search }: RequestFilter,
  onCount: (count: number) => void,
  signal: AbortSignal,
): Promise<readonly FolderRequest[]> {
  const found: FolderRequest[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage({ status: 'FAILED', agentId }, cursor, signal);
    found.push(...page.items.filter((request) => matches(request, search)));
    onCount(found.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Requeues a few at a time. A rejected one (another user may have requeued it) does not stop the others. */
export async function requeueEach(
  requests: readonly FolderRequest[],
  onProgress: (done: number) => void,
): Promise<RequeueOutcome> {
  const rejected: { request: FolderRequest; reason: string }[] = [];
  const waiting = [...requests];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let request = waiting.shift(); request; request = waiting.shift()) {
      try {
        await requeue(request);
      } catch (error) {
        rejected.push({ request, reason: error instanceof Error ? error.message : String(error) });
      }
      done += 1;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return { requeued: done - rejected.length, rejected };
}

/** Waits as long as the gateway demands when the user exceeds its limit of calls per minute. */
async function requeue({ id }: FolderRequest): Promise<void> {
  for (;;) {
    try {
      await api.POST('/folder-requests/{id}/requeue', { params: { path: { id } } });
      return;
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 429) throw error;
      const waitMs = (error.retryAfterSeconds ?? 5) * 1000;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
