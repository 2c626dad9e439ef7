import type { components } from './openapi-types.ts';

type Problem = components['schemas']['Problem'];

/** An error response of the service, or a response of an intermediary (`code` is then `unexpected_response`). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  readonly params: Problem['params'];
  readonly errors: NonNullable<Problem['errors']>;

  constructor(status: number, problem: Partial<Problem> = {}, retryAfterSeconds?: number) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = problem.code ?? 'unexpected_response';
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.params = problem.params;
    this.errors = problem.errors ?? [];
  }
}

/** Reads the problem from the body of an error response; intermediaries send other bodies. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  const problem = isProblem ? ((await response.json()) as Problem) : {};
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(response.status, problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
}
