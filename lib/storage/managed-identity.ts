import type { TokenCredential } from '@azure/identity';

/**
 * The managed identity of the app, loaded when the first token is needed. `ManagedIdentityCredential` rather than
 * `DefaultAzureCredential`: it names the identity explicitly and tries no other when that fails.
 */
export function managedIdentity(clientId: string | undefined): TokenCredential {
  let credential: Promise<TokenCredential> | undefined;
  const load = async (): Promise<TokenCredential> => {
    const { ManagedIdentityCredential } = await import('./managed-identity-credential.ts');
    return clientId ? new ManagedIdentityCredential({ clientId }) : new ManagedIdentityCredential();
  };
  return {
    async getToken(scopes, options) {
      credential ??= load();
      return (await credential).getToken(scopes, options);
    },
  };
}
