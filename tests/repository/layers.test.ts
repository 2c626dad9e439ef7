import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryFiles, withSlashes } from '../../release/repository-files.ts';

// For each folder of lib, .oxlintrc.json lists the folders it can import. These tests verify that the lists cover every
// folder, that they contain no cycle, and that the linter rejects every other import.

const top = join(import.meta.dirname, '../..');
const folders = [...new Set(repositoryFiles('lib/*/**/*.ts').map((file) => posix.dirname(file)))].toSorted();

interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

/** Maps each folder to the folders it can import, according to the configuration. */
async function allowedImports(): Promise<Map<string, string[]>> {
  const { overrides } = JSON.parse(await readFile(join(top, '.oxlintrc.json'), 'utf8')) as {
    overrides: Override[];
  };
  const allowed = new Map<string, string[]>();
  for (const { files, rules } of overrides) {
    const folder = /^(lib\/.+)\/\*\*\/\*\.ts$/.exec(files[0] ?? '')?.[1];
    const [, options] = (rules['no-restricted-imports'] ?? []) as [
      string,
      { patterns: { group: string[] }[] },
    ];
    if (folder === undefined || !options) continue;
    const exceptions = options.patterns.flatMap(({ group }) => group).filter((glob) => glob.startsWith('!'));
    allowed.set(
      folder,
      exceptions.map((glob) => posix.join(folder, glob.slice(1).replace(/\/\*\*$/, ''))),
    );
  }
  return allowed;
}

/** Removes folders without remaining dependencies; the rest are part of a cycle or depend on one. */
function withoutCycles(allowed: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...allowed.keys()];
  for (;;) {
    const next = left.filter((folder) => allowed.get(folder)?.some((other) => left.includes(other)));
    if (next.length === left.length) return left;
    left = next;
  }
}

/** `folder` and the folders above it can import its contents by `./`. */
const contains = (folder: string, other: string): boolean => `${other}/`.startsWith(`${folder}/`);

describe('the folders of lib', () => {
  let allowed: Map<string, string[]>;
  beforeAll(async () => {
    allowed = await allowedImports();
  });

  test('each have a list', () => {
    expect(folders.length).toBeGreaterThan(10);
    expect([...allowed.keys()].toSorted()).toEqual(folders);
  });

  test('are rows of docs/architecture.md, each below those that it can import', async () => {
    const page = await readFile(join(top, 'docs/architecture.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(lib\/[\w/-]+)` \| .+ \|$/gm)].map(([, folder = '']) => folder);
    expect(rows.toSorted()).toEqual(folders);
    const above = (folder: string): string[] => rows.slice(0, rows.indexOf(folder));
    for (const [folder, imports] of allowed)
      expect(above(folder), folder).toEqual(expect.arrayContaining(imports));
  });

  test('the lists contain no cycle', () => {
    expect(withoutCycles(allowed)).toEqual([]);
    // Verifies the search itself.
    const cycle = new Map([
      ['lib/a', ['lib/b']],
      ['lib/b', ['lib/c']],
      ['lib/c', ['lib/a']],
      ['lib/d', []],
    ]);
    expect(withoutCycles(cycle)).toEqual(['lib/a', 'lib/b', 'lib/c']);
  });

  test('the linter rejects every import that is not on the list, and no other', async () => {
    const planted = await mkdtemp(join(tmpdir(), 'layers-'));
    try {
      await cp(join(top, '.oxlintrc.json'), join(planted, '.oxlintrc.json'));
      const rejected: string[] = [];
      for (const folder of folders) {
        const targets = [...folders, 'lib', 'functions', 'agent', 'local/stack', 'tests/support'].filter(
          (other) => !contains(folder, other),
        );
        const lines = targets.map(
          (other) => `import '${posix.relative(folder, posix.join(other, 'planted.ts'))}';`,
        );
        const file = join(planted, folder, 'planted.ts');
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, `${lines.join('\n')}\n`);
        for (const [index, other] of targets.entries()) {
          if (!allowed.get(folder)?.some((each) => contains(each, other))) {
            rejected.push(`${folder}/planted.ts:${index + 1}`);
          }
        }
      }
      expect(rejected.length).toBeGreaterThan(100);
      expect((await rejections(planted)).toSorted()).toEqual(rejected.toSorted());
    } finally {
      await rm(planted, { recursive: true });
    }
  });
});

/** `file:line` of every rejected import. */
async function rejections(directory: string): Promise<string[]> {
  const oxlint = join(top, 'node_modules/oxlint/bin/oxlint');
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [oxlint, '--format=json', 'lib'],
      { cwd: directory, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout) => resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[];
  };
  return diagnostics
    .filter(({ code }) => code.includes('no-restricted-imports'))
    .map(({ filename, labels }) => `${withSlashes(filename)}:${labels[0]?.span.line}`);
}

