import { type ProblemCode, ServiceError } from '../base/service-error.ts';
import { LibraryError } from '../document-library/library-error.ts';

/** A rejection of Graph as one part of the service sees it. All signs that a row has must match. */
export interface Rejection {
  readonly statuses?: readonly number[];
  /** One of these is the code or an inner code. */
  readonly codes?: readonly string[];
  readonly says?: RegExp;
  readonly problem: ProblemCode;
  readonly detail: string;
}

/**
 * The error in the words of the first row that matches, or as it is: the general words of {@link LibraryError} are about the
 * library of the projects.
 */
export function explainRejection(error: unknown, rows: readonly Rejection[], otherwise: string): unknown {
  // Signing in again is the same for all of Graph.
  if (!(error instanceof LibraryError) || error.reason === 'unauthenticated') return error;
  const { wire } = error;
  const row = wire && rows.find((each) => matches(each, wire));
  const { retryAfterSeconds } = error.facts;
  return new ServiceError(
    row?.problem ?? (error.code === 'library_throttled' ? error.code : 'library_error'),
    {
      detail:
        row?.detail ??
        (error.code === 'library_throttled'
          ? `${otherwise} is busy or did not respond; try again later.`
          : `${otherwise} rejected the request${wire ? ` with status ${wire.status}` : ''}; the log has its reason.`),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      cause: error,
    },
  );
}

const matches = ({ statuses, codes, says }: Rejection, wire: NonNullable<LibraryError['wire']>): boolean =>
  (statuses?.includes(wire.status) ?? true) &&
  (codes?.some((code) => wire.codes.includes(code)) ?? true) &&
  (says?.test(wire.message) ?? true);
