import type { Secret } from '../contract/secret.ts';
import type { AppPermission, Permission } from './roles.ts';

/** A signed-in user whose delegated token was verified. */
export interface User {
  readonly kind: 'user';
  /** Object id in the identity provider; what "requested by" and "uploaded by" store. */
  readonly oid: string;
  readonly name: string | undefined;
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  readonly email: string | undefined;
  readonly permissions: ReadonlySet<Permission>;
  /** The access token itself, the assertion of the on-behalf-of exchange. */
  readonly assertion: Secret;
  /** When the assertion ends, in ms since the epoch. */
  readonly expiresAtMs: number;
}

export interface Agent {
  readonly kind: 'agent';
  readonly id: string;
  /** What logs show. Differs from `id` where the id is the secret itself (a secret-only entry of the key list). */
  readonly logName: string;
}

/** A program that signed in as itself, without a user. */
export interface Application {
  readonly kind: 'application';
  readonly clientId: string;
}

/** What an operation requires of its caller: one of these permissions, or, if there are none, only a signed-in user. */
export type Access =
  | { readonly kind: 'user'; readonly anyOf: readonly Permission[]; readonly orApplication?: undefined }
  | { readonly kind: 'user'; readonly anyOf: readonly Permission[]; readonly orApplication: AppPermission }
  | { readonly kind: 'agent' }
  | { readonly kind: 'anonymous' };

/** Whether a user with these permissions may call an operation. Its handler can reject a call for other reasons. */
export const mayCall = (access: Access, permissions: ReadonlySet<Permission>): boolean =>
  access.kind === 'anonymous' ||
  (access.kind === 'user' &&
    (access.anyOf.length === 0 || access.anyOf.some((permission) => permissions.has(permission))));

export type CallerOf<A extends Access> = A extends { orApplication: AppPermission }
  ? User | Application
  : A extends { kind: 'user' }
    ? User
    : A extends { kind: 'agent' }
      ? Agent
      : undefined;

export type Caller = User | Application | Agent | undefined;
