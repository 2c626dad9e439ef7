export interface EachOutcome<T> {
  readonly done: number;
  readonly rejected: readonly { readonly item: T; readonly error: Error }[];
  /** Items that were not begun when it was stopped. */
  readonly left: number;
}

/** Few enough to remain below the gateway's limit of calls per user for a while, and to leave room for other users. */
const parallel = 4;

/**
 * Performs an action on each item, a few at a time. A rejected one (another user may have been faster) does not stop the
 * others. After an abort, none is begun; those under way end.
 */
export async function each<T>(
  items: readonly T[],
  act: (item: T, signal: AbortSignal) => Promise<unknown>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (ended: number) => void },
): Promise<EachOutcome<T>> {
  const waiting = [...items];
  const rejected: { item: T; error: Error }[] = [];
  let done = 0;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const [item] = waiting.splice(0, 1);
      if (item === undefined) return;
      try {
        await act(item, signal);
        done += 1;
      } catch (error) {
        if (signal.aborted) waiting.push(item);
        else rejected.push({ item, error: error instanceof Error ? error : new Error(String(error)) });
      }
      onProgress(done + rejected.length);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return { done, rejected, left: waiting.length };
}
