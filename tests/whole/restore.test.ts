import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { unconvertedRows } from '../../lib/storage/table-rows.ts';
import { call } from '../../local/stack/call.ts';
import { writeStackFile, type StackDescription } from '../../local/stack/stack-file.ts';
import { agentProgram } from '../support/built-agent.ts';
import { appDirectory } from '../support/built-functions.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

const runbook = await readFile(join(repositoryRoot, 'bicep/README.md'), 'utf8');
const tableNames = ['Agents', 'Contacts', 'FolderRequests', 'ProjectDocuments', 'Projects'];

/** Each row as the storage has it, but for what is true of one deployment, or of one write. */
async function rowsOf({ tables }: StackDescription): Promise<Record<string, readonly string[]>> {
  const rows = tableNames.map(async (name) => {
    const table = TableClient.fromConnectionString(tables.connectionString, name, {
      allowInsecureConnection: true,
    });
    const all = await Array.fromAsync(unconvertedRows(table));
    const own = all.filter(({ partitionKey }) => partitionKey !== 'timer-runs');
    return [name, own.map((row) => JSON.stringify({ ...row, etag: undefined, timestamp: undefined }))];
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** A backup by the service, and the rows that it has: those before it, if they were the same after it. */
async function backedUp({ host, description }: Stack): Promise<Record<string, readonly string[]>> {
  const run = async (): Promise<Record<string, readonly string[]> | null> => {
    const before = await rowsOf(description);
    await host.runTimer('back-up-tables');
    // Another timer may have written meanwhile.
    return JSON.stringify(before) === JSON.stringify(await rowsOf(description)) ? before : null;
  };
  return (await until('a backup while nothing changes', run, (rows) => rows !== null))!;
}

const uploadOf = (name: string, content: string): FormData => {
  const form = new FormData();
  form.append('folderName', '07_Protokolle');
  form.append('file', new Blob([content]), name);
  return form;
};

interface Listed {
  readonly items: readonly { readonly id: string; readonly fileName: string }[];
}

// bicep/README.md, "Restoring a point in time" and "A lost region": the storage is lost, and with it the service; the library,
// which is Microsoft's, and the file server remain.
test('what is lost with a storage account returns from the nightly backup, byte by byte, and works', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'restore-'));
  const start = async (): Promise<Stack> => {
    const stack = await startStack({
      dataDirectory,
      appDirectory: await appDirectory(),
      agentProgram: agentProgram(),
      agentSettings: { FOLDER_AGENT_POLL_INTERVAL_MS: '200' },
    });
    onTestFinished(() => stack.stop());
    await writeStackFile(join(dataDirectory, 'stack.json'), stack.description);
    return stack;
  };
  const tool = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(repositoryRoot, 'tools/tables/copy-tables.ts'), ...args], {
      cwd: dataDirectory,
      env: { ...process.env, LOCAL_STACK_DIRECTORY: dataDirectory },
    });

  const first = await start();
  const documents = `documents/projects/${first.description.samples.projectId}`;
  const as = <T>(stack: Stack, method: string, path: string, body?: object | FormData): Promise<T> =>
    call<T>(stack.description, 'administrator', method, path, body);
  await as(first, 'POST', `${documents}/provision`);
  for (const name of ['Plan.txt', 'Übersicht.txt'])
    await as(first, 'POST', `${documents}/upload`, uploadOf(name, name));
  const { id } = await as<{ id: string }>(first, 'POST', 'folder-requests', { targetPath: '2026 Größe' });
  const statusOf = async (stack: Stack): Promise<string> =>
    (await as<{ status: string }>(stack, 'GET', `folder-requests/${id}`)).status;
  await until(
    'the directory',
    () => statusOf(first),
    (status) => status === 'FULFILLED',
  );
  await first.agent!.stop();
  const rows = await backedUp(first);
  const documentsOf = async (stack: Stack): Promise<Listed['items']> =>
    (await as<Listed>(stack, 'GET', documents)).items;
  const namesOf = async (stack: Stack): Promise<readonly string[]> =>
    (await documentsOf(stack)).map(({ fileName }) => fileName).toSorted();
  expect(Object.entries(rows).filter(([, { length }]) => length === 0)).toEqual([]);
  // Neither is in the backup.
  await as(first, 'POST', `${documents}/upload`, uploadOf('Später.txt', 'later'));
  const plan = (await documentsOf(first)).find(({ fileName }) => fileName === 'Plan.txt')!;
  await as(first, 'DELETE', `documents/${plan.id}`);
  expect(await namesOf(first)).toEqual(['Später.txt', 'Übersicht.txt']);

  // The commands of the page, in the account of the backup.
  const [, section = ''] = /^## Restoring a point in time\n([^]*?)^## /m.exec(runbook) ?? [];
  const commands = [...section.matchAll(/^npm run tables -w tools -- ([^#\n]+)/gm)].map(
    ([, args = '']) => args,
  );
  expect(commands).toHaveLength(3);
  const startFirst = await first.stopService();
  for (const args of commands) await tool(...args.trim().split(' '), '--local');
  expect(await rowsOf(first.description)).toEqual(rows);
  await startFirst();
  expect(await namesOf(first)).toEqual(['Plan.txt', 'Übersicht.txt']);

  // A folder that was not finished is not the latest.
  const blobs = BlobServiceClient.fromConnectionString(first.description.tables.connectionString);
  await blobs.getContainerClient('backups').uploadBlockBlob('9999-01-01/Agents.ndjson', '', 0);
  await expect(tool('fetch', '9999-01-01', 'unfinished', '--local')).rejects.toThrow(
    /There is no complete backup of 9999-01-01\. There are: 20\d\d-\d\d-\d\d\./,
  );
  const { stdout } = await tool('fetch', 'latest', 'fetched', '--local');
  expect(stdout).toMatch(/^fetched: the backup of 20\d\d-\d\d-\d\d\n$/);
  expect((await stat(join(dataDirectory, 'fetched'))).mode & 0o777).toBe(0o700);
  const files = await readdir(join(dataDirectory, 'fetched'));
  expect(files.toSorted()).toEqual(
    [...tableNames.map((name) => `${name}.ndjson`), 'complete.json'].toSorted(),
  );
  await first.stop();

  const second = await start();
  await second.agent!.stop();
  // The stack has sample records of its own, and a timer may have run.
  await expect(tool('restore', 'fetched', '--local')).rejects.toThrow(/The table \w+ has rows\./);
  const startService = await second.stopService();
  // Nothing is removed for a file that lost its end, or for a folder that has not all tables.
  const present = await rowsOf(second.description);
  const requests = join(dataDirectory, 'fetched/FolderRequests.ndjson');
  const lines = await readFile(requests, 'utf8');
  await writeFile(requests, lines.slice(0, lines.lastIndexOf('\n', lines.length - 2) + 1));
  await expect(tool('restore', 'fetched', '--replace', '--local')).rejects.toThrow(
    /FolderRequests: \d+ rows/,
  );
  await writeFile(requests, lines.slice(0, -10));
  await expect(tool('restore', 'fetched', '--replace', '--unfinished', '--local')).rejects.toThrow(
    /FolderRequests\.ndjson: row \d+ cannot be read/,
  );
  await expect(tool('restore', 'nowhere', '--replace', '--unfinished', '--local')).rejects.toThrow(
    'nowhere has no file of a table.',
  );
  expect(await rowsOf(second.description)).toEqual(present);
  await writeFile(requests, lines);
  await tool('restore', 'fetched', '--replace', '--local');
  expect(await rowsOf(second.description)).toEqual(rows);

  await startService();
  expect(await statusOf(second)).toBe('FULFILLED');
  expect(await namesOf(second)).toEqual(['Plan.txt', 'Übersicht.txt']);
  // The library has what happened since.
  expect(await as(second, 'POST', `${documents}/refresh`)).toMatchObject({ added: 1, missing: 1 });
  expect(await namesOf(second)).toEqual(['Später.txt', 'Übersicht.txt']);
  const next = await as<{ id: string }>(second, 'POST', 'folder-requests', { targetPath: '2027' });
  expect(next.id > id).toBe(true);
});
