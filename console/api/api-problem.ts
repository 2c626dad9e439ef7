import type { components } from './openapi-types.ts';

type Problem = components['schemas']['Problem'];

/** A refusal of the service, or an answer that is none of its own (`code` is then `unexpected_answer`). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** After which the service asks to try again. */
  readonly retryAfterSeconds: number | undefined;
  readonly faults: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, problem: Partial<Problem> = {}, retryAfterSeconds?: number) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = problem.code ?? 'unexpected_answer';
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.faults = problem.errors ?? [];
  }
}

/** The problem in the body of a refusal; gateways in between answer with bodies of their own. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  const problem = isProblem ? ((await response.json()) as Problem) : {};
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(response.status, problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
}
