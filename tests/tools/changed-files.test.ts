import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { filesBelow, repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { changedSince, dependents, mainBranch } from '../support/changed-tests.ts';
import { omissionsIn, switchedModule } from '../support/omissions/guards.ts';
import { leftGuards, withoutLeft } from '../support/omissions/left-guards.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { test } = requires('git');

const run = promisify(execFile);
const client = 'agent/smb/tests';

/** Every test file below a folder of the tests, or the test file of this name. */
async function testFiles(path: string): Promise<string[]> {
  const folder = join(repositoryRoot, path === client ? '' : 'tests', path);
  if (!existsSync(folder)) return [path];
  const tests = (await filesBelow(folder)).filter((name) => name.endsWith('.test.ts'));
  return tests.map((name) => `${path}/${name.replace('.test.ts', '')}`);
}

const documents = ['service/documents/folders', 'service/documents/form', 'service/documents/transfer'];

/** What a change has to run, at least, and the rooms that it does not affect. */
const changes: readonly { file: string; runs: readonly string[]; not: readonly string[] }[] = [
  {
    // The tests of documents call the built service, except those of single modules.
    file: 'refresh.ts',
    runs: ['service/documents/presence'],
    not: [client, 'agent', 'unit', 'whole', ...documents],
  },
  {
    file: 'temporary-file.ts',
    runs: ['unit/uploads/temporary-file', 'service/uploads'],
    not: [client, 'agent', 'unit/agent', 'whole', ...documents],
  },
  {
    file: 'folder-memory.ts',
    runs: ['service/documents/folders', 'service/documents/folders/root-folder-owners'],
    not: [client, 'agent', 'whole', 'service/folder-requests'],
  },
  {
    file: 'shard-heads.ts',
    runs: ['service/folder-requests/listing', 'service/folder-requests/maintenance'],
    not: [client, 'unit/agent', 'unit/activities', 'whole', 'service/folder-requests/random-walk'],
  },
  {
    file: 'xml-tree.ts',
    runs: ['service/activities/template-bombs', 'service/activities/cold-start'],
    not: [client, 'agent', 'service/folder-requests', 'whole'],
  },
  {
    file: 'functions/document-operations.ts',
    runs: ['service/may-call', 'service/openapi', 'service/early-responses'],
    not: [client, 'agent', 'service/folder-requests', 'whole'],
  },
  {
    file: 'agent/main.ts',
    // This file names it.
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
    file: 'agent/smb/connection/credits.ts',
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
  const dependentsOf = await dependents();
  for (const { file, runs, not } of changes) {
    const [path = '', ...others] = repositoryFiles(file.includes('/') ? file : `{lib,agent}/**/${file}`);
    expect([path, others], file).toEqual([expect.stringContaining(file), []]);
    const actual = dependentsOf(path).map((test) => test.replace(/^tests\//, '').replace('.test.ts', ''));
    const expected = (await Promise.all(runs.map(testFiles))).flat();
    expect(actual, `after a change of ${file}`).toEqual(expect.arrayContaining(expected));
    const unaffected = new Set((await Promise.all(not.map(testFiles))).flat());
    expect(
      actual.filter((name) => unaffected.has(name)),
      `not after a change of ${file}`,
    ).toEqual([]);
  }
  const all = repositoryFiles(['tests/**/*.test.ts', 'agent/smb/tests/**/*.test.ts']);
  for (const path of ['tests/vitest.config.ts', 'package.json', 'agent/smb/tests/support/test-folder.ts'])
    expect(dependentsOf(path).toSorted(), path).toEqual(all);
});

test('a module of the service runs the tests of its room, at most 25 files', async () => {
  const dependentsOf = await dependents();
  const modules = repositoryFiles(['lib/**/*.ts', 'functions/**/*.ts']);
  expect(modules.length).toBeGreaterThan(200);
  const selected = modules.map((path) => [path, dependentsOf(path).length] as const);
  expect(selected.filter(([, count]) => count > 25)).toEqual([]);
  // The page of the console is served in tests of the whole only.
  const unserved = selected.filter(([path, count]) => count === 0 && !path.startsWith('functions/console/'));
  expect(unserved).toEqual([]);
});

test('test:changed compares with the last common commit: committed, staged, changed, new, and deleted files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'changed-'));
  const git = (...words: string[]) =>
    run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], { cwd: folder });
  const commit = async (name: string): Promise<void> => {
    await writeFile(join(folder, name), name);
    await git('add', '--all');
    await git('commit', '-q', '-m', name);
  };
  await git('init', '-q', '-b', 'main');
  expect(mainBranch(folder)).toBeNull();
  for (const name of ['same', 'changed', 'deleted']) await writeFile(join(folder, name), '');
  await commit('.gitignore');
  await git('switch', '-q', '-c', 'topic');
  await commit('committed');
  await git('switch', '-q', 'main');
  await commit('later on main');
  await git('switch', '-q', 'topic');
  await writeFile(join(folder, 'staged'), '');
  await git('add', 'staged');
  await writeFile(join(folder, 'changed'), 'now');
  await rm(join(folder, 'deleted'));
  await writeFile(join(folder, 'new'), '');
  await writeFile(join(folder, '.gitignore'), 'ignored');
  await writeFile(join(folder, 'ignored'), '');
  expect(changedSince('main', folder).toSorted()).toEqual([
    '.gitignore',
    'changed',
    'committed',
    'deleted',
    'new',
    'staged',
  ]);
  expect(mainBranch(folder)).toBe('main');
  const clone = await mkdtemp(join(tmpdir(), 'clone-'));
  await git('clone', '-q', '--branch', 'topic', folder, clone);
  expect(mainBranch(clone)).toBe('origin/main');
});

