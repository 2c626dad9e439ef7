import { ApiProblem } from '../openapi/api-problem.ts';
import type { components } from '../openapi/openapi-types.ts';
import { realTiming, type Timing } from '../uploads/timing.ts';
import { mayPass } from './with-retries.ts';

export interface ReadUntilOptions<T> {
  /** Ends the waiting: the returned promise then rejects with its reason. `AbortSignal.timeout(…)` is a limit. */
  readonly signal?: AbortSignal | undefined;
  /** Gets every state before the last. */
  readonly onRead?: ((value: T) => void) | undefined;
}

const defaultWaitSeconds = 5;
const givesUpAfterMs = 15 * 60_000;

/**
 * Calls `read` again after `Retry-After` until `isDone`. Lost connections and a busy service do not end it, unless nothing was
 * read for 15 minutes.
 */
export async function readUntil<T>(
  read: () => Promise<{ data?: T; response: Response }>,
  isDone: (value: T) => boolean,
  { signal, onRead }: ReadUntilOptions<T> = {},
  { now, pause }: Pick<Timing, 'now' | 'pause'> = realTiming,
): Promise<T> {
  for (let readAt = now(); ;) {
    signal?.throwIfAborted();
    let seconds: number | undefined;
    try {
      const { data, response } = await read();
      if (isDone(data as T)) return data as T;
      onRead?.(data as T);
      readAt = now();
      seconds = Number(response.headers.get('retry-after') ?? defaultWaitSeconds);
    } catch (error) {
      const passes = error instanceof ApiProblem && mayPass(error) && now() - readAt < givesUpAfterMs;
      if (!passes) throw error;
      seconds = error.retryAfterSeconds;
    }
    await pause((seconds ?? defaultWaitSeconds) * 1000, signal);
  }
}

type FolderRequest = Pick<components['schemas']['FolderRequest'], 'status' | 'unserved'>;

// A new status of the API does not compile without a line here.
const hasEnded: Readonly<Record<FolderRequest['status'], boolean>> = {
  PENDING: false,
  PROCESSING: false,
  FULFILLED: true,
  FAILED: true,
};

/** Whether waiting for a folder request is over: it has ended, or no agent has served its file server within a day. */
export const isSettled = ({ status, unserved }: FolderRequest): boolean =>
  hasEnded[status] || unserved === true;
