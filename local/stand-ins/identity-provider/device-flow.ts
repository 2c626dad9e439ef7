import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { requiredParameter } from './exchange.ts';
import type { Person } from './people.ts';
import { TokenError } from './token-error.ts';

/** A registration that allows public client flows, such as that of the commands (docs/sign-in-rules.md, B7). */
export interface PublicClient {
  readonly clientId: string;
  /** Delegated permissions with the consent of an administrator; those of the API by its client id. */
  readonly consentedScopes: readonly string[];
}

/** The sign-in of a person with a public client, by a code on any device or in a browser. */
export interface PublicGrant {
  readonly clientId: string;
  readonly person: Person;
  readonly scopes: readonly string[];
}

interface DeviceCode {
  readonly clientId: string;
  readonly userCode: string;
  readonly scopes: readonly string[];
  readonly endsAt: number;
  state:
    | { name: 'pending' }
    | { name: 'approved'; person: Person }
    | { name: 'declined' }
    | { name: 'redeemed' };
  /** When the client may ask again. */
  mayPollAt: number;
  intervalMs: number;
}

const lifetimeSeconds = 900;
// RFC 8628, 3.5: after slow_down, the interval grows by 5 seconds.
const slowerByMs = 5000;
// The consonants of RFC 8628, 6.1, which form no words.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const identityScopes: ReadonlySet<string> = new Set(['openid', 'profile', 'offline_access', 'email']);

/** Sign-in by a code that a person types on any device (RFC 8628, docs/sign-in-rules.md, B7). */
export class DeviceFlow {
  readonly #now: () => Date;
  readonly #clients: readonly PublicClient[];
  readonly #codes = new Map<string, DeviceCode>();
  readonly #refreshTokens = new Map<string, Omit<PublicGrant, 'scopes'>>();
  /** Entra ID's is 5. */
  intervalSeconds = 5;

  constructor(clients: readonly PublicClient[], now: () => Date) {
    this.#clients = clients;
    this.#now = now;
  }

  /** The response of the device authorization endpoint. @throws TokenError */
  begin(form: URLSearchParams, verificationUri: string): object {
    const client = this.#client(form);
    const scopes = requiredParameter(form, 'scope').split(' ').filter(Boolean);
    requireConsent(client, scopes);
    const userCode = Array.from({ length: 9 }, () => letters[randomInt(letters.length)]).join('');
    const deviceCode = randomBytes(32).toString('base64url');
    const now = this.#now().getTime();
    this.#codes.set(deviceCode, {
      clientId: client.clientId,
      userCode,
      scopes,
      endsAt: now + lifetimeSeconds * 1000,
      state: { name: 'pending' },
      mayPollAt: now,
      intervalMs: this.intervalSeconds * 1000,
    });
    return {
      user_code: userCode,
      device_code: deviceCode,
      verification_uri: verificationUri,
      expires_in: lifetimeSeconds,
      interval: this.intervalSeconds,
      message: `To sign in, use a web browser to open the page ${verificationUri} and enter the code ${userCode} to authenticate.`,
    };
  }

  /** What the person does with the code. @returns whether it exists, and is neither used nor expired */
  decide(userCode: string, person: Person | null): boolean {
    const now = this.#now().getTime();
    const code = [...this.#codes.values()].find(
      (each) => each.userCode === userCode.trim().toUpperCase() && each.state.name === 'pending',
    );
    if (code === undefined || code.endsAt <= now) return false;
    code.state = person === null ? { name: 'declined' } : { name: 'approved', person };
    return true;
  }

  /** @throws TokenError `authorization_pending`, `slow_down`, and the others of RFC 8628, 3.5 */
  redeem(form: URLSearchParams): PublicGrant {
    const client = this.#client(form);
    const code = this.#codes.get(requiredParameter(form, 'device_code'));
    if (code === undefined || code.clientId !== client.clientId || code.state.name === 'redeemed') {
      throw new TokenError({
        error: 'bad_verification_code',
        number: 70018,
        message: 'The verification code is not known.',
      });
    }
    const now = this.#now().getTime();
    if (code.endsAt <= now) {
      throw new TokenError({
        error: 'expired_token',
        number: 70019,
        message: 'The verification code expired.',
      });
    }
    if (now < code.mayPollAt) {
      code.intervalMs += slowerByMs;
      code.mayPollAt = now + code.intervalMs;
      // Documented by RFC 8628 only; the number is this stand-in's.
      throw new TokenError({ error: 'slow_down', number: 70017, message: 'The client polls too often.' });
    }
    code.mayPollAt = now + code.intervalMs;
    switch (code.state.name) {
      case 'pending':
        throw new TokenError({
          error: 'authorization_pending',
          number: 70016,
          message: 'OAuth 2.0 device flow error. Authorization is pending. Continue polling.',
        });
      case 'declined':
        throw new TokenError({
          error: 'authorization_declined',
          number: 65004,
          message: 'The user declined to consent to access the app.',
        });
      case 'approved': {
        const { clientId, scopes } = code;
        const { person } = code.state;
        code.state = { name: 'redeemed' };
        return { clientId, person, scopes };
      }
    }
  }

  /** Of one user and client, for every resource to which the client has consent. @throws TokenError */
  renew(form: URLSearchParams): PublicGrant {
    const client = this.#client(form);
    const grant = this.#refreshTokens.get(requiredParameter(form, 'refresh_token'));
    if (grant?.clientId !== client.clientId) {
      throw new TokenError({
        error: 'invalid_grant',
        number: 70000,
        message: 'The refresh token is not valid.',
      });
    }
    const scopes = requiredParameter(form, 'scope').split(' ').filter(Boolean);
    requireConsent(client, scopes);
    return { ...grant, scopes };
  }

  refreshTokenFor({ clientId, person }: PublicGrant): string {
    const token = `1.local-${randomUUID()}`;
    this.#refreshTokens.set(token, { clientId, person });
    return token;
  }

  isPublicClient(clientId: string | null): boolean {
    return this.#clients.some((client) => client.clientId === clientId);
  }

  /** @throws TokenError if this public client has no consent to one of the scopes */
  requireConsentOf(clientId: string, scopes: readonly string[]): void {
    const client = this.#clients.find((each) => each.clientId === clientId);
    if (client) requireConsent(client, scopes);
  }

  #client(form: URLSearchParams): PublicClient {
    const clientId = requiredParameter(form, 'client_id');
    const client = this.#clients.find((each) => each.clientId === clientId);
    if (client) return client;
    // What a registration that does not allow public client flows gets.
    throw new TokenError({
      status: 401,
      error: 'invalid_client',
      number: 7000218,
      message:
        "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    });
  }
}

function requireConsent({ consentedScopes }: PublicClient, scopes: readonly string[]): void {
  const named = scopes.map((scope) => scope.replace(/^(?:https:\/\/graph\.microsoft\.com|api:\/)\//, ''));
  if (named.every((scope) => identityScopes.has(scope) || consentedScopes.includes(scope))) return;
  throw new TokenError({
    error: 'invalid_grant',
    number: 65001,
    message: 'The user or administrator has not consented to use the application.',
    suberror: 'consent_required',
  });
}

export const resourceScopes = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => !identityScopes.has(scope));
