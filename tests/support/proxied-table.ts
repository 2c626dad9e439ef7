import { TableClient } from '@azure/data-tables';
import { azuriteConnectionString, newTable } from './azurite.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';

/** A new table, reached through a proxy that can go silent, by a client that repeats nothing itself. */
export async function proxiedTable(): Promise<{ client: TableClient; proxy: DelayProxy }> {
  const direct = azuriteConnectionString();
  const { url, port } = /TableEndpoint=(?<url>http:\/\/127\.0\.0\.1:(?<port>\d+))/.exec(direct)!.groups!;
  const proxy = await DelayProxy.start(Number(port));
  const through = direct.replace(`TableEndpoint=${url}`, `TableEndpoint=http://127.0.0.1:${proxy.port}`);
  const client = TableClient.fromConnectionString(through, await newTable(), {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });
  return { client, proxy };
}
