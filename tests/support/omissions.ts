// `npm run omissions`: which guards of the files that differ from main can be taken away without a test that notices.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { repositoryFiles } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { changedSince, dependents, mainBranch } from './changed-tests.ts';
import { copyRepository } from './copy-repository.ts';
import { omissionsIn, switchedModule, type Omission } from './guards.ts';

const usage = `npm run omissions -- [FILE…] [--list] [--pure] [--alone] [--minutes N] [--tests PATTERN]…

Switches off one guard after the other, in a copy of the working tree, and names those that no test misses. Guards are if (…) throw,
return or continue; redirect; authLevel; lists of roles; finally; and the await of a call whose result nobody uses. FILE… are files or
patterns such as 'lib/callers/*.ts', or the guard of one line as in lib/http/edge.ts:83; by default the changed files.
First run all of tests/unit, then, for what these do not miss, the tests that test:changed selects for the file, without tests/console
and tests/whole: each test once more for each guard that worked in it, in the same process. A guard that
worked only in a program that a test starts, or in tests that do not pass twice in a row, is named as not judged.
--list only lists the guards. --pure runs tests/unit only. --alone then judges what is not judged by removing it and running
all of those files, a minute for each guard. --minutes bounds the whole run: what is not reached is named. --tests runs only those of
the tests that match. A guard that is left has no test, or saves time only: that is for a person to judge.`;

interface Guard extends Omission {
  readonly path: string;
  readonly id: number;
}

/** What `guard-runner.ts` and the switched modules note. */
const entry = z.object({
  noticed: z.number().optional(),
  green: z.number().optional(),
  begins: z.number().optional(),
  runs: z.string().optional(),
  program: z.number().optional(),
  unrepeatable: z.array(z.number()).optional(),
  test: z.string().default(''),
  done: z.string().optional(),
});
type Entry = z.output<typeof entry>;

const entriesOf = (record: string): Entry[] =>
  readFileSync(record, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => entry.parse(JSON.parse(line)));

const isProduct = (path: string): boolean =>
  /^(?:functions|lib|agent|console|tools|local|release)\/.*\.tsx?$/.test(path) &&
  !/^agent\/smb\/tests\/|\.d\.ts$|\.test\.ts$/.test(path);
const isPure = (test: string): boolean => test.startsWith('tests/unit/');
const isFast = (test: string): boolean => !/^tests\/(?:console|whole)\//.test(test);

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
const nameOf = ({ path, line, guard }: Guard): string => `${path}:${line} ${guard}`;

