import type { TokenCredential } from '@azure/identity';

/**
 * The managed identity of the app, loaded when the first token is needed. `ManagedIdentityCredential` rather than
 * `DefaultAzureCredential`: it says which identity is meant, and tries nothing else when that one fails.
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
