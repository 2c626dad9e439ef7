import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import type { BlobClient, BlobServiceClient } from '@azure/storage-blob';
import type { Secret } from '../contract/secret.ts';
import { managedIdentity } from './managed-identity.ts';

export type StorageSettings =
  | { readonly kind: 'connectionString'; readonly connectionString: Secret }
  | {
      readonly kind: 'identity';
      readonly tableEndpoint: string;
      readonly blobEndpoint: string;
      readonly clientId: string | undefined;
    };

/** Tables are what every route works with; the client of blobs is loaded by those who need one. */
export interface StorageClients {
  table(name: string, options?: TableServiceClientOptions): TableClient;
  readonly blobs: () => Promise<BlobServiceClient>;
  /** A blob by its URL; one with a shared access signature is reached by that. */
  blobAt(url: string): Promise<BlobClient>;
}

const blobSdk = (): Promise<typeof import('./blob-sdk.ts')> => import('./blob-sdk.ts');

/** Clients by connection string locally, by managed identity in Azure. */
export function storageClients(settings: StorageSettings): StorageClients {
  if (settings.kind === 'connectionString')
    return clientsByConnectionString(settings.connectionString.reveal());
  const { tableEndpoint, blobEndpoint, clientId } = settings;
  const credential = managedIdentity(clientId);
  return {
    table: (name, options) => new TableClient(tableEndpoint, name, credential, options),
    blobs: async () => new (await blobSdk()).BlobServiceClient(blobEndpoint, credential),
    async blobAt(url) {
      const sdk = await blobSdk();
      return new URL(url).search === '' ? new sdk.BlobClient(url, credential) : new sdk.BlobClient(url);
    },
  };
}

function clientsByConnectionString(connectionString: string): StorageClients {
  // http is Azurite; a real account in a connection string has https endpoints.
  const allowInsecureConnection = /http:\/\/|UseDevelopmentStorage=true/i.test(connectionString);
  const blobs = async (): Promise<BlobServiceClient> =>
    (await blobSdk()).BlobServiceClient.fromConnectionString(connectionString);
  return {
    table: (name, options) =>
      TableClient.fromConnectionString(connectionString, name, { ...options, allowInsecureConnection }),
    blobs,
    async blobAt(url) {
      const sdk = await blobSdk();
      const service = await blobs();
      const { hostname, pathname, search } = new URL(url);
      const own = new URL(service.url);
      // The key is for this account only.
      const isOwn = search === '' && hostname === own.hostname && pathname.startsWith(own.pathname);
      return isOwn ? new sdk.BlobClient(url, service.credential) : new sdk.BlobClient(url);
    },
  };
}