/** A copy of the working tree whose guards have switches. */
class SwitchedCopy {
  readonly #folder: string;
  readonly #record: string;
  /** Test files that were not run, or not to their end. */
  readonly notRun = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#record = join(folder, 'guards.jsonl');
  }

  static async make(guards: readonly Guard[]): Promise<SwitchedCopy> {
    const copy = new SwitchedCopy(await mkdtemp(join(tmpdir(), 'omissions-')));
    const folder = copy.#folder;
    await copyRepository(folder);
    await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await writeFile(copy.#record, '');
    for (const [path, [first]] of Map.groupBy(guards, (guard) => guard.path)) {
      const text = await readFile(join(repositoryRoot, path), 'utf8');
      await writeFile(join(folder, path), switchedModule(text, path, first!.id, copy.#record));
    }
    for (const path of ['tests/vitest.config.ts', 'agent/smb/vitest.config.ts']) {
      const text = await readFile(join(folder, path), 'utf8');
      const runner = join(folder, 'tests/support/guard-runner.ts');
      const withRunner = text.replace(/(?=\bsetupFiles: )/, `runner: ${JSON.stringify(runner)}, `);
      if (withRunner === text) throw new Error(`${path} names no setup file`);
      await writeFile(join(folder, path), withRunner);
    }
    return copy;
  }

  get entries(): Entry[] {
    return entriesOf(this.#record);
  }

  /** Runs test files, and those again that were cut off by a guard without which the process does not come back. */
  async run(tests: readonly string[], endMs: number, most = Infinity): Promise<void> {
    let left = tests;
    while (left.length > 0 && performance.now() < endMs) {
      const isOver = await this.#once(left, endMs, most);
      const entries = this.entries;
      const done = new Set(entries.map((each) => each.done));
      const rest = left.filter((test) => !done.has(test));
      const last = entries.at(-1);
      if (last?.begins !== undefined) {
        const { begins: noticed, test } = last;
        await appendFile(
          this.#record,
          `${JSON.stringify({ noticed, test: `${test} (the process hangs)` })}\n`,
        );
        left = rest;
        continue;
      }
      // A file that hangs by itself; without one, vitest has found its own reason to end.
      const stuck = isOver ? undefined : entries.findLast((each) => each.runs !== undefined)?.runs;
      left = stuck === undefined ? [] : rest.filter((test) => test !== stuck);
      const isSkipped = (test: string): boolean => !left.includes(test);
      for (const test of rest.filter(isSkipped)) this.notRun.add(test);
    }
    for (const test of left) this.notRun.add(test);
  }

  /** @returns whether vitest has ended by itself */
  async #once(tests: readonly string[], endMs: number, most: number): Promise<boolean> {
    const child = this.vitest(tests, { most });
    let grownMs = performance.now();
    let size = 0;
    let isKilled = false;
    const timer = setInterval(() => {
      const now = performance.now();
      const { size: current } = statSync(this.#record);
      if (current > size) grownMs = now;
      size = current;
      if (now < endMs && now - grownMs < longestSwitchedMs) return;
      const isSwitched = this.entries.at(-1)?.begins !== undefined;
      if (now < endMs && !isSwitched && now - grownMs < longestTestMs) return;
      isKilled = true;
      killGroup(child);
    }, 1000);
    if (child.exitCode === null) await once(child, 'exit');
    clearInterval(timer);
    return !isKilled;
  }

  /** Vitest on some test files, as a process group of its own, with its workers. */
  vitest(tests: readonly string[], { most = 0, options = [] as string[] } = {}): ChildProcess {
    const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
    const args = ['run', '--config', 'tests/vitest.config.ts', '--maxWorkers', '1', ...options];
    const child = spawn(
      process.execPath,
      [vitest, ...args, ...tests.map((path) => join(this.#folder, path))],
      {
        cwd: this.#folder,
        stdio: process.env['OMISSIONS_OUTPUT'] ? 'inherit' : 'ignore',
        env: { ...process.env, GUARDS_RECORD: this.#record, GUARDS_MOST: String(most) },
        detached: true,
      },
    );
    running.add(child);
    return child;
  }

  /** Whether test files fail without a guard that is removed, not switched off. */
  async failsWithout({ path, without }: Guard, tests: readonly string[]): Promise<boolean> {
    const text = await readFile(join(this.#folder, path), 'utf8');
    await writeFile(join(this.#folder, path), without);
    const child = this.vitest(tests, { options: ['--bail', '1'] });
    const timer = setTimeout(() => killGroup(child), longestAloneMs);
    if (child.exitCode === null) await once(child, 'exit');
    clearTimeout(timer);
    await writeFile(join(this.#folder, path), text);
    return child.exitCode !== 0;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

// A test that is repeated takes 4 s at most, each of its repetitions 18 s.
const longestSwitchedMs = 40_000;
// With its hooks.
const longestTestMs = 240_000;

// What so many tests of a service do not miss is hardly missed by the next one.
const mostSlow = 10;
const longestAloneMs = 150_000;

const running = new Set<ChildProcess>();
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

interface Verdicts {
  readonly noticed: Map<number, string>;
  /** How many tests passed without a guard. */
  readonly green: Map<number, number>;
  /** Files whose tests say nothing about a guard; none for a program. */
  readonly unjudged: Map<number, Set<string>>;
}

function verdictsOf(entries: readonly Entry[]): Verdicts {
  const noticed = new Map<number, string>();
  const green = new Map<number, number>();
  const unjudged = new Map<number, Set<string>>();
  const leave = (id: number, test: string): void => {
    const files = unjudged.get(id) ?? new Set();
    unjudged.set(id, test === '' ? files : files.add(test.replace(/(?<=\.test\.ts):.*/s, '')));
  };
  for (const each of entries) {
    if (each.noticed !== undefined) noticed.set(each.noticed, each.test);
    if (each.green !== undefined) green.set(each.green, (green.get(each.green) ?? 0) + 1);
    if (each.program !== undefined) leave(each.program, '');
    for (const id of each.unrepeatable ?? []) leave(id, each.test);
  }
  return { noticed, green, unjudged };
}

async function guardsOf(files: readonly string[]): Promise<Guard[]> {
  let id = 0;
  const found: Guard[] = [];
  for (const path of files) {
    const omissions = omissionsIn(await readFile(join(repositoryRoot, path), 'utf8'), path);
    for (const omission of omissions) found.push({ ...omission, path, id: id++ });
  }
  return found;
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      pure: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      minutes: { type: 'string', default: 'Infinity' },
      tests: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  const isChosen = choiceOfLines(positionals);
  const files = chosenFiles(positionals.map(withoutLine));
  const all = await guardsOf(files);
  const guards = all.filter(({ path, line }) => isChosen(path, line));
  print(
    `${guards.length} guards in ${new Set(guards.map(({ path }) => path)).size} of ${files.length} files`,
  );
  if (values.list || guards.length === 0) {
    for (const guard of guards) print(nameOf(guard));
    return 0;
  }
  const dependentsOf = await dependents();
  const named = values.tests && new Set(repositoryFiles(values.tests));
  const isRun = (test: string): boolean => isFast(test) && (named?.has(test) ?? true);
  const copy = await SwitchedCopy.make(all);
  const othersOf = (some: readonly Guard[]): string[] => {
    const tests = some.flatMap(({ path }) => dependentsOf(path));
    return [...new Set(tests)].filter((test) => isRun(test) && !isPure(test));
  };
  try {
    await copy.run(repositoryFiles(['tests/unit/**/*.test.ts']).filter(isRun), endMs);
    let verdicts = verdictsOf(copy.entries);
    const isLeft = ({ id }: Guard): boolean => !verdicts.noticed.has(id);
    if (!values.pure) await copy.run(othersOf(guards.filter(isLeft)), endMs, mostSlow);
    verdicts = verdictsOf(copy.entries);
    const { noticed, green, unjudged } = verdicts;
    if (values.alone)
      for (const guard of guards.filter((each) => isLeft(each) && unjudged.has(each.id))) {
        if (performance.now() > endMs) break;
        const tests = [...unjudged.get(guard.id)!];
        const isNoticed = await copy.failsWithout(guard, tests.length > 0 ? tests : othersOf([guard]));
        unjudged.delete(guard.id);
        if (isNoticed) noticed.set(guard.id, 'a test file, when it is removed');
      }
    // A test that was not run may be the one.
    if (copy.notRun.size > 0)
      for (const guard of guards.filter((each) => isLeft(each) && !green.has(each.id)))
        unjudged.set(guard.id, unjudged.get(guard.id) ?? copy.notRun);
    const left = guards.filter((each) => isLeft(each) && !unjudged.has(each.id));
    const open = guards.filter((each) => isLeft(each) && unjudged.has(each.id));
    print(
      `${guards.length} guards, ${guards.length - left.length - open.length} noticed by a test, ${left.length} not:`,
    );
    for (const guard of left) {
      const passed = green.get(guard.id) ?? 0;
      print(`${nameOf(guard)}\n    ${passed > 0 ? `${passed} tests pass without it` : 'works in no test'}`);
    }
    if (copy.notRun.size > 0) print(`not run: ${[...copy.notRun].join(' ')}`);
    if (open.length > 0) print(`${open.length} not judged:`);
    for (const guard of open) {
      const tests = unjudged.get(guard.id)!;
      const shown = tests === copy.notRun ? 'in what was not run' : [...tests].join(' ');
      print(`${nameOf(guard)}\n    ${shown === '' ? 'in a program that a test starts' : shown}`);
    }
    return left.length + open.length === 0 ? 0 : 1;
  } finally {
    await copy.remove();
  }
}

if (import.meta.main) {
  // `| head` has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const stop = (): void => process.exit(130);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  process.once('exit', () => {
    for (const child of running) if (child.exitCode === null) killGroup(child);
  });
  process.exitCode = await main();
}
