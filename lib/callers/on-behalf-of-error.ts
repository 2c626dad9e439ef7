import { AuthError, InteractionRequiredAuthError, ServerError } from '@azure/msal-node';
import { ServiceError, type ProblemCode } from '../base/service-error.ts';
import { interactionRequired } from './interaction-required.ts';

type Problem = readonly [code: ProblemCode, detail: string];

const consentMissing: Problem = [
  'consent_missing',
  'Consent for {} is missing: an administrator must grant it in the identity provider tenant.',
];
const signInAgain: Problem = [
  'sign_in_again',
  'The identity provider no longer accepts this access token; sign in again.',
];
const userDenied: Problem = [
  'forbidden',
  'The identity provider does not allow this user to use the service.',
];
const blockedByPolicy: Problem = [
  'forbidden',
  'A policy of the identity provider (conditional access) does not let this user, device, or client use the service; its sign-in log names the policy.',
];
const scopesMisconfigured: Problem = [
  'identity_provider_error',
  'The identity provider rejects the scopes {}: the permissions of the app registration need an administrator.',
];
const registrationMisconfigured: Problem = [
  'identity_provider_unavailable',
  'The identity provider rejects the registration of this service (IDP_API_CLIENT_ID, IDP_API_CLIENT_SECRET); an operator must correct it.',
];
const ownSigningKey: Problem = [
  'identity_provider_error',
  'The identity provider does not exchange the tokens of this registration (IDP_API_CLIENT_ID): the registration probably has a signing key of its own, for single sign-on by SAML or for mapped claims.',
];
const busy: Problem = ['identity_provider_unavailable', 'The identity provider is busy; try again.'];

// AADSTS numbers as Microsoft documents them (learn.microsoft.com/entra/identity-platform/reference-error-codes).
// Numbers may change, so the OAuth error decides wherever a number is not listed.
const problemsByNumber: readonly (readonly [Problem, readonly number[]])[] = [
  [consentMissing, [65001]],
  [scopesMisconfigured, [90094, 90095, 650056, 65005, 650057, 28002, 70011]],
  [userDenied, [50105, 50020, 50034, 50057, 50053, 90072]],
  // 5000… and 5002…: restrictions of tenants, and of access between tenants (MicrosoftDocs/azure-docs#69022, #94478).
  [blockedByPolicy, [53003, 500021, 500022, 500212, 500213]],
  // 500131 (wrong audience) means a caller's token that passed our audience check: a wrong App ID URI.
  [
    signInAgain,
    // 530036: of a sign-in by device code, in a tenant that blocks those; another way is open.
    [50013, 500131, 500133, 50173, 50133, 70043, 50132, 50055, 70000, 70008, 700082, 700084, 530036],
  ],
  [
    registrationMisconfigured,
    [70001, 700016, 7000112, 500011, 500014, 70002, 7000215, 7000222, 7000218, 700027, 700030, 7000114],
  ],
  [busy, [50196, 90055, 50033, 90024, 90033]],
];

const interactionNumbers = new Set([50076, 50079, 50074, 50158, 50072, 53000, 53001, 53002, 50131]);

/**
 * The numbers of conditional access. Those that neither are listed nor come with claims block the user: a new sign-in would end
 * the same way, again and again (azure-dev#7704, MicrosoftDocs/azure-docs#40458).
 */
const isOfPolicy = (number: number): boolean => /^53\d{3,4}$/.test(String(number));

/** Facts about the HTTP exchange, which msal's errors carry only in part. */
export interface ExchangeFacts {
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** JSON of a claims challenge, which msal drops from errors that it does not take for one, as invalid_grant with 50097. */
  readonly claims?: string | undefined;
  /** As requested. */
  readonly scopes: readonly string[];
}

/** Maps a failed on-behalf-of exchange to an error of the contract. The provider's text is kept in `cause`, for the log. */
export function onBehalfOfError(
  error: unknown,
  { status, retryAfterSeconds, scopes, claims = '' }: ExchangeFacts,
): ServiceError {
  const problem = ([code, detail]: Problem): ServiceError =>
    new ServiceError(code, {
      detail: detail.replace('{}', scopes.join(' ')),
      cause: error,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  if (status === undefined) {
    return problem(['identity_provider_unavailable', 'The identity provider did not respond; try again.']);
  }
  if (status === 429 || status >= 500) return problem(busy);
  if (!(error instanceof AuthError)) return problem(unusable);

  const number = numberOf(error);
  // This service has verified the signature: a new sign-in would end the same way (MicrosoftDocs/azure-docs#85713).
  if (number === 50013 && /\bsignature\b/i.test(error.errorMessage)) return problem(ownSigningKey);
  const listed = problemsByNumber.find(([, numbers]) => numbers.includes(number))?.[0];
  if (listed) return problem(listed);
  if (error.subError === 'consent_required' || error.errorCode === 'consent_required')
    return problem(consentMissing);
  if (
    claims ||
    interactionNumbers.has(number) ||
    (error.errorCode === 'interaction_required' && !isOfPolicy(number))
  ) {
    return interactionRequired(claims, error);
  }
  if (isOfPolicy(number)) return problem(blockedByPolicy);
  return problem(problemsByOAuthError[error.errorCode] ?? unusable);
}

const unusable: Problem = [
  'identity_provider_error',
  'The response of the identity provider to the on-behalf-of exchange is unusable.',
];

const problemsByOAuthError: Readonly<Record<string, Problem>> = {
  invalid_grant: signInAgain,
  login_required: signInAgain,
  invalid_client: registrationMisconfigured,
  unauthorized_client: registrationMisconfigured,
  invalid_scope: scopesMisconfigured,
  invalid_resource: scopesMisconfigured,
  temporarily_unavailable: busy,
};

const numberOf = (error: AuthError): number =>
  error instanceof ServerError || error instanceof InteractionRequiredAuthError ? Number(error.errorNo) : 0;
