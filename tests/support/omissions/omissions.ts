// `npm run omissions`: which guards of the files that differ from main can be taken away without a test that notices.
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { repositoryFiles } from '../../../release/repository-files.ts';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { changedSince, dependents, mainBranch } from '../changed-tests.ts';
import { omissionsIn } from './guards.ts';
import { leftFile, leftGuards, withoutLeft } from './left-guards.ts';
import { SwitchedCopy, type Entry, type Guard } from './switched-copy.ts';
import { WholeFiles } from './whole-files.ts';

const usage = `npm run omissions -- [FILE…] [--list] [--pure] [--minutes N] [--tests PATTERN]… [--verdicts FILE] [--all]

Switches off one guard after the other, in a copy of the working tree, and names those that no test misses. Guards are if (…) throw,
return or continue; redirect; authLevel; lists of roles; finally; and the await of a call whose result nobody uses; in what ships
and what builds and operates it: functions, lib, agent, console, tools, release. Tests and stand-ins (local) are no product.
FILE… are files or patterns such as 'lib/callers/*.ts', or the guard of one line as in lib/http/edge.ts:83; by default the changed files.
Run are the tests that test:changed selects for the part of the file (lib/callers, agent/copy): first those of tests/unit, then, for
what these do not miss, the others, without tests/console and tests/whole: each test once more for each guard that worked in it or in a
program that it uses. Where this shows nothing (a hook, a test that does not pass twice in a row), the test files then run as a whole
with the guard off, those named alike and the fastest first; not for an await, because the linter rejects a promise that nobody awaits.
Guards that ${leftFile} has with a reason are not judged, except with --all or by line.
--list only lists the guards. --pure runs tests/unit only. --minutes bounds the whole run: what is not reached is named.
--tests runs those that match instead. --verdicts notes each verdict in a file, and a later run goes on after them.`;

/** What an earlier run found, by file, text and its number among equal ones. */
const verdict = z.object({
  path: z.string(),
  guard: z.string(),
  nth: z.number(),
  noticed: z.boolean(),
  by: z.string(),
});
type Verdict = z.output<typeof verdict>;

const isProduct = (path: string): boolean =>
  /^(?:functions|lib|agent|console|tools|release)\/.*\.tsx?$/.test(path) &&
  !/^agent\/smb\/tests\/|\.d\.ts$|\.test\.ts$|\/vitest\.config\.ts$/.test(path);
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
function choiceOfLines(patterns: readonly string[]): (guard: { path: string; line: number }) => boolean {
  const named = new Set(patterns.filter((pattern) => withoutLine(pattern) !== pattern));
  const whole = new Set(patterns.filter((pattern) => !named.has(pattern)));
  return ({ path, line }) => {
    const isNamed = [...named].some((pattern) => withoutLine(pattern) === path);
    return !isNamed || whole.has(path) || named.has(`${path}:${line}`);
  };
}

const partOf = (path: string): string =>
  path
    .split('/')
    .slice(0, 2)
    .join('/')
    .replace(/\/[^/]+\.tsx?$/, '');

