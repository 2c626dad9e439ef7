import { PublicClientApplication } from '@azure/msal-node';

export interface SignIn {
  readonly tenantId: string;
  /** A registration that allows public client flows. */
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The token of the person who runs this, signed in on any device by a code. Nothing is stored. @throws AuthError */
export async function tokenByDeviceCode({ tenantId, clientId, scopes }: SignIn): Promise<string> {
  const authority = `https://login.microsoftonline.com/${tenantId}`;
  const client = new PublicClientApplication({ auth: { clientId, authority } });
  const result = await client.acquireTokenByDeviceCode({
    scopes: [...scopes],
    deviceCodeCallback: ({ message }) => console.error(message),
  });
  if (result === null) throw new Error('The sign-in was canceled.');
  return result.accessToken;
}
