import type { ServerResponse } from 'node:http';
import type { EventLog } from '../base/event-log.ts';

/**
 * Logs how a transfer ended, if it did not end well: `request_aborted` when the client has gone, `response_failed` when
 * what a streamed body is read from has failed. The host calls either a failed function, under the id of the invocation.
 *
 * @returns what a streamed body is to be passed through
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
