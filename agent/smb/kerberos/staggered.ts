/** RFC 8305 section 5: the delay between attempts, long enough that a server that responds gets no rival. */
const headStartMs = 250;

/**
 * The first candidate that succeeds. Each gets a head start before the next is tried as well, and none after it has
 * failed, so that a silent candidate costs the head start and not its timeout.
 * @param attempt its signal aborts when another candidate has succeeded
 * @param discard for values that arrive too late
 * @throws the error of the first candidate, when all failed
 */
export function staggered<C, T>(
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
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    isOver = true;
    clearTimeout(timer);
  };
  const startNext = () => {
    clearTimeout(timer);
    if (isOver || started === candidates.length) return;
    const index = started++;
    timer = setTimeout(startNext, delayMs);
    const candidate = candidates[index]!;
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
        if (failed < candidates.length) return startNext();
        end();
        reject(errors[0]);
      },
    );
  };
  if (candidates.length === 0) reject(new Error('There is no candidate'));
  startNext();
  return promise;
}
