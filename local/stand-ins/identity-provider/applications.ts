import { randomUUID } from 'node:crypto';

/** A program of the tenant that signs in as itself. */
export interface Application {
  readonly clientId: string;
  /** Object id of its service principal. */
  readonly oid: string;
  readonly clientSecret: string;
  /** App roles assigned to the application. */
  readonly roles: readonly string[];
}

export const applications = {
  recordsSync: {
    clientId: '5e0c0de5-0000-4000-8000-0123456789ab',
    oid: '5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a2001',
    clientSecret: `local-${randomUUID()}`,
    roles: ['Records.Sync'],
  },
  noRole: {
    clientId: '5e0c0de6-0000-4000-8000-0123456789ab',
    oid: '5c0c1a52-9f2f-4b5e-8f0a-0d1c5a6a2002',
    clientSecret: `local-${randomUUID()}`,
    roles: [],
  },
} as const satisfies Record<string, Application>;

/** The public client with which people use `npm run verify`, `accept`, and `import` (docs/sign-in-rules.md, B7). */
export const verificationClientId = '5e0c0de7-0000-4000-8000-0123456789ab';
