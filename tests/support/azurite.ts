import { randomUUID } from 'node:crypto';
import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import { azuriteConnectionString } from './shared-azurite.ts';

export { azuriteConnectionString };

export const newTableName = (): string => `t${randomUUID().replaceAll('-', '')}`;

/** A client of a table; several clients of one name represent several processes that use the table. */
export function tableClient(name: string, options: TableServiceClientOptions = {}): TableClient {
  return TableClient.fromConnectionString(azuriteConnectionString(), name, {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
    ...options,
  });
}

/** Creates a table with a unique name. Azurite discards it when it stops. */
export async function newTable(): Promise<string> {
  const name = newTableName();
  await tableClient(name).createTable();
  return name;
}
