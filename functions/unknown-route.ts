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
    description: 'Answers what no other route takes.',
    access: { kind: 'anonymous' },
    responses: {},
    handle() {
      const code: ProblemCode = 'not_found';
      throw new ServiceError(code, { detail: 'There is no such route, or not with this method.' });
    },
  });

/** Whatever no other route takes: the host's own answer would be an empty 404, not a problem document. */
export const unknownRoutes: readonly Operation[] = methods.map(unknownRoute);
