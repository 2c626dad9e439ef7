import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { EventLog } from '../base/event-log.ts';
import { systemClock, type Clock } from '../contract/clock.ts';
import { Secret } from '../contract/secret.ts';
import { ServiceError } from '../base/service-error.ts';
import type { Application, User } from './caller.ts';
import { keySet, UnusableKeySet } from './key-set.ts';
import type { RejectionReason } from './rejection-reasons.ts';
import { permissions, type AppPermission, type Permission } from './roles.ts';

export interface UserTokenSettings {
  /** e.g. `https://login.microsoftonline.com`, without a trailing slash. */
  readonly authorityHost: string;
  readonly tenantId: string;
  readonly clientId: string;
  /** A token must carry it in `scp`, e.g. `access_as_user`. */
  readonly scope: string;
  /** Client ids, in lower case, of the clients that users sign in with; every client if absent. */
  readonly clients?: readonly string[] | undefined;
  /** Client ids, in lower case, of the applications that can sign in as themselves. */
  readonly applications?: readonly string[] | undefined;
}

const clockToleranceSeconds = 60;
// The second one is that of China (MicrosoftDocs/azure-docs#123050). Which keys a token can have depends on the authority alone.
const v1Issuers = ['https://sts.windows.net', 'https://sts.chinacloudapi.cn'];
// Entra ID tokens are below 8 KiB even with group overage; anything longer is rejected before the signature check.
const maxTokenLength = 16_384;

/** Verifies access tokens against the provider's key set (docs/http-contract.md, "Token checks"). */
export class UserTokenVerifier {
  readonly #settings: UserTokenSettings;
  readonly #keyOf: JWTVerifyGetKey;
  readonly #clock: Clock;

  constructor(settings: UserTokenSettings, clock: Clock = systemClock, log?: EventLog) {
    this.#settings = settings;
    this.#clock = clock;
    const url = new URL(`${settings.authorityHost}/${settings.tenantId}/discovery/v2.0/keys`);
    this.#keyOf = keySet(url, clock, log);
  }

  /**
   * @param authorization the `Authorization` header as received
   * @param orApplication also accept an app-only token with this permission
   * @throws ServiceError `unauthenticated`, or `identity_provider_*` when the keys are not available
   */
  async verify(authorization: string | null): Promise<User>;
  async verify(authorization: string | null, orApplication?: AppPermission): Promise<User | Application>;
  async verify(authorization: string | null, orApplication?: AppPermission): Promise<User | Application> {
    const token = bearerToken(authorization);
    const payload = await this.#verify(token);
    // Only users' tokens have scp (docs/sign-in-rules.md, rule B6).
    return orApplication !== undefined && payload['scp'] === undefined
      ? this.#applicationOf(payload, orApplication)
      : this.#userOf(payload, token);
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { authorityHost, tenantId, clientId } = this.#settings;
    try {
      const { payload } = await jwtVerify(token, this.#keyOf, {
        algorithms: ['RS256'],
        issuer: [`${authorityHost}/${tenantId}/v2.0`, ...v1Issuers.map((host) => `${host}/${tenantId}/`)],
        audience: [clientId, `api://${clientId}`],
        requiredClaims: ['exp', 'oid', 'tid'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.#clock.now()),
      });
      if (payload['tid'] !== tenantId) throw invalidToken('wrong_tenant', 'the token is from another tenant');
      return payload;
    } catch (error) {
      throw error instanceof ServiceError ? error : rejectionOf(error);
    }
  }

