import { applications, type Application } from './applications.ts';
import { authenticateClient, requiredParameter } from './exchange.ts';
import { TokenError } from './token-error.ts';

/**
 * The application that a request for its own token names (docs/sign-in-rules.md, B6).
 *
 * @param apiClientId the only resource of this tenant
 * @throws TokenError
 */
export function applicationOf(form: URLSearchParams, apiClientId: string): Application {
  const clientId = requiredParameter(form, 'client_id');
  const application = Object.values(applications).find((known) => known.clientId === clientId);
  authenticateClient(clientId, form.get('client_secret'), application);
  const scope = requiredParameter(form, 'scope');
  if (!scope.endsWith('/.default')) {
    throw new TokenError({
      error: 'invalid_scope',
      number: 1002012,
      message: `The provided value for scope ${scope} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`,
    });
  }
  const resource = scope.slice(0, -'/.default'.length);
  if (resource !== apiClientId && resource !== `api://${apiClientId}`) {
    throw new TokenError({
      error: 'invalid_resource',
      number: 500011,
      message: `The resource principal named ${resource} was not found in the tenant.`,
    });
  }
  if (!application || application.roles.length === 0) {
    throw new TokenError({
      error: 'invalid_grant',
      number: 501051,
      message: `Application '${clientId}' is not assigned to a role for the application '${apiClientId}'.`,
    });
  }
  return application;
}
