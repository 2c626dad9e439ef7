import type { TokenHolder } from '../base/exchange.ts';
import type { Drive } from '../state/drives.ts';
import { accessDenied, GraphError, itemNotFound } from '../base/graph-error.ts';
import type { DriveSettings } from '../base/settings.ts';

/** Resolves with the claims of a token with valid signature and issuer; rejects otherwise. */
export type VerifyToken = (token: string) => Promise<Record<string, unknown>>;

const graphAudiences: ReadonlySet<unknown> = new Set([
  'https://graph.microsoft.com',
  'https://graph.microsoft.com/',
  '00000003-0000-0000-c000-000000000000',
]);

/** The signed-in user of an Authorization header, or 401 (A1). Accepts only delegated tokens for Graph. */
export async function identify(
  authorization: string | undefined,
  verifyToken: VerifyToken,
  now: () => number,
): Promise<TokenHolder> {
  const token = /^Bearer (?<token>[^\s,]+)$/i.exec(authorization ?? '')?.groups?.token;
  if (token === undefined) throw unauthenticatedError('Access token is empty.');
  let claims: Record<string, unknown>;
  try {
    claims = await verifyToken(token);
  } catch {
    throw unauthenticatedError('Access token validation failure.');
  }
  const seconds = now() / 1000;
  if (typeof claims.exp !== 'number' || claims.exp <= seconds || Number(claims.nbf ?? 0) > seconds + 300) {
    throw unauthenticatedError('Lifetime validation failed, the token is expired.');
  }
  if (!graphAudiences.has(claims.aud)) {
    throw unauthenticatedError('Access token validation failure. Invalid audience.');
  }
  const { oid, scp, name } = claims;
  if (typeof oid !== 'string' || oid === '') throw unauthenticatedError('Access token has no object id.');
  return {
    id: oid,
    displayName: typeof name === 'string' ? name : oid,
    // An app-only token has no scp (B4), so every permission check below fails.
    scopes: new Set(typeof scp === 'string' ? scp.split(' ').filter(Boolean) : []),
    claims,
  };
}

const unauthenticatedError = (message: string) =>
  new GraphError(401, 'InvalidAuthenticationToken', message, {
    headers: {
      'WWW-Authenticate':
        'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", ' +
        'client_id="00000003-0000-0000-c000-000000000000"',
    },
  });

// A1, permission tables.
const driveWrite = ['Files.ReadWrite', 'Files.ReadWrite.All', 'Sites.ReadWrite.All', 'Sites.Selected'];
const driveRead = [...driveWrite, 'Files.Read', 'Files.Read.All', 'Sites.Read.All'];
const siteRead = [
  'Sites.Selected',
  'Sites.Read.All',
  'Sites.ReadWrite.All',
  'Sites.Manage.All',
  'Sites.FullControl.All',
];
const profileRead = [
  'User.Read',
  'User.ReadWrite',
  'User.Read.All',
  'User.ReadWrite.All',
  'Directory.Read.All',
];

const holdsOne = (caller: TokenHolder, scopes: readonly string[]) =>
  scopes.some((scope) => caller.scopes.has(scope));

export function requireDriveAccess(
  caller: TokenHolder,
  drive: Drive,
  need: 'read' | 'write',
  settings: DriveSettings,
): void {
  if (!holdsOne(caller, need === 'write' ? driveWrite : driveRead)) throw accessDenied();
  if (drive.ownerId !== null) {
    if (drive.ownerId !== caller.id) throw accessDenied();
    if (settings.unlicensed.includes(caller.id)) throw itemNotFound();
    return;
  }
  const right = settings.access[caller.id] ?? 'write';
  if (right === 'none' || (right === 'read' && need === 'write')) throw accessDenied();
}

export function requireSiteAccess(caller: TokenHolder, settings: DriveSettings): void {
  if (!holdsOne(caller, siteRead) || settings.access[caller.id] === 'none') throw accessDenied();
}

export function requireProfileAccess(caller: TokenHolder): void {
  if (caller.scopes.size === 0) {
    throw new GraphError(400, 'BadRequest', '/me request is only valid with delegated authentication flow.');
  }
  if (!holdsOne(caller, profileRead)) {
    throw new GraphError(
      403,
      'Authorization_RequestDenied',
      'Insufficient privileges to complete the operation.',
    );
  }
}
