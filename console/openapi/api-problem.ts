import type { components } from './openapi-types.ts';

type Problem = components['schemas']['Problem'];

type Facts = Partial<Omit<Problem, 'code'>> & {
  readonly code?: string;
  readonly claims?: string | undefined;
};

/**
 * A call that has failed: an error response of the service, a response of an intermediary (`code` is then
 * `unexpected_response`), or no response (`status` is then 0, `code` is `unreachable` or `not_sent`).
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  readonly params: Problem['params'];
  readonly errors: NonNullable<Problem['errors']>;
  /** What the identity provider asks of the next sign-in (`interaction_required`), as JSON. */
  readonly claims: string | undefined;

  constructor(status: number, problem: Facts = {}, retryAfterSeconds?: number, cause?: unknown) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`, { cause });
    this.status = status;
    this.code = problem.code ?? 'unexpected_response';
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.params = problem.params;
    this.errors = problem.errors ?? [];
    this.claims = problem.claims;
  }
}

/** Reads the problem from the body of an error response; intermediaries send other bodies. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  const problem = isProblem ? ((await response.json()) as Problem) : {};
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(
    response.status,
    { ...problem, claims: claimsOf(response) },
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

/** The claims challenge of the identity provider, which the service forwards (`interaction_required`). */
export function claimsOf(response: Response): string | undefined {
  const challenge = response.headers.get('www-authenticate') ?? '';
  const encoded = /claims="([^"]+)"/.exec(challenge)?.[1];
  return encoded === undefined ? undefined : atob(encoded);
}
