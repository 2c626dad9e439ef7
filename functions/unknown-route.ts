import { operation, type Operation } from '../lib/http/operation.ts';
import { ServiceError, type ProblemCode } from '../lib/base/service-error.ts';

const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;

const unknownRoute = (method: Operation['method']): Operation =>
  operation({
    id: `unknown-route-${method.toLowerCase()}`,
    method,
    route: 'v1/{*rest}',
    tag: 'operations',
    summary: 'No such route',
    description: 'Matches every path that no other route matches.',
    access: { kind: 'anonymous' },
    responses: {},
    handle() {
      const code: ProblemCode = 'not_found';
      throw new ServiceError(code, { detail: 'There is no route with this path and method.' });
    },
  });

/** For requests that no other route matches. The host's own response would be an empty 404, not a problem document. */
export const unknownRoutes: readonly Operation[] = methods.map(unknownRoute);