  #applicationOf(payload: JWTPayload, permission: AppPermission): Application {
    const { idtyp, roles } = payload;
    if (idtyp !== undefined && idtyp !== 'app')
      throw invalidToken('wrong_kind', 'the token is not an app token (idtyp)');
    const { claim, clientId } = clientOf(payload);
    if (!this.#settings.applications?.includes(clientId)) {
      throw invalidToken(
        'unlisted_client',
        `the client is not among those of RECORDS_SYNC_CLIENT_IDS (${claim})`,
      );
    }
    if (!Array.isArray(roles) || !roles.includes(permission)) {
      throw invalidToken(
        'missing_permission',
        `the application does not have the permission ${permission} (roles)`,
      );
    }
    return { kind: 'application', clientId };
  }

  #userOf(payload: JWTPayload, token: string): User {
    const { oid, scp, idtyp } = payload;
    if (typeof oid !== 'string' || oid === '')
      throw invalidToken('missing_claim', 'the token names no user (oid)');
    // An app-only token has roles but no scp; idtyp states it if the tenant emits that claim.
    if (typeof scp !== 'string' || idtyp === 'app') {
      throw invalidToken('wrong_kind', 'the token is not a delegated user token (scp)');
    }
    if (!scp.split(' ').includes(this.#settings.scope)) {
      throw invalidToken('wrong_scope', `the token does not carry the scope ${this.#settings.scope} (scp)`);
    }
    const { claim, clientId } = clientOf(payload);
    if (this.#settings.clients?.includes(clientId) === false) {
      throw invalidToken(
        'unlisted_client',
        `the client is not among those of IDP_TOKEN_CLIENT_IDS (${claim})`,
      );
    }
    const granted = Array.isArray(payload['roles']) ? payload['roles'] : [];
    return {
      kind: 'user',
      oid,
      name: text(payload['name']),
      givenName: text(payload['given_name']),
      familyName: text(payload['family_name']),
      email: text(payload['email']) ?? text(payload['preferred_username']) ?? text(payload['upn']),
      permissions: new Set(
        permissions.filter((permission): permission is Permission => granted.includes(permission)),
      ),
      assertion: new Secret(token),
      expiresAtMs: (payload.exp ?? 0) * 1000,
    };
  }
}

/** The client that a token was issued to, in lower case: `azp` in v2 tokens, `appid` in v1 tokens. */
function clientOf({ iss, azp, appid }: JWTPayload): { claim: 'azp' | 'appid'; clientId: string } {
  const isV2 = iss?.endsWith('/v2.0');
  return { claim: isV2 ? 'azp' : 'appid', clientId: text(isV2 ? azp : appid)?.toLowerCase() ?? '' };
}

const text = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' ? claim : undefined;

function bearerToken(authorization: string | null): string {
  if (authorization === null || authorization.trim() === '') {
    throw new ServiceError('unauthenticated', {
      detail: 'Send a user token: Authorization: Bearer <access token>.',
      headers: { 'www-authenticate': 'Bearer' },
      rejectedFor: 'no_token' satisfies RejectionReason,
    });
  }
  const match = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization);
  if (!match?.[1])
    throw invalidToken(
      'no_bearer_token',
      'the Authorization header is not of the form Bearer <access token>',
    );
  if (match[1].length > maxTokenLength)
    throw invalidToken('malformed_token', `the token is longer than ${maxTokenLength} characters`);
  return match[1];
}

function invalidToken(rejectedFor: RejectionReason, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('unauthenticated', {
    rejectedFor,
    detail: `The access token was rejected: ${reason}.`,
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${reason}"` },
    cause,
  });
}

function reasonByClaim({ claim, reason }: errors.JWTClaimValidationFailed): RejectionReason {
  if (reason === 'missing') return 'missing_claim';
  const byClaim: Partial<Record<string, RejectionReason>> = {
    iss: 'wrong_tenant',
    aud: 'wrong_audience',
    nbf: 'not_yet_valid',
  };
  return byClaim[claim] ?? 'malformed_token';
}

// jose's messages name claims and algorithms, never token content; these texts are our own to keep them stable.
function rejectionOf(error: unknown): ServiceError {
  if (error instanceof errors.JWTExpired) return invalidToken('expired', 'it has expired', error);
  if (error instanceof errors.JWTClaimValidationFailed) {
    return invalidToken(
      reasonByClaim(error),
      `the claim ${error.claim} is missing or not what this service expects`,
      error,
    );
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return invalidToken(
      'unknown_signing_key',
      'it is not signed with a current key of the identity provider',
      error,
    );
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return invalidToken('wrong_algorithm', 'it is not signed with RS256', error);
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return invalidToken('wrong_signature', 'the signature is wrong', error);
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) {
    return invalidToken('malformed_token', 'it is not a signed JSON web token', error);
  }
  if (error instanceof errors.JOSENotSupported)
    return invalidToken('malformed_token', 'it uses something unsupported', error);
  return error instanceof UnusableKeySet || error instanceof errors.JOSEError
    ? new ServiceError('identity_provider_error', {
        detail: 'The identity provider returned an unusable key set.',
        cause: error,
      })
    : new ServiceError('identity_provider_unavailable', {
        detail: 'The key set of the identity provider could not be fetched.',
        cause: error,
      });
}
