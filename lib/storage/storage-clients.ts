import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import type { TokenCredential } from '@azure/identity';
import type { BlobClient, BlobServiceClient } from '@azure/storage-blob';
import type { Secret } from '../contract/secret.ts';
import { SettingsError } from '../contract/settings-table.ts';
import { callLimit } from './call-limit.ts';
import { ownResponses } from './own-responses.ts';
import { transactionResponses } from './transaction-responses.ts';

/** By the names of their variables. Without a connection string, there are endpoints. */
export interface StorageSettings {
  readonly STORAGE_CONNECTION_STRING?: Secret | undefined;
  readonly STORAGE_TABLE_ENDPOINT?: string | undefined;
  readonly STORAGE_BLOB_ENDPOINT?: string | undefined;
  readonly AZURE_CLIENT_ID?: string | undefined;
}

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

/** A caller waits for both. */
interface Limits {
  readonly tokenMs: number;
  readonly callMs: number;
}

// The storage itself ends an operation on a table after 30 s (learn.microsoft.com, "Setting timeouts for Table service operations").
const defaultLimits: Limits = { tokenMs: 30_000, callMs: 60_000 };

/** Clients by connection string locally, by managed identity in Azure. */
export function storageClients(settings: StorageSettings, limits: Partial<Limits> = {}): StorageClients {
  const { tokenMs, callMs } = { ...defaultLimits, ...limits };
  const connectionString = settings.STORAGE_CONNECTION_STRING?.reveal();
  const { table, blobs } = connectionString
    ? byConnectionString(connectionString)
    : byIdentity(settings, tokenMs);
  return {
    table: (name, { additionalPolicies = [], ...options } = {}) =>
      table(name, {
        ...options,
        additionalPolicies: [
          ...additionalPolicies,
          ...transactionResponses,
          ...ownResponses,
          ...callLimit(callMs),
        ],
      }),
    blobs,
    async blobAt(url) {
      const [{ BlobClient }, service] = await Promise.all([blobSdk(), blobs()]);
      const credential = isOwnBlob(url, service.url) ? service.credential : undefined;
      return new BlobClient(url, credential, quickRetries);
    },
  };
}

type Clients = Pick<StorageClients, 'table' | 'blobs'>;

function byIdentity(settings: StorageSettings, limitMs: number): Clients {
  const { STORAGE_TABLE_ENDPOINT: tableEndpoint = '', STORAGE_BLOB_ENDPOINT: blobEndpoint = '' } = settings;
  const credential = managedIdentity(settings.AZURE_CLIENT_ID, limitMs);
  return {
    table: (name, options) => new TableClient(tableEndpoint, name, credential, options),
    blobs: async () => new (await blobSdk()).BlobServiceClient(blobEndpoint, credential),
  };
}

/**
 * The managed identity of the app, loaded when the first token is needed. `ManagedIdentityCredential` rather than
 * `DefaultAzureCredential`: it names the identity explicitly and tries no other when that fails. It waits for an endpoint without a
 * response for ever.
 */
function managedIdentity(clientId: string | undefined, limitMs: number): TokenCredential {
  let credential: Promise<TokenCredential> | undefined;
  const load = async (): Promise<TokenCredential> => {
    const { ManagedIdentityCredential } = await import('./managed-identity-credential.ts');
    return clientId ? new ManagedIdentityCredential({ clientId }) : new ManagedIdentityCredential();
  };
  return {
    async getToken(scopes, options) {
      credential ??= load();
      const { promise: late, reject } = Promise.withResolvers<never>();
      const limit = setTimeout(() => reject(noToken(limitMs)), limitMs);
      try {
        return await Promise.race([(await credential).getToken(scopes, options), late]);
      } finally {
        clearTimeout(limit);
      }
    },
  };
}

/** As what the credential throws, which the storage's failures know (storage-failure.ts). */
const noToken = (limitMs: number): Error =>
  Object.assign(new Error(`no token within ${limitMs} ms`), { name: 'CredentialUnavailableError' });

/** @throws SettingsError */
function byConnectionString(connectionString: string): Clients {
  // http is Azurite; a real account in a connection string has https endpoints.
  const allowInsecureConnection = /http:\/\/|UseDevelopmentStorage=true/i.test(connectionString);
  const table: Clients['table'] = (name, options) =>
    TableClient.fromConnectionString(connectionString, name, { ...options, allowInsecureConnection });
  try {
    table('any');
  } catch {
    throw new SettingsError(['STORAGE_CONNECTION_STRING: is not the connection string of a storage account']);
  }
  return {
    table,
    blobs: async () => (await blobSdk()).BlobServiceClient.fromConnectionString(connectionString),
  };
}

/** Whether a URL without a signature names a blob of the account at `endpoint`, which for Azurite is a path. */
function isOwnBlob(url: string, endpoint: string): boolean {
  const { origin, pathname, search } = new URL(url);
  const own = new URL(endpoint);
  return search === '' && origin === own.origin && pathname.startsWith(`${own.pathname.replace(/\/$/, '')}/`);
}
