import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { filesBelow } from '../../local/repository-files.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

const run = promisify(execFile);
const client = 'agent/smb/tests';

/** Every test file below a folder of the tests, or the test file of this name. */
async function testFiles(path: string): Promise<string[]> {
  const folder = join(repositoryRoot, path === client ? '' : 'tests', path);
  if (!existsSync(folder)) return [path];
  const tests = (await filesBelow(folder)).filter((name) => name.endsWith('.test.ts'));
  return tests.map((name) => `${path}/${name.replace('.test.ts', '')}`);
}

const documents = [
  'service/documents/folders',
  'service/documents/form',
  'service/documents/intents/idempotency',
  'service/documents/intents/lost-responses',
  'service/documents/presence',
  'service/documents/records/list',
  'service/documents/transfer',
];

/** What a change has to run, at least, and the rooms that it does not affect. */
const changes: readonly { file: string; runs: readonly string[]; not: readonly string[] }[] = [
  {
    // The tests of documents call the built service, except those of single modules.
    file: 'refresh.ts',
    runs: [...documents, 'whole/deployed-api', 'whole/console'],
    not: [client, 'agent', 'unit/agent', 'unit/activities'],
  },
  {
    file: 'upload-window.ts',
    runs: ['unit/uploads/upload-window', ...documents, 'service/aborted-transfers', 'whole/deployed-api'],
    not: [client, 'agent', 'unit/agent'],
  },
  {
    file: 'shard-heads.ts',
    runs: ['service/folder-requests/random-walk', 'whole/folder-requests', 'whole/console'],
    not: [client, 'unit/agent', 'unit/activities'],
  },
  {
    file: 'template-xml.ts',
    runs: ['service/activities/template-bombs', 'service/activities/cold-start', 'whole/functions-package'],
    not: [client, 'agent', 'service/folder-requests/random-walk'],
  },
  {
    file: 'agent/main.ts',
    // This file names it, and is in the cache of modules, without the files that it names.
    runs: [
      'tools/changed-files',
      'agent/agent-process',
      'agent/dfs',
      'whole/agent-package',
      'whole/console',
      'whole/start',
    ],
    not: ['service', client, 'unit', 'console', 'whole/deployed-api', 'whole/functions-package'],
  },
  {
    file: 'agent/smb/credits.ts',
    runs: [`${client}/credits`, `${client}/fuzz`, 'agent/agent-process', 'whole/agent-package'],
    not: ['service/documents', 'unit/activities', 'whole/deployed-api'],
  },
  {
    file: 'agent/smb/kerberos/kdc.ts',
    runs: [`${client}/kerberos/mit`, `${client}/kerberos`, 'agent/kerberos', 'whole/active-directory'],
    not: ['service/documents', 'service/activities', 'unit/activities', 'whole/deployed-api'],
  },
  {
    file: 'console/main.tsx',
    runs: ['whole/console', 'whole/functions-package', 'whole/third-party'],
    not: ['service', client, 'agent', 'unit', 'console', 'whole/agent-package', 'whole/deployed-api'],
  },
  {
    file: 'local/stand-ins/functions-host/worker.ts',
    runs: ['whole/functions-host', 'whole/functions-host-facts', ...documents],
    not: [client, 'agent/agent-process', 'unit', 'repository'],
  },
  {
    // The local stack answers CORS as this policy does.
    file: 'bicep/policies/api.xml',
    runs: ['whole/deployed-api', 'whole/console'],
    not: ['service', client, 'agent', 'unit', 'console', 'whole/functions-package'],
  },
];

test('test:changed runs the tests of a changed file, including those that run it in a bundle', async () => {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryRoot,
  });
  const files = stdout.trim().split('\n');
  const pathOf = (name: string): string => {
    const [path, ...others] = files.filter((file) => file === name || file.endsWith(`/${name}`));
    expect(others, name).toEqual([]);
    return path!;
  };
  const paths = changes.map(({ file }) => pathOf(file));
  const child = await run(process.execPath, ['tests/support/selections-child.ts', ...paths], {
    cwd: repositoryRoot,
    // With NODE_ENV of this run, and so with the modules that it has cached.
    env: { ...process.env, VITEST: undefined },
    maxBuffer: 2 ** 24,
  });
  const selected = JSON.parse(child.stdout) as Record<string, string[]>;

  for (const [index, { file, runs, not }] of changes.entries()) {
    const actual = selected[paths[index]!]!;
    const expected = (await Promise.all(runs.map(testFiles))).flat();
    expect(actual, `after a change of ${file}`).toEqual(expect.arrayContaining(expected));
    const unaffected = new Set((await Promise.all(not.map(testFiles))).flat());
    expect(
      actual.filter((name) => unaffected.has(name)),
      `not after a change of ${file}`,
    ).toEqual([]);
  }
}, 300_000);
