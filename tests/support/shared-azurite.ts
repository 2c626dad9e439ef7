import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Azurite, startAzurite } from '../../local/stand-ins/azurite.ts';
import { loadRows, tellTables } from '../../local/stand-ins/tables/loaded-rows.ts';
import { runFolder } from '../../agent/smb/tests/support/run-folder.ts';

const variable = 'SHARED_AZURITE';
const portVariable = 'SHARED_AZURITE_TABLES_PORT';
const claims = (): string => join(runFolder(), 'azurite-accounts');
const accounts = Array.from({ length: 400 }, (_, index) => `account${index}`);

/**
 * vitest globalSetup: one Azurite, in memory, for all files of the run, with a separate account for every service of the
 * tests. Each start costs 0.5 s of processor time.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Another project of the run may have started it.
  if (process.env[variable] !== undefined) return () => Promise.resolve();
  const key = randomBytes(64).toString('base64');
  const azurite = await startAzurite({
    moreAccounts: Object.fromEntries(accounts.map((name) => [name, key])),
    // Its tables read only the rows of a query, and take rows without requests.
    scannedRowsPerSecond: 10_000_000,
  });
  await mkdir(claims());
  process.env[variable] = azurite.connectionStringOf(accounts[0]!);
  process.env[portVariable] = String(azurite.tablesPort);
  return async () => {
    await azurite.stop();
    await rm(claims(), { recursive: true });
  };
}

/** The account for tables with unique names. */
export function azuriteConnectionString(): string {
  const text = process.env[variable];
  if (text === undefined) throw new Error('The project of this test has no Azurite: tests/vitest.config.ts.');
  return text;
}

/** Inserts rows into a table of the account of {@link azuriteConnectionString}, in the time of a few requests. */
export const loadTable = (table: string, rows: Iterable<Readonly<Record<string, unknown>>>): Promise<void> =>
  loadRows(Number(process.env[portVariable]), { account: accounts[0]!, table }, rows);

/** Sends the table requests of a storage from {@link newStorage} to a gate; null opens its tables again. */
export async function setGate(connectionString: string, gatePort: number | null): Promise<void> {
  const account = /AccountName=([^;]+)/.exec(connectionString)![1]!;
  await tellTables(Number(process.env[portVariable]), { account, gatePort });
}

/** The storage of one service: an account of the shared Azurite, or a new Azurite if none is shared. */
export async function newStorage(): Promise<Pick<Azurite, 'connectionString' | 'stop'>> {
  const first = process.env[variable];
  if (first === undefined) return startAzurite();
  for (const account of accounts.slice(1)) {
    // Test files run in several processes; only one of them can create the folder.
    const claim = mkdir(join(claims(), account));
    if (await claim.then(() => true, isTaken)) {
      return { connectionString: first.replaceAll(accounts[0]!, account), stop: () => Promise.resolve() };
    }
  }
  throw new Error(`All ${accounts.length} accounts of the shared Azurite are in use.`);
}

function isTaken(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false;
  throw error;
}
