import type { ServerResponse } from 'node:http';
import type { EventLog } from '../base/event-log.ts';

/**
 * Logs the end of a transfer that failed: `request_aborted` when the client disconnects, `response_failed` when the source
 * of a streamed body fails. The host reports either as a failed function, under the id of the invocation.
 *
 * @returns a wrapper for the streamed body
 */
export function watchedTransfer(
  response: ServerResponse | undefined,
  log: EventLog,
): (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> {
  let hasFailed = false;
  response?.once('close', () => {
    if (!response.writableFinished && !hasFailed) log.info('request_aborted');
  });
  return async function* watched(chunks) {
    try {
      yield* chunks;
    } catch (error) {
      hasFailed = true;
      log.error('response_failed', {}, error);
      throw error;
    }
  };
}
