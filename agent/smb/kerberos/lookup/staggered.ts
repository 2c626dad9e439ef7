/** RFC 8305 section 5: the delay between attempts, long enough that a server that responds gets no rival. */
const headStartMs = 250;

/**
 * The first candidate that succeeds. The first gets a head start; after each further one, as many are tried as have been so
 * far, so that any number of silent candidates costs a few head starts (20: five) and not their timeouts. After a failure
 * the next one is tried immediately.
 * @param attempt its signal aborts when another candidate has succeeded
 * @param discard for values that arrive too late
 * @throws the error of the first candidate, when all failed
 */
export function firstOfStaggered<C, T>(
  candidates: readonly C[],
  attempt: (candidate: C, signal: AbortSignal) => Promise<T>,
  { delayMs = headStartMs, discard }: { delayMs?: number; discard?: (value: T) => void } = {},
): Promise<{ readonly candidate: C; readonly value: T }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ candidate: C; value: T }>();
  const attempts: AbortController[] = [];
  const errors: unknown[] = [];
  let started = 0;
  let failed = 0;
  let isOver = false;
  const timer = setInterval(() => start(started), delayMs);
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const start = (count: number) => {
    for (const candidate of candidates.slice(started, started + count)) startOne(candidate);
  };
  const startOne = (candidate: C) => {
    const index = started++;
    const own = (attempts[index] = new AbortController());
    attempt(candidate, own.signal).then(
      (value) => {
        if (isOver) return discard?.(value);
        end();
        // The winner may go on using its signal.
        for (const other of attempts) if (other !== own) other.abort();
        resolve({ candidate, value });
      },
      (error: unknown) => {
        errors[index] = error;
        failed += 1;
        if (isOver) return;
        if (failed < candidates.length) return start(1);
        end();
        reject(errors[0]);
      },
    );
  };
  if (candidates.length === 0) {
    end();
    reject(new Error('There is no candidate'));
  }
  start(1);
  return promise;
}
