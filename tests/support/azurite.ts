import { randomUUID } from 'node:crypto';
import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import type { TestProject } from 'vitest/node';
import { inject } from 'vitest';
import { startSharedAzurite } from './shared-azurite.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    azuriteConnectionString: string;
  }
}

/** vitest globalSetup: one Azurite, in memory, for all files of a project. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { azurite, stop } = await startSharedAzurite();
  provide('azuriteConnectionString', azurite.connectionString);
  return stop;
}

export const azuriteConnectionString = (): string => inject('azuriteConnectionString');

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
