/** `existed`: the name was taken, by any entry and in any case; nothing was changed. */
export type PublishOutcome = 'created' | 'existed';

export interface CopyResult {
  outcome: PublishOutcome;
  /** `server-side`: the contents did not pass through this process. */
  method: 'server-side' | 'read-write';
  /** Alternate data streams of the source, `:name:$DATA`, which are not copied; left out where there are none. */
  streamsLost?: readonly string[] | undefined;
}