const ownJson = [
  'console/pages/activities/use-activity.ts',
  'console/pages/documents/project/use-project.ts',
  'console/session/page-settings.ts',
  'local/stack/call.ts',
  'local/stand-ins/tables/ordered-entities.ts',
  'tools/evaluation/evaluate.ts',
];

test('what comes from outside is parsed by a schema: no cast of JSON, and none by way of unknown', async () => {
  const files = repositoryFiles('{lib,functions,agent,console,tools,local}/**/*.{ts,tsx}').filter(
    (file) => !file.startsWith('agent/smb/tests/'),
  );
  expect(files.length).toBeGreaterThan(700);
  const found: string[] = [];
  for (const file of files) {
    const text = await readFile(join(top, file), 'utf8');
    if (/JSON\.parse\([^;]*?\)+ as (?!unknown\b)|\bas unknown as\b/.test(text)) found.push(file);
  }
  // What the same program has just written: the page its settings, a draft its text, a list its filter, the stand-in its rows, the evaluation
  // its log; and the calls of the demo, whose callers know the response.
  expect(found).toEqual(ownJson);
});

test('tests implement interfaces, and cast nothing by way of unknown', async () => {
  const files = repositoryFiles(['tests/**/*.ts', 'agent/smb/tests/**/*.ts', 'release/**/*.ts']);
  expect(files.length).toBeGreaterThan(600);
  const found: string[] = [];
  for (const file of files)
    if (/\bas unknown as [A-Z{(]/.test(await readFile(join(top, file), 'utf8'))) found.push(file);
  // The types of a foreign package, which does not have its constructor's.
  expect(found).toEqual(['tests/bench/smb/peer.ts']);
});

// The tests are checked without the globals of a browser, so `tsc -p .` fails where one reaches a module that has them.
test('no test of the console reaches a module that only a browser can run', async () => {
  const browser = /^console\/(?:session\/|uploads\/upload-session)/;
  const imports = new Map<string, readonly string[]>();
  for (const file of repositoryFiles(['console/**/*.{ts,tsx}', 'tests/unit/console/*.ts'])) {
    const text = await readFile(join(top, file), 'utf8');
    const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
    imports.set(
      withSlashes(file),
      named.map(([, path = '']) => posix.join(posix.dirname(withSlashes(file)), path)),
    );
  }
  const wayFrom = (file: string, seen: Set<string>): string[] | undefined => {
    if (browser.test(file)) return [file];
    if (seen.has(file)) return undefined;
    seen.add(file);
    for (const next of imports.get(file) ?? []) {
      const way = wayFrom(next, seen);
      if (way) return [file, ...way];
    }
    return undefined;
  };
  const tests = [...imports.keys()].filter((file) => file.startsWith('tests/'));
  expect(tests.length).toBeGreaterThan(15);
  expect(tests.flatMap((file) => wayFrom(file, new Set())?.join(' -> ') ?? [])).toEqual([]);
  // The page itself does.
  expect(wayFrom('console/main.tsx', new Set())).toBeDefined();
});