function remembered<T>(find: (key: string) => T): (key: string) => T {
  const found = new Map<string, T>();
  return (key) => {
    if (!found.has(key)) found.set(key, find(key));
    return found.get(key)!;
  };
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const nameOf = ({ path, line, guard }: Guard): string => `${path}:${line} ${guard}`;

// What so many tests of a service do not miss is tried with whole files.
const mostSlow = 10;

async function guardsOf(files: readonly string[]): Promise<Guard[]> {
  let id = 0;
  const found: Guard[] = [];
  for (const path of files) {
    const omissions = omissionsIn(await readFile(join(repositoryRoot, path), 'utf8'), path);
    for (const omission of omissions) found.push({ ...omission, path, id: id++ });
  }
  return found;
}

/** The verdicts of this run and of those before it. */
class Verdicts {
  readonly #file: string | undefined;
  readonly #nth = new Map<number, number>();
  readonly #known = new Map<string, Verdict>();

  constructor(guards: readonly Guard[], file: string | undefined) {
    this.#file = file;
    for (const same of Map.groupBy(guards, ({ path, guard }) => `${path}\t${guard}`).values())
      for (const [nth, { id }] of same.entries()) this.#nth.set(id, nth);
    if (file === undefined || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const known = verdict.parse(JSON.parse(line));
      this.#known.set(`${known.path}\t${known.guard}\t${known.nth}`, known);
    }
  }

  #keyOf = ({ path, guard, id }: Guard): string => `${path}\t${guard}\t${this.#nth.get(id)}`;

  of(guard: Guard): Verdict | undefined {
    return this.#known.get(this.#keyOf(guard));
  }

  async add(guard: Guard, noticed: boolean, by: string): Promise<void> {
    const { path, guard: text, id } = guard;
    const found = { path, guard: text, nth: this.#nth.get(id) ?? 0, noticed, by };
    this.#known.set(this.#keyOf(guard), found);
    if (this.#file !== undefined) await appendFile(this.#file, `${JSON.stringify(found)}\n`);
  }
}

const byLinter = 'the linter';

/** What the tests that ran again and again show. */
interface Findings {
  readonly noticed: Map<number, string>;
  /** How many tests passed without a guard. */
  readonly green: Map<number, number>;
  /** Files whose tests show nothing about a guard that worked in them. */
  readonly unjudged: Map<number, Set<string>>;
}

function findingsOf(entries: readonly Entry[]): Findings {
  const noticed = new Map<number, string>();
  const green = new Map<number, number>();
  const unjudged = new Map<number, Set<string>>();
  for (const each of entries) {
    if (each.noticed !== undefined) noticed.set(each.noticed, each.test);
    if (each.green !== undefined) green.set(each.green, (green.get(each.green) ?? 0) + 1);
    const file = each.test.replace(/(?<=\.test\.ts):.*/s, '');
    for (const id of each.unrepeatable ?? []) unjudged.set(id, (unjudged.get(id) ?? new Set()).add(file));
  }
  return { noticed, green, unjudged };
}

interface Run {
  readonly copy: SwitchedCopy;
  readonly verdicts: Verdicts;
  readonly endMs: number;
  readonly testsOf: (guard: Guard) => string[];
}

async function noteNoticed({ copy, verdicts }: Run, guards: readonly Guard[]): Promise<void> {
  const { noticed } = findingsOf(copy.entries);
  for (const guard of guards)
    if (!verdicts.of(guard) && noticed.has(guard.id)) await verdicts.add(guard, true, noticed.get(guard.id)!);
}

/** Judges each guard that no repeated test missed by the whole files in which it worked. */
async function judgeByFiles(run: Run, guards: readonly Guard[]): Promise<void> {
  const { copy, verdicts, endMs, testsOf } = run;
  const { green, unjudged } = findingsOf(copy.entries);
  const files = new WholeFiles(copy);
  try {
    const [awaits = [], others = []] = [true, false].map((is) =>
      guards.filter(({ isAwait }) => isAwait === is),
    );
    for (const guard of awaits) await verdicts.add(guard, true, byLinter);
    for (const guard of others) {
      if (performance.now() > endMs) return;
      const passed = green.get(guard.id) ?? 0;
      const selected = testsOf(guard);
      const worked = [...(unjudged.get(guard.id) ?? [])].filter(isFast);
      const { noticed, ran, notRun } = await files.firstToMiss(guard, worked);
      if (noticed !== undefined) {
        await verdicts.add(guard, true, noticed);
        continue;
      }
      const unfinished = selected.filter((test) => copy.notRun.has(test));
      const parts = [
        passed > 0 && `${passed} tests pass without it`,
        ran.length > 0 && `so do ${ran.join(' ')}`,
        [...notRun, ...unfinished].length > 0 && `not run: ${[...notRun, ...unfinished].join(' ')}`,
        passed === 0 &&
          worked.length === 0 &&
          `works in no unit test and in none of ${selected.length} test files`,
      ];
      await verdicts.add(guard, false, parts.filter(Boolean).join('; '));
    }
  } finally {
    files.stop();
  }
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      pure: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      minutes: { type: 'string', default: 'Infinity' },
      tests: { type: 'string', multiple: true },
      verdicts: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  const isChosen = choiceOfLines(positionals);
  const isByLine = positionals.some((pattern) => withoutLine(pattern) !== pattern);
  const files = chosenFiles(positionals.map(withoutLine));
  const all = await guardsOf(files);
  const { open } = withoutLeft(all, values.all || isByLine ? [] : leftGuards());
  const guards = all.filter(isChosen);
  const judged = open.filter(isChosen);
  print(
    `${guards.length} guards in ${new Set(guards.map(({ path }) => path)).size} of ${files.length} files, ` +
      `${guards.length - judged.length} left with a reason`,
  );
  if (values.list || judged.length === 0) {
    for (const guard of judged) print(nameOf(guard));
    return 0;
  }
  const dependentsOf = await dependents();
  // A guard of one room may work in the tests of another.
  const testsOfPart = remembered((part) =>
    values.tests === undefined
      ? [
          ...new Set(
            repositoryFiles(`${part}/**/*.{ts,tsx}`)
              .filter(isProduct)
              .flatMap((path) => dependentsOf(path)),
          ),
        ]
      : repositoryFiles(values.tests),
  );
  const isRun = (test: string): boolean => isFast(test) && (!values.pure || isPure(test));
  const isSlow = (test: string): boolean => isRun(test) && !isPure(test);
  const testsOf = ({ path }: Guard): string[] => testsOfPart(partOf(path)).filter(isSlow);
  const verdicts = new Verdicts(all, values.verdicts);
  const isOpen = (guard: Guard): boolean => verdicts.of(guard) === undefined;
  const toJudge = new Set(judged.filter(isOpen));
  const copy = await SwitchedCopy.make(all, (guard) => toJudge.has(guard));
  const run = { copy, verdicts, endMs, testsOf };
  const stop = (): void => void noteNoticed(run, judged).finally(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  process.once('exit', () => copy.remove());
  try {
    const pure = new Set(judged.filter(isOpen).flatMap(({ path }) => testsOfPart(partOf(path))));
    const afterEach = (): Promise<void> => noteNoticed(run, judged);
    await copy.run(
      [...pure].filter((test) => isPure(test) && isRun(test)),
      endMs,
      { afterEach },
    );
    const slow = new Set(judged.filter(isOpen).flatMap(testsOf));
    await copy.run([...slow], endMs, { most: mostSlow, afterEach });
    await judgeByFiles(run, judged.filter(isOpen));
  } finally {
    copy.remove();
  }
  const left = judged.filter((guard) => verdicts.of(guard)?.noticed === false);
  const unreached = judged.filter(isOpen);
  const linted = judged.filter((guard) => verdicts.of(guard)?.by === byLinter).length;
  const noticed = judged.length - left.length - unreached.length - linted;
  print(
    `${judged.length} guards, ${noticed} noticed by a test, ${linted} awaits by the linter only, ${left.length} not:`,
  );
  for (const guard of left) print(`${nameOf(guard)}\n    ${verdicts.of(guard)!.by}`);
  if (unreached.length > 0) print(`${unreached.length} not reached:`);
  for (const guard of unreached) print(nameOf(guard));
  return left.length + unreached.length === 0 ? 0 : 1;
}

if (import.meta.main) {
  // `| head` has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  process.exitCode = await main();
}
