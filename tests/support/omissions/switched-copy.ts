import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { copyRepository } from '../copy-repository.ts';
import { switchedModule, type Omission, type Switchboard } from './guards.ts';

export interface Guard extends Omission {
  readonly path: string;
  readonly id: number;
}

/** What `guard-runner.ts` notes. */
const entry = z.object({
  noticed: z.number().optional(),
  green: z.number().optional(),
  begins: z.number().optional(),
  runs: z.string().optional(),
  unrepeatable: z.array(z.number()).optional(),
  test: z.string().default(''),
  again: z.string().optional(),
  done: z.string().optional(),
});
export type Entry = z.output<typeof entry>;

/** For the processes of tests: the guard that is off. */
export const tellControl = (control: string, off: number | null): void =>
  writeFileSync(control, new Int32Array([0, off ?? -1]));

/** A copy of the working tree whose guards have switches. */
export class SwitchedCopy {
  readonly #folder: string;
  readonly #record: string;
  readonly #running = new Set<ChildProcess>();
  readonly switchboard: Switchboard;
  /** Test files that were not run, or not to their end. */
  readonly notRun = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#record = join(folder, 'guards.jsonl');
    this.switchboard = { control: join(folder, 'guards.control'), programs: join(folder, 'guards.programs') };
  }

  /** @param open whether a guard is to be judged: the tests are not repeated for others */
  static async make(guards: readonly Guard[], open: (guard: Guard) => boolean): Promise<SwitchedCopy> {
    const copy = new SwitchedCopy(await mkdtemp(join(tmpdir(), 'omissions-')));
    try {
      await copy.#fill(guards);
      for (const guard of guards) if (!open(guard)) await copy.#note({ noticed: guard.id });
    } catch (error) {
      copy.remove();
      throw error;
    }
    return copy;
  }

  async #fill(guards: readonly Guard[]): Promise<void> {
    const folder = this.#folder;
    await copyRepository(folder);
    await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await writeFile(this.#record, '');
    await writeFile(this.switchboard.programs, '');
    tellControl(this.switchboard.control, null);
    for (const [path, [first]] of Map.groupBy(guards, (guard) => guard.path)) {
      const text = await readFile(join(repositoryRoot, path), 'utf8');
      await writeFile(join(folder, path), switchedModule(text, path, first!.id, this.switchboard));
    }
    for (const path of ['tests/vitest.config.ts', 'agent/smb/vitest.config.ts']) {
      const text = await readFile(join(folder, path), 'utf8');
      const runner = join(folder, 'tests/support/omissions/guard-runner.ts');
      const withRunner = text.replace(/(?=\bsetupFiles: )/, `runner: ${JSON.stringify(runner)}, `);
      if (withRunner === text) throw new Error(`${path} names no setup file`);
      await writeFile(join(folder, path), withRunner.replace(...fastestFirst));
    }
  }

  async #note(found: { noticed: number; test?: string }): Promise<void> {
    await appendFile(this.#record, `${JSON.stringify(found)}\n`);
  }

  get entries(): Entry[] {
    return readFileSync(this.#record, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => entry.parse(JSON.parse(line)));
  }

  /**
   * Runs test files, and those again that were cut off by a guard without which the process does not come back, or in which a guard
   * left something behind: once more for each guard that was noticed.
   */
  async run(
    tests: readonly string[],
    endMs: number,
    { most = Infinity, afterEach = async (): Promise<void> => undefined } = {},
  ): Promise<void> {
    let left = tests;
    while (left.length > 0 && performance.now() < endMs) {
      const before = this.entries.length;
      const isOver = await this.#once(left, endMs, most);
      await afterEach();
      const entries = this.entries.slice(before);
      const done = new Set(entries.map((each) => each.done));
      const rest = left.filter((test) => !done.has(test));
      const again = new Set(entries.map((each) => each.again));
      const repeated = left.filter((test) => done.has(test) && again.has(test));
      const last = entries.at(-1);
      if (last?.begins !== undefined) {
        const { begins: noticed, test } = last;
        await this.#note({ noticed, test: `${test} (the process hangs)` });
        left = [...rest, ...repeated];
        continue;
      }
      // A file that hangs by itself; without one, vitest has found its own reason to end.
      const stuck = isOver ? undefined : entries.findLast((each) => each.runs !== undefined)?.runs;
      const unfinished = stuck === undefined ? [] : rest.filter((test) => test !== stuck);
      for (const test of rest) if (!unfinished.includes(test)) this.notRun.add(test);
      left = [...unfinished, ...repeated];
    }
    for (const test of left) this.notRun.add(test);
  }

  /** @returns whether vitest has ended by itself */
  async #once(tests: readonly string[], endMs: number, most: number): Promise<boolean> {
    const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
    tellControl(this.switchboard.control, null);
    const args = ['run', '--config', 'tests/vitest.config.ts', '--maxWorkers', '1'];
    const child = this.start((folder, env) =>
      spawn(process.execPath, [vitest, ...args, ...tests.map((path) => join(folder, path))], {
        cwd: folder,
        stdio: process.env['OMISSIONS_OUTPUT'] ? 'inherit' : 'ignore',
        env: { ...env, GUARDS_MOST: String(most) },
        detached: true,
      }),
    );
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
      this.kill(child);
    }, 1000);
    if (child.exitCode === null) await once(child, 'exit');
    clearInterval(timer);
    return !isKilled;
  }

  /** Starts a process group in the copy, which ends with this process. */
  start(start: (folder: string, env: NodeJS.ProcessEnv) => ChildProcess): ChildProcess {
    const { control, programs } = this.switchboard;
    const guards = { GUARDS_RECORD: this.#record, GUARDS_CONTROL: control, GUARDS_PROGRAMS: programs };
    const child = start(this.#folder, { ...process.env, ...guards });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  kill({ pid }: ChildProcess): void {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  /** Without waiting, because the process may be ending. */
  remove(): void {
    for (const child of this.#running) this.kill(child);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const fastestFirst = [
  "{ SlowestFirst } from './support/slowest-first.ts'",
  "{ FastestFirst as SlowestFirst } from './support/omissions/fastest-first.ts'",
] as const;
// A test that is repeated takes 4 s at most, each of its repetitions 18 s.
const longestSwitchedMs = 40_000;
// With its hooks.
const longestTestMs = 240_000;
