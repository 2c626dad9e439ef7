import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import type { BlobClient, BlobServiceClient } from '@azure/storage-blob';
import type { Secret } from '../contract/secret.ts';
import { SettingsError } from '../contract/settings-table.ts';
import { managedIdentity } from './managed-identity.ts';

export type StorageSettings =
  | { readonly kind: 'connectionString'; readonly connectionString: Secret }
  | {
      readonly kind: 'identity';
      readonly tableEndpoint: string;
      readonly blobEndpoint: string;
      readonly clientId: string | undefined;
    };

/** Every route uses tables; the blob client is loaded only where it is needed. */
export interface StorageClients {
  table(name: string, options?: TableServiceClientOptions): TableClient;
  readonly blobs: () => Promise<BlobServiceClient>;
  /**
   * A blob by its URL. The credential of the service is sent only to its own storage account; any other blob is accessed with
   * the shared access signature in its URL, or as a public one.
   */
  blobAt(url: string): Promise<BlobClient>;
}

// Four tries within 2 s. With the SDK's defaults a user waits 16 s for the error.
const quickRetries = { retryOptions: { retryDelayInMs: 500 } };

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
      return isOwnBlob(url, blobEndpoint)
        ? new sdk.BlobClient(url, credential, quickRetries)
        : new sdk.BlobClient(url, undefined, quickRetries);
    },
  };
}

/** @throws SettingsError */
function clientsByConnectionString(connectionString: string): StorageClients {
  // http is Azurite; a real account in a connection string has https endpoints.
  const allowInsecureConnection = /http:\/\/|UseDevelopmentStorage=true/i.test(connectionString);
  const table: StorageClients['table'] = (name, options) =>
    TableClient.fromConnectionString(connectionString, name, { ...options, allowInsecureConnection });
  try {
    table('any');
  } catch {
    throw new SettingsError(['STORAGE_CONNECTION_STRING: is not the connection string of a storage account']);
  }
  const blobs = async (): Promise<BlobServiceClient> =>
    (await blobSdk()).BlobServiceClient.fromConnectionString(connectionString);
  return {
    table,
    blobs,
    async blobAt(url) {
      const sdk = await blobSdk();
      const service = await blobs();
      const isOwn = isOwnBlob(url, service.url);
      return isOwn
        ? new sdk.BlobClient(url, service.credential, quickRetries)
        : new sdk.BlobClient(url, undefined, quickRetries);
    },
  };
}

/** Whether a URL without a signature names a blob of the account at `endpoint`, which for Azurite is a path. */
function isOwnBlob(url: string, endpoint: string): boolean {
  const { origin, pathname, search } = new URL(url);
  const own = new URL(endpoint);
  return search === '' && origin === own.origin && pathname.startsWith(`${own.pathname.replace(/\/$/, '')}/`);
}
