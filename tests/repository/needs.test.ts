import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { needs } from '../../agent/smb/tests/support/needs.ts';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { unnamedNeeds } from '../support/named-needs.ts';

// A program is used only where a test names its need, so that on a machine without it the test skips and the summary names it.

/** Part of every machine: npm, what POSIX has with the shell, and what Windows has. */
const everywhere = new Set(['npm', 'sh', 'rm', 'env', 'powershell.exe']);
const folders = ['tests', 'agent/smb/tests'];
const files = folders.flatMap((folder) =>
  repositoryFiles('**/*.ts', folder).map((path) => `${folder}/${path}`),
);
const texts = new Map(files.map((path) => [path, readFileSync(join(repositoryRoot, path), 'utf8')]));

/** Calls of Node and of the helpers of tests: a name, and for helpers a list of arguments. */
const spawned = [
  /\b(?:run|runForTest)\(\s*'([\w.-]+)',\s*\[/g,
  /(?:spawn|spawnSync|execFile|execFileSync|promisify\(execFile\))\(\s*'([\w.-]+)'/g,
  /new BoundProcess\(\s*'([\w.-]+)'/g,
  /\b(?:run|runForTest)\(\s*\[\s*'([\w.-]+)'/g,
];
const programsIn = (text: string): string[] =>
  spawned.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));

/** The names in `requires('…', '…')`, `has('…')`, and `programPath('…', …)`. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:requires|has|programPath)\(([^()]*)\)/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, one, two]) => one ?? two ?? ''),
  );

/** A file and what it imports of the tests, directly and indirectly. */
function closure(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || !texts.has(path)) return found;
  found.add(path);
  for (const [, target = ''] of texts.get(path)!.matchAll(/from '(\.[^']+)'/g))
    closure(posix.normalize(posix.join(dirname(path), target)), found);
  return found;
}

const programsOf = new Map(Object.entries(needs).map(([name, { programs = [] }]) => [name, programs]));

test('every program that a test runs, itself or in a module that it imports, belongs to a need that one of them names', () => {
  const unnamed: string[] = [];
  let count = 0;
  for (const path of files.filter((each) => each.endsWith('.test.ts') && !each.endsWith('needs.test.ts'))) {
    const parts = [...closure(path)].map((each) => texts.get(each)!);
    const allowed = new Set(parts.flatMap(namedIn).flatMap((name) => programsOf.get(name) ?? []));
    for (const program of new Set(parts.flatMap(programsIn))) {
      // Our own scripts run under bash, which is named.
      if (everywhere.has(program) || program.endsWith('.sh') || program.startsWith('--')) continue;
      count += 1;
      if (!allowed.has(program)) unnamed.push(`${path} runs ${program}`);
    }
  }
  expect(unnamed).toEqual([]);
  expect(count).toBeGreaterThan(20);
});

test('each test names the needs of what it starts, also beside tests that do', () => {
  const startsSome = (path: string) =>
    [...closure(path)].some((each) => texts.get(each)!.includes('programPath('));
  const tests = files.filter((each) => each.endsWith('.test.ts') && startsSome(each));
  expect(tests.length).toBeGreaterThan(10);
  expect(tests.flatMap((path) => unnamedNeeds(path).map((need) => `${path}: ${need}`))).toEqual([]);
});

test('a test and a hook that start Samba without naming it are found', () => {
  const text = `import { startSamba } from './support/samba.ts';
    import { startFileServer } from './support/start-file-server.ts';
    import { requires } from './support/requires.ts';
    async function started() { return await startSamba(); }
    requires('samba').test('named', () => started());
    requires('samba').describe('all', () => { beforeAll(started2); test.each([1])('within', () => startSamba()); });
    const started2 = () => started();
    test('any server', () => startFileServer());
    test.each([1])('plain', async () => { const samba = await started(); });
    requires('smbclient').test('another', () => startSamba());
    describe('some', () => {
      beforeAll(async () => { await startSamba(); });
      test('that use it', () => undefined);
    });`;
  expect(unnamedNeeds('agent/smb/tests/planted.test.ts', text)).toEqual([
    'samba: plain',
    'samba: another',
    'samba: beforeAll',
  ]);
});

test('nothing else decides that a test is skipped', () => {
  const deciding = [...texts]
    .filter(
      ([path]) =>
        path !== 'agent/smb/tests/support/requires.ts' && !/(?:count-tests|needs)\.test\.ts$/.test(path),
    )
    .filter(([, text]) => /\b(?:test|describe|it)\.(?:skipIf|runIf|skip)\b|\.skip\(|\{ skip \}/.test(text))
    .map(([path]) => path);
  expect(deciding).toEqual([]);
});