test('npm run omissions takes away one guard of a module at a time, and nothing else', () => {
  const lines = [
    'export async function store(file: File, list: Uint8Array[]): Promise<void> {',
    '  if (file.size > 10) throw new RangeError("too large");',
    '  for (const bytes of list) if (bytes.length === 0) continue;',
    '  if (file.size === 1) {',
    '    note(file);',
    '    return;',
    '  } else note(list);',
    "  const response = await fetch(url, { redirect: 'manual' });",
    '  try {',
    '    await table.write(file as never);',
    '  } finally {',
    '    release();',
    '  }',
    '}',
    "const routes = { authLevel: 'function', access: { anyOf: ['Administrator'] }, redirect };",
  ];
  const text = lines.join('\n');
  const changes = omissionsIn(text, 'store.ts').map(({ line, guard, without }) => {
    const changed = without.split('\n');
    expect(lines[line - 1]!.trim()).toBe(guard);
    expect(changed.slice(0, line - 1)).toEqual(lines.slice(0, line - 1));
    return [line, changed[line - 1]];
  });
  expect(changes).toEqual([
    [2, '  ;'],
    [3, '  for (const bytes of list) ;'],
    [8, "  const response = await fetch(url, { redirect: 'follow' });"],
    [10, '    void table.write(file as never);'],
    [11, '  } finally {}'],
    [15, "const routes = { authLevel: 'anonymous', access: { anyOf: ['Administrator'] }, redirect };"],
    [
      15,
      "const routes = { authLevel: 'function', access: { anyOf: ['BackOffice', 'Management', 'ProjectManager', 'Administrator', 'canCreateActivities'] }, redirect };",
    ],
  ]);
});

test('a switched guard does nothing and tells that it worked, in a foreign process by two files', async () => {
  const lines = [
    'export const log = [];',
    'const write = async (text) => {',
    '  await new Promise(setImmediate);',
    '  log.push(text);',
    '};',
    'export async function store(size) {',
    '  if (size > 10) throw new RangeError("too large");',
    "  log.push({ redirect: 'manual' }.redirect);",
    '  try {',
    '    await write("written");',
    '  } finally {',
    '    log.push("released");',
    '  }',
    '  log.push("ends");',
    '}',
  ];
  const folder = await mkdtemp(join(tmpdir(), 'switched-'));
  const [control, programs] = [join(folder, 'control'), join(folder, 'programs')];
  const text = switchedModule(lines.join('\n'), 'store.ts', 100, { control, programs });
  const file = join(folder, 'store.mjs');
  await writeFile(file, text);
  const { log, store } = (await import(file)) as {
    log: string[];
    store: (size: number) => Promise<void>;
  };
  const resultWithout = async (off: number | null): Promise<unknown[]> => {
    log.length = 0;
    const guards = { worked: new Set<number>(), off };
    Object.assign(globalThis, { guards });
    try {
      await store(off === 101 ? 11 : 1);
      return [[...log], [...guards.worked]];
    } finally {
      await new Promise(setImmediate);
      Object.assign(globalThis, { guards: undefined });
    }
  };
  // The first guard is the first await of write.
  expect(await resultWithout(null)).toEqual([
    ['manual', 'written', 'released', 'ends'],
    [102, 100, 103, 104],
  ]);
  expect((await resultWithout(101))[1]).toContain(101);
  expect((await resultWithout(102))[0]).toEqual(['follow', 'written', 'released', 'ends']);
  expect((await resultWithout(103))[0]).toEqual(['manual', 'released', 'ends']);
  expect((await resultWithout(104))[0]).toEqual(['manual', 'written', 'ends']);

  const noted = async (): Promise<number[]> => {
    const lines = (await readFile(programs, 'utf8')).trim().split('\n');
    await writeFile(programs, '');
    return lines.map(Number);
  };
  const tell = async (testNumber: number, off: number): Promise<void> => {
    await writeFile(control, new Int32Array([testNumber, off]));
    // The module reads the file at most once in a millisecond.
    await setTimeout(2);
  };
  await tell(1, -1);
  await store(1);
  await store(1);
  await expect(store(11)).rejects.toThrow('too large');
  expect(await noted()).toEqual([102, 100, 103, 104, 101]);
  await tell(2, 101);
  log.length = 0;
  await store(11);
  expect(log).toEqual(['manual', 'written', 'released', 'ends']);
  expect(await noted()).toEqual([101, 102, 100, 103, 104]);
  // Nobody judges guards any more.
  await rm(control);
  await setTimeout(2);
  await expect(store(11)).rejects.toThrow('too large');
});

test('a row of guards that are left names a guard that is still there, once, with a reason', async () => {
  const rows = leftGuards();
  const paths = [...new Set(rows.map(({ path }) => path))];
  expect(paths.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  const guards = [];
  for (const path of paths)
    for (const { guard } of omissionsIn(await readFile(join(repositoryRoot, path), 'utf8'), path))
      guards.push({ path, guard });
  expect(withoutLeft(guards, rows).unmatched).toEqual([]);
  expect(rows.filter(({ reason }) => reason.length < 10)).toEqual([]);
});

test('a guard that reads like one that is left is judged, with the other', () => {
  const guard = { path: 'lib/a.ts', guard: 'if (!value) return;' };
  const other = { path: 'lib/b.ts', guard: 'if (!value) return;' };
  const row = { ...guard, reason: 'saves a request' };
  expect(withoutLeft([guard, other], [row])).toEqual({ open: [other], unmatched: [] });
  expect(withoutLeft([guard, guard], [row])).toEqual({ open: [guard, guard], unmatched: [] });
  expect(withoutLeft([guard, guard], [row, row])).toEqual({ open: [], unmatched: [] });
  expect(withoutLeft([other], [row])).toEqual({ open: [other], unmatched: [row] });
});
