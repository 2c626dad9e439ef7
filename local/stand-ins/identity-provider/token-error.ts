import { randomUUID } from 'node:crypto';

/** An error of the token endpoint, in Entra ID's shape (docs/sign-in-rules.md, B1). */
export interface TokenFault {
  /** HTTP status; default 400. */
  status?: number;
  error: string;
  /** The AADSTS number. */
  number: number;
  message: string;
  suberror?: string;
  /** JSON of a claims challenge. */
  claims?: string;
  retryAfterSeconds?: number;
}

export class TokenError extends Error {
  readonly fault: TokenFault;
  constructor(fault: TokenFault) {
    super(fault.message);
    this.name = 'TokenError';
    this.fault = fault;
  }
}

export function tokenErrorBody({ error, number, message, suberror, claims }: TokenFault, now: Date): object {
  const traceId = randomUUID();
  const correlationId = randomUUID();
  const timestamp = now.toISOString().replace('T', ' ').replace(/\..*/, 'Z');
  return {
    error,
    error_description: `AADSTS${number}: ${message} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`,
    error_codes: [number],
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    error_uri: `https://login.microsoftonline.com/error?code=${number}`,
    ...(suberror === undefined ? {} : { suberror }),
    ...(claims === undefined ? {} : { claims }),
  };
}

/** Errors that tests can inject, by the name of what happened to the user or the tenant. */
export const tokenFaults = {
  consentMissing: {
    error: 'invalid_grant',
    number: 65001,
    message: 'The user or administrator has not consented to use the application.',
    suberror: 'consent_required',
  },
  /** The response of some tenants, without the suberror. */
  consentMissingPlain: {
    error: 'invalid_grant',
    number: 65001,
    message: 'The user or administrator has not consented to use the application.',
  },
  interactionRequired: {
    error: 'interaction_required',
    number: 50076,
    message:
      'Due to a configuration change made by your administrator, you must use multi-factor authentication.',
    suberror: 'basic_action',
    claims:
      '{"access_token":{"capolids":{"essential":true,"values":["b7f5c0de-0000-4000-8000-00000000c0de"]}}}',
  },
  /** Of Microsoft's classic policies for devices: invalid_grant with claims, without a suberror (reported, azure-activedirectory-library-for-dotnet#1543). */
  deviceRequired: {
    error: 'invalid_grant',
    number: 50097,
    message: 'Device authentication is required.',
    claims: '{"access_token":{"deviceid":{"essential":true}}}',
  },
  blockedByPolicy: {
    error: 'interaction_required',
    number: 53003,
    message: 'Access has been blocked by Conditional Access policies.',
    suberror: 'message_only',
    claims:
      '{"access_token":{"capolids":{"essential":true,"values":["b7f5c0de-0000-4000-8000-00000000c0de"]}}}',
  },
  /** Of a sign-in that began with a device code, in a tenant that blocks those. */
  authenticationFlowBlocked: {
    error: 'invalid_grant',
    number: 530036,
    message: 'The refresh token is invalid due to authentication flow checks by Conditional Access.',
  },
  delegatedAdminBlocked: {
    error: 'invalid_grant',
    number: 530034,
    message: 'A delegated administrator was blocked from accessing the tenant due to account risk.',
  },
  sessionRevoked: {
    error: 'invalid_grant',
    number: 50173,
    message: 'The provided grant has expired due to it being revoked, a fresh auth token is needed.',
    suberror: 'bad_token',
  },
  /** As of a registration with a signing key of its own (reported, MicrosoftDocs/azure-docs#85713). */
  signatureRejected: {
    error: 'invalid_grant',
    number: 50013,
    message: 'Assertion failed signature validation. [Reason - The key was not found.]',
  },
  /** Of a tenant that restricts what its people may use in others (reported, MicrosoftDocs/azure-docs#94478). */
  tenantRestricted: {
    error: 'access_denied',
    number: 500021,
    message: 'Access to the tenant is denied.',
  },
  userNotAssigned: {
    error: 'invalid_grant',
    number: 50105,
    message: 'The signed in user is not assigned to a role for the application.',
  },
  secretExpired: {
    status: 401,
    error: 'invalid_client',
    number: 7000222,
    message: 'The provided client secret keys are expired.',
  },
  throttled: {
    status: 429,
    error: 'temporarily_unavailable',
    number: 90055,
    message: 'The server is terminating the request because the tenant has too many of them.',
    retryAfterSeconds: 7,
  },
} as const satisfies Record<string, TokenFault>;
