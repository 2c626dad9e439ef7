interface SearchState {
  readonly search: string;
  /** Matches among the loaded requests. */
  readonly found: number;
  /** Of the older requests; null when all are loaded. */
  readonly nextCursor: string | null;
  readonly isStopped: boolean;
  readonly hasFailed: boolean;
}

/** More matches than a person reads; the search stops at them until the user continues it. */
export const enoughMatches = 100;

/** Whether the search goes on by itself with older requests. */
export const searchContinues = ({ search, found, nextCursor, isStopped, hasFailed }: SearchState): boolean =>
  search !== '' && nextCursor !== null && found < enoughMatches && !isStopped && !hasFailed;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The id that the text consists of, as the service writes it; an id needs no search. */
export function idIn(search: string): string | undefined {
  const text = search.trim().toLowerCase();
  return uuid.test(text) ? text : undefined;
}
