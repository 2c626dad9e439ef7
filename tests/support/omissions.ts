// `npm run omissions`: which guards of the files that differ from main can be taken away without a test that notices.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { changedSince, dependents, mainBranch } from './changed-tests.ts';
import { copyRepository } from './copy-repository.ts';
import { omissionsIn, type Omission } from './guards.ts';

const usage = `npm run omissions -- [FILE…] [--list] [--tests PATTERN]…

Takes away one guard after the other, in a copy of the working tree, and runs the tests that test:changed selects for its file,
those of tests/unit first, until one fails. Guards are if (…) throw, return or continue; redirect; authLevel; lists of roles; finally; and
the await of a call whose result nobody uses. FILE… are files or patterns such as 'lib/callers/*.ts', or the guard of one line as in
lib/http/edge.ts:83; by default the changed files.
--list only lists the guards. --tests runs only those of the tests that match, such as 'tests/{unit,service}/http/*'. A guard that is left has no test, or saves time only: that is for a person to judge.`;

interface Verdict {
  readonly isGreen: boolean;
  /** The first test that failed, or why there is none. */
  readonly by: string;
  readonly seconds: number;
}

// A guard whose loss makes a test wait for ever is noticed, too.
const longestRunMs = 10 * 60_000;

/** Runs test files of a copy of this repository until one of them fails. */
async function runTests(folder: string, tests: readonly string[], limitMs: number): Promise<Verdict> {
  const results = join(folder, 'results.json');
  await rm(results, { force: true });
  const begin = performance.now();
  const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
  const reporting = ['--reporter', 'json', '--outputFile', results];
  const args = ['run', '--config', 'tests/vitest.config.ts', '--bail', '1', ...reporting];
  const child = spawn(process.execPath, [vitest, ...args, ...tests.map((path) => join(folder, path))], {
    cwd: folder,
    stdio: 'ignore',
    // With its workers, it is a process group of its own.
    detached: true,
  });
  const isInTime = await endOf(child, limitMs);
  const seconds = (performance.now() - begin) / 1000;
  if (isInTime && child.exitCode === 0) return { isGreen: true, by: '', seconds };
  const by = isInTime ? await firstFailure(results) : `no end within ${Math.round(limitMs / 1000)} s`;
  return { isGreen: false, by, seconds };
}

/** Kills it with all that it has started if it takes longer, or if this process ends. @returns whether it has ended by itself */
async function endOf(child: ChildProcess, limitMs: number): Promise<boolean> {
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const stop = (): void => process.exit(130);
  process.once('exit', kill).once('SIGINT', stop).once('SIGTERM', stop);
  let isInTime = true;
  const timer = setTimeout(() => {
    isInTime = false;
    kill();
  }, limitMs);
  await once(child, 'exit');
  clearTimeout(timer);
  process.off('exit', kill).off('SIGINT', stop).off('SIGTERM', stop);
  return isInTime;
}

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function firstFailure(path: string): Promise<string> {
  if (!existsSync(path)) return 'the tests do not start';
  const { testResults } = JSON.parse(await readFile(path, 'utf8')) as Results;
  // Files that the end of the run has cut off have failed, too.
  const test = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  const file = testResults.find(({ status }) => status === 'failed');
  return test?.fullName ?? file?.name ?? 'an error outside of tests';
}

const isProduct = (path: string): boolean =>
  /^(?:functions|lib|agent|console|tools|local|release)\/.*\.tsx?$/.test(path) &&
  !/^agent\/smb\/tests\/|\.d\.ts$|\.test\.ts$/.test(path);

function chosenFiles(patterns: readonly string[]): string[] {
  if (patterns.length > 0) return repositoryFiles([...patterns]).filter(isProduct);
  const branch = mainBranch(repositoryRoot);
  if (branch === null) throw new Error('Name files: this clone has no branch main to compare with.');
  return changedSince(branch, repositoryRoot).filter(
    (path) => isProduct(path) && existsSync(join(repositoryRoot, path)),
  );
}

const withoutLine = (pattern: string): string => pattern.replace(/:\d+$/, '');

/** A file that is named without a line has all of its guards. */
function choiceOfLines(patterns: readonly string[]): (path: string, line: number) => boolean {
  const named = new Set(patterns.filter((pattern) => withoutLine(pattern) !== pattern));
  const whole = new Set(patterns.filter((pattern) => !named.has(pattern)));
  return (path, line) => {
    const isNamed = [...named].some((pattern) => withoutLine(pattern) === path);
    return !isNamed || whole.has(path) || named.has(`${path}:${line}`);
  };
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function copyWithPackages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'omissions-'));
  await copyRepository(folder);
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}

/** @returns the guards of a file that can be taken away unnoticed */
async function unnoticedIn(
  folder: string,
  { path, omissions }: { readonly path: string; readonly omissions: readonly Omission[] },
  tests: readonly string[],
): Promise<Omission[]> {
  const isPure = (test: string): boolean => test.startsWith('tests/unit/');
  const stages = [tests.filter(isPure), tests.filter((test) => !isPure(test))].filter(
    (some) => some.length > 0,
  );
  const limits: number[] = [];
  for (const some of stages) {
    const { isGreen, by, seconds } = await runTests(folder, some, longestRunMs);
    if (!isGreen) throw new Error(`${path}: its tests fail with all guards in place: ${by}`);
    limits.push(Math.min(longestRunMs, 30_000 + 3000 * seconds));
  }
  const file = join(folder, path);
  const text = await readFile(file, 'utf8');
  const left: Omission[] = [];
  for (const omission of omissions) {
    await writeFile(file, omission.without);
    let by: string | undefined;
    for (const [at, some] of stages.entries()) {
      const verdict = await runTests(folder, some, limits[at]!);
      if (verdict.isGreen) continue;
      by = verdict.by;
      break;
    }
    if (by === undefined) left.push(omission);
    print(
      `${path}:${omission.line} ${omission.guard}\n    ${by === undefined ? 'NO TEST FAILS' : `fails: ${by}`}`,
    );
  }
  await writeFile(file, text);
  return left;
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      tests: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const isChosen = choiceOfLines(positionals);
  const found = await Promise.all(
    chosenFiles(positionals.map(withoutLine)).map(async (path) => {
      const omissions = omissionsIn(await readFile(join(repositoryRoot, path), 'utf8'), path);
      return { path, omissions: omissions.filter(({ line }) => isChosen(path, line)) };
    }),
  );
  const files = found.filter(({ omissions }) => omissions.length > 0);
  const count = files.reduce((sum, { omissions }) => sum + omissions.length, 0);
  print(`${count} guards in ${files.length} of ${found.length} files`);
  if (values.list) {
    for (const { path, omissions } of files)
      for (const { line, guard } of omissions) print(`${path}:${line} ${guard}`);
    return 0;
  }
  const dependentsOf = await dependents();
  const chosen = values.tests && new Set(repositoryFiles(values.tests));
  const testsOf = (path: string): string[] => dependentsOf(path).filter((test) => chosen?.has(test) ?? true);
  const folder = await copyWithPackages();
  const left: string[] = [];
  try {
    for (const { path, omissions } of files) {
      for (const { line, guard } of await unnoticedIn(folder, { path, omissions }, testsOf(path)))
        left.push(`${path}:${line} ${guard}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(
    `\n${count} guards, ${count - left.length} noticed by a test, ${left.length} not:\n${left.join('\n')}`,
  );
  return left.length === 0 ? 0 : 1;
}

if (import.meta.main) {
  // `| head` has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  process.exitCode = await main();
}
