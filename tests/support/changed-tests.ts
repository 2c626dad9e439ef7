// `npm run test:changed`: runs the test files that depend on what differs from main.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { build } from '../../release/build/esbuild.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

// Paths here are as Git has them: relative to the repository, with `/`.

/** What every test runs with. */
const ofAllTests = /(?:^|\/)(?:package\.json|vitest\.config\.ts|test-folder\.ts)$/;
const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** A path with an extension, as the code of the tests writes it; of the imports, esbuild leaves out those of types. */
const namedPath = /(?<!from |import |import\()'([\w./-]+\.\w+)'/g;
const names = /^(?:tests|local|release|tools|agent\/smb\/tests)\//;
// These build every program, and a test uses one of them. The module that starts a program names its entry point.
const namesNothing = /^release\/|\/vitest\.config\.ts$/;

/**
 * The tests of the service call it as a whole, so by its imports every one of them depends on every module of lib. The tests of
 * a room are these instead; what runs everything else is CI. The first row that matches counts.
 */
const testsOfRooms: readonly (readonly [modules: string, ...tests: readonly string[]])[] = [
  ['lib/project-documents/', 'tests/service/documents/ROOM/'],
  ['lib/document-library/', 'tests/service/document-library/', 'tests/service/documents/transfer/'],
  // Without those that take half a minute each.
  ['lib/folder-requests/', 'tests/service/folder-requests/(?!faults|random-walk|slow-table)'],
  ['lib/activities/', 'tests/service/activities/'],
  [
    'lib/callers/',
    'tests/service/identity/',
    'tests/service/(?:user-token|may-call)',
    'tests/service/documents/transfer/on-behalf-of',
  ],
  [
    'lib/(?:master-data|projects|contacts)/',
    'tests/service/master-data/',
    'tests/service/projects-and-contacts.test.ts',
  ],
  [
    'lib/http/',
    'tests/service/http/',
    'tests/service/(?:early-responses|aborted-transfers|forged-cursors|health)',
  ],
  ['lib/(?:storage|uploads)/', 'tests/service/ROOM/'],
  ['lib/contract/', 'tests/service/openapi.test.ts', 'tests/service/texts-of-callers.test.ts'],
  ['lib/settings/', 'tests/service/documents/folders/settings.test.ts'],
  [
    'functions/(?:folder-request|agent)-operations',
    'tests/service/folder-requests/(?!faults|random-walk|slow-table|queue-)',
    'tests/service/(?:may-call|openapi)',
  ],
  [
    'functions/(?:document|direct-upload)-operations',
    'tests/service/documents/(?:transfer|folders/provision|document-records/list)',
    'tests/service/(?:may-call|openapi|early-responses)',
  ],
  ['functions/activity-operations', 'tests/service/activities/', 'tests/service/(?:may-call|openapi)'],
  [
    'functions/record-',
    'tests/service/master-data/',
    'tests/service/(?:may-call|openapi|projects-and-contacts)',
  ],
  ['(?:lib|functions)/', 'tests/service/[^/]+$'],
];
const isOfRooms = (path: string): boolean => /^(?:lib|functions)\//.test(path);

function testsOfRoom(path: string): RegExp {
  const [modules = '', ...tests] = testsOfRooms.find(([start]) => new RegExp(`^${start}`).test(path)) ?? [];
  const room = new RegExp(`^(?:${modules === 'lib/project-documents/' ? modules : 'lib/'})([^/]+)/`).exec(
    path,
  )?.[1];
  return new RegExp(`^(?:${tests.join('|').replaceAll('ROOM', room ?? '-')})`);
}

/**
 * A function that returns the test files that depend on a file: those that import it, directly or not, or name it in a string,
 * or import or name a module that does. A name is the entry point of a program that ships or that a test starts, or a file that
 * a test reads. Of a module of the service it is the tests that import it, or a module of its room that does, and those of its
 * room.
 */
export async function dependents(): Promise<(path: string) => string[]> {
  const files = filesOf(repositoryRoot, 'ls-files', '--cached', '--others', '--exclude-standard').filter(
    isFile,
  );
  const usedBy = new Map<string, Set<string>>();
  const use = (user: string, used: string): void => {
    usedBy.set(used, (usedBy.get(used) ?? new Set()).add(user));
  };
  for (const [user, imported] of await importsOf(files.filter((path) => /(?<!\.d)\.tsx?$/.test(path))))
    for (const used of imported) use(user, used);
  const known = new Set(files);
  for (const user of files.filter(
    (path) => /\.tsx?$/.test(path) && names.test(path) && !namesNothing.test(path),
  )) {
    for (const [, path = ''] of readFileSync(join(repositoryRoot, user), 'utf8').matchAll(namedPath)) {
      const used = [join(dirname(user), path), join(path)].find((each) => known.has(each));
      if (used !== undefined) use(user, used);
    }
  }
  return (path) => {
    if (ofAllTests.test(path)) return files.filter(isTest);
    const found = new Set([path]);
    const isFollowed = (user: string): boolean =>
      !isOfRooms(path) || isTest(user) || dirname(user) === dirname(path);
    for (const each of found)
      for (const user of usedBy.get(each) ?? []) if (isFollowed(user)) found.add(user);
    const tests = [...found].filter((each) => isTest(each) && known.has(each));
    if (!isOfRooms(path)) return tests;
    const ofRoom = testsOfRoom(path);
    const isOfWhole = (test: string): boolean => test.startsWith('tests/whole/');
    return [
      ...new Set([
        ...tests.filter((test) => !isOfWhole(test)),
        ...files.filter((file) => isTest(file) && ofRoom.test(file)),
      ]),
    ];
  };
}

/** The files of this repository that each module imports. */
async function importsOf(modules: readonly string[]): Promise<[string, string[]][]> {
  const { metafile } = await build({
    absWorkingDir: repositoryRoot,
    stdin: {
      contents: modules.map((path) => `import './${path}';`).join('\n'),
      resolveDir: repositoryRoot,
    },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    write: false,
    outdir: '.',
    metafile: true,
    logLevel: 'error',
  });
  return Object.entries(metafile.inputs).map(([path, { imports }]) => [
    path,
    imports.filter(({ external }) => external !== true).map((each) => each.path),
  ]);
}

const isFile = (path: string): boolean => {
  const full = join(repositoryRoot, path);
  return existsSync(full) && statSync(full).isFile();
};

const filesOf = (cwd: string, ...command: string[]): string[] =>
  execFileSync('git', [...command, '-z'], { cwd, encoding: 'utf8', maxBuffer: 2 ** 24 })
    .split('\0')
    .filter((path) => path !== '');

/** The files that differ from what `folder` has in common with a branch, with those that Git does not have yet. */
export const changedSince = (branch: string, folder: string): string[] => [
  ...filesOf(folder, 'diff', '--name-only', '--no-renames', '--merge-base', branch),
  ...filesOf(folder, 'ls-files', '--others', '--exclude-standard'),
];

/** The branch to compare with; null if the clone has none. */
export function mainBranch(folder: string): string | null {
  const isKnown = (name: string): boolean =>
    spawnSync('git', ['rev-parse', '--verify', '--quiet', name], { cwd: folder }).status === 0;
  return ['main', 'origin/main'].find(isKnown) ?? null;
}

if (import.meta.main) {
  const branch = mainBranch(repositoryRoot);
  if (branch === null) {
    process.stderr.write(
      'This clone has neither a branch main nor origin/main to compare with: git fetch origin main\n',
    );
    process.exit(1);
  }
  const changed = changedSince(branch, repositoryRoot);
  const tests = [...new Set(changed.flatMap(await dependents()))];
  process.stdout.write(
    `${tests.length} test files depend on the ${changed.length} files that differ from ${branch}.\n`,
  );
  if (tests.length > 0) {
    const vitest = [
      join(repositoryRoot, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'tests/vitest.config.ts',
    ];
    const filters = tests.map((path) => join(repositoryRoot, path));
    const { status } = spawnSync(process.execPath, [...vitest, ...filters, ...process.argv.slice(2)], {
      cwd: repositoryRoot,
      stdio: 'inherit',
    });
    process.exitCode = status ?? 1;
  }
}
