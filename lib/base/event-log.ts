/** Fields of an event: plain values only, so a secret object shows as `***` and no object is traversed. */
export type EventFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Structured log of named events: each line is one JSON object. */
export interface EventLog {
  info(event: string, fields?: EventFields): void;
  warn(event: string, fields?: EventFields): void;
  /** `error` is logged with its stack and causes; it never reaches a response. */
  error(event: string, fields?: EventFields, error?: unknown): void;
}

/** The three levels of an invocation context, or of any other sink for lines. */
export interface LineSink {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

export function eventLog(sink: LineSink, common: EventFields = {}): EventLog {
  const line = (event: string, fields: EventFields = {}): string =>
    JSON.stringify({ event, ...common, ...fields });
  return {
    info: (event, fields) => sink.info(line(event, fields)),
    warn: (event, fields) => sink.warn(line(event, fields)),
    error: (event, fields, error) =>
      sink.error(line(event, error === undefined ? fields : { ...fields, error: describeError(error) })),
  };
}

// Errors of libraries often contain the failed request, including its Authorization header: only stacks are logged, never
// other properties. Query strings of URLs in messages are removed too (pre-authenticated URLs, SAS signatures).
function describeError(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return `thrown ${typeof error}`;
  const own = withoutQueries(error.stack ?? `${error.name}: ${error.message}`);
  return error.cause === undefined || depth === 4
    ? own
    : `${own}\ncaused by ${describeError(error.cause, depth + 1)}`;
}

const withoutQueries = (text: string): string =>
  text
    .replaceAll(/(https?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/g, '$1?***')
    .replaceAll(/Bearer\s+[\w.~+/=-]+/gi, 'Bearer ***')
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***');
