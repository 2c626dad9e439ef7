import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startNodeChild } from '../processes/node-child.ts';
import { loadRows, tellTables } from './tables/loaded-rows.ts';

const preload = (file: string): string[] => ['--import', pathToFileURL(join(import.meta.dirname, file)).href];

/** Azurite's default account; its key is published in Azurite's README and protects nothing. */
const accountName = 'devstoreaccount1';
const accountKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export interface Azurite {
  connectionString: string;
  /** The connection string of one of `moreAccounts`. */
  connectionStringOf(account: string): string;
  accountName: string;
  accountKey: string;
  /** `http://127.0.0.1:<port>/devstoreaccount1`, the form that the clients require. */
  tableUrl: string;
  blobUrl: string;
  pid: number;
  /** Where the tables receive rows, see loaded-rows.ts; 0 without `scannedRowsPerSecond`. */
  tablesPort: number;
  /** {@link loadRows}. Only with `scannedRowsPerSecond`. */
  load(table: string, rows: Iterable<Readonly<Record<string, unknown>>>): Promise<void>;
  /** How many rows the queries have read so far, whether they matched or not. Only with `scannedRowsPerSecond`. */
  scannedRows(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Azurite's table and blob services in a child process on free loopback ports.
 *
 * Data is in memory, or in `dataDirectory` if given. With a certificate, Azurite uses HTTPS and accepts the tokens of a
 * managed identity in addition to the key. It validates their issuer, audience, and times, but not their signature.
 */
export async function startAzurite({
  dataDirectory,
  certificateFiles,
  moreAccounts = {},
  scannedRowsPerSecond,
}: {
  dataDirectory?: string;
  certificateFiles?: { cert: string; key: string };
  /** Names and keys of additional accounts, each with its own tables and blobs. */
  moreAccounts?: Readonly<Record<string, string>>;
  /** Pages end as those of the table service do that scans so many rows a second, without taking that time. In memory only. */
  scannedRowsPerSecond?: number;
} = {}): Promise<Azurite> {
  const child = startNodeChild(createRequire(import.meta.url).resolve('azurite/dist/src/azurite.js'), {
    args: [
      ...['blob', 'queue', 'table'].flatMap((service) => [
        `--${service}Host`,
        '127.0.0.1',
        `--${service}Port`,
        '0',
        // By default, Azurite closes idle connections after 5 s, which breaks requests on pooled ones (ECONNRESET).
        `--${service}KeepAliveTimeout`,
        '120',
      ]),
      ...(dataDirectory === undefined ? ['--inMemoryPersistence'] : ['--location', dataDirectory]),
      ...(certificateFiles
        ? ['--oauth', 'basic', '--cert', certificateFiles.cert, '--key', certificateFiles.key]
        : []),
      '--silent',
      '--skipApiVersionCheck',
      '--disableTelemetry',
    ],
    execArgv: [
      // Each response about a missing row or a conflict is an error in Azurite, whose stack no one reads.
      '--stack-trace-limit=0',
      ...(scannedRowsPerSecond === undefined ? [] : preload('tables/scanned-tables.ts')),
    ],
    cwd: tmpdir(),
    env: {
      ...(scannedRowsPerSecond !== undefined && { SCANNED_ROWS_PER_SECOND: String(scannedRowsPerSecond) }),
      AZURITE_ACCOUNTS: Object.entries({ [accountName]: accountKey, ...moreAccounts })
        .map(([name, key]) => `${name}:${key}`)
        .join(';'),
    },
  });
  try {
    const [{ blob, table }, [tablesPort]] = await Promise.all([
      listening(child),
      scannedRowsPerSecond === undefined ? [0] : (once(child.process, 'message') as Promise<[number]>),
    ]);
    const tableUrl = `${table}/${accountName}`;
    const blobUrl = `${blob}/${accountName}`;
    const connectionString = (account: string, key: string) =>
      [
        `DefaultEndpointsProtocol=${new URL(table).protocol.slice(0, -1)}`,
        `AccountName=${account}`,
        `AccountKey=${key}`,
        `BlobEndpoint=${blob}/${account}`,
        `TableEndpoint=${table}/${account}`,
      ].join(';');
    return {
      connectionString: connectionString(accountName, accountKey),
      connectionStringOf(account) {
        const key = moreAccounts[account];
        if (key === undefined) throw new Error(`Azurite was started without the account ${account}.`);
        return connectionString(account, key);
      },
      accountName,
      accountKey,
      tableUrl,
      blobUrl,
      pid: child.process.pid!,
      tablesPort,
      load: (table, rows) => loadRows(tablesPort, { account: accountName, table }, rows),
      scannedRows: () => tellTables(tablesPort, 'scanned rows'),
      stop: () => child.stop(),
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function listening(child: ReturnType<typeof startNodeChild>): Promise<{ blob: string; table: string }> {
  return new Promise((resolve, reject) => {
    const found: { blob?: string; table?: string } = {};
    let text = '';
    child.process.stdout?.on('data', (piece: string) => {
      text += piece;
      for (const [, service, url] of text.matchAll(
        /Azurite (Blob|Table) service is successfully listening at (\S+)\s/g,
      )) {
        found[service === 'Blob' ? 'blob' : 'table'] = url!;
      }
      if (found.blob && found.table) resolve({ blob: found.blob, table: found.table });
    });
    child.process.once('error', reject);
    child.process.once('exit', (code, signal) => {
      reject(new Error(`Azurite ended with ${signal ?? code} before it listened: ${child.output()}`));
    });
  });
}
