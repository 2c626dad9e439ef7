import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import { AzureCliCredential } from '@azure/identity';
import { BlobServiceClient } from '@azure/storage-blob';
import { runningStack } from '../verify/local-targets.ts';

type TableOf = (name: string, options?: TableServiceClientOptions) => TableClient;

/** Those of the stack that runs. */
export async function localTables(): Promise<TableOf> {
  const { connectionString } = (await runningStack()).tables;
  return (name, options) =>
    TableClient.fromConnectionString(connectionString, name, { ...options, allowInsecureConnection: true });
}

/** Those of a storage account, as the person of `az login`. */
export function tablesOfAccount(account: string): TableOf {
  const credential = new AzureCliCredential();
  return (name, options) =>
    new TableClient(`https://${account}.table.core.windows.net`, name, credential, options);
}

/** Those of the stack that runs. */
export const localBlobs = async (): Promise<BlobServiceClient> =>
  BlobServiceClient.fromConnectionString((await runningStack()).tables.connectionString);

/** Those of a storage account, as the person of `az login`. */
export const blobsOfAccount = (account: string): BlobServiceClient =>
  new BlobServiceClient(`https://${account}.blob.core.windows.net`, new AzureCliCredential());
