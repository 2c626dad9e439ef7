import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { needs } from '../../agent/smb/tests/support/needs.ts';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

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
