import { GraphError, invalidRequest } from './graph-error.ts';

const fragmentUnitBytes = 320 * 1024;
/** A7: a request must be smaller than 60 MiB; exactly 60 MiB is too much. */
const fragmentLimitBytes = 60 * 1024 * 1024;
/** A3. */
const maxFileBytes = 250 * 1024 ** 3;

export interface ContentRange {
  start: number;
  end: number;
  total: number;
  bytes: number;
}

/** Parses Content-Range and Content-Length of a fragment, without checking its position in the session (A7). */
export function parseContentRange(
  header: string | undefined,
  contentLength: string | undefined,
): ContentRange {
  if (contentLength === undefined) throw new GraphError(411, 'invalidRequest', 'Content-Length is required.');
  const bytes = Number(contentLength);
  if (bytes >= fragmentLimitBytes) throw new GraphError(413, 'invalidRequest', 'Request entity too large');
  // Exactly one space; no "*" for an unknown total.
  const match = /^bytes (?<start>\d+)-(?<end>\d+)\/(?<total>\d+)$/.exec(header ?? '');
  if (!match) throw invalidRequest('The Content-Range header is missing or malformed.');
  const [start, end, total] = [match.groups?.start, match.groups?.end, match.groups?.total].map(Number) as [
    number,
    number,
    number,
  ];
  if (total > maxFileBytes) {
    throw new GraphError(400, 'invalidArgument', 'The file is too large.', {
      inner: ['maxFileSizeExceeded'],
    });
  }
  if (end < start || end >= total) throw invalidRange('The Content-Range is not within the total.');
  if (end - start + 1 !== bytes) {
    throw invalidRequest('The Content-Range header length does not match the provided number of bytes.');
  }
  return { start, end, total, bytes };
}

export const isAligned = ({ bytes, end, total }: ContentRange) =>
  // Alignment applies to the length: after a broken fragment, a range can start anywhere (A7).
  bytes % fragmentUnitBytes === 0 || end === total - 1;

/** Throws if a fragment does not continue the session, with the codes of the documentation's table (A7). */
export function checkContiguous(
  range: ContentRange,
  session: { received: number; total: number | null },
): void {
  if (session.total !== null && session.total !== range.total) {
    throw invalidRange(
      `The current upload session is for ${session.total} total bytes, but the current fragment declares a total of ${range.total}`,
      'fragmentLengthMismatch',
    );
  }
  if (range.start < session.received) {
    throw invalidRange('The uploaded fragment has already been received', 'fragmentOverlap');
  }
  if (range.start > session.received) {
    throw invalidRange('The uploaded fragment is not contiguous with the last one', 'fragmentOutOfOrder');
  }
}

export const invalidRange = (message: string, ...inner: string[]) =>
  new GraphError(416, 'invalidRange', message, { inner });
