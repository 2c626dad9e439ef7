// vitest runner of `npm run omissions`. Runs each test once more for each guard that worked in it, with that guard switched off, and
// notes which test fails. It shows nothing about a test that does not pass twice in a row with all guards in place.
import { appendFileSync, readFileSync } from 'node:fs';
import { withSlashes } from '../../release/repository-files.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { TestRunner, type RunnerTestCase, type RunnerTestFile } from 'vitest';

/** What `switchedModule` asks. */
interface Guards {
  worked: Set<number>;
  off: number | null;
}

const shared = globalThis as {
  guards?: Guards;
  guardsNoticed?: Set<number>;
  guardsGreen?: Map<number, number>;
};
const greens = (shared.guardsGreen ??= new Map<number, number>());
const mostGreens = Number(process.env['GUARDS_MOST']);
const guards = (shared.guards ??= { worked: new Set(), off: null });
const record = process.env['GUARDS_RECORD'] ?? '';
const noticed = (shared.guardsNoticed ??= new Set(
  readFileSync(record, 'utf8')
    .split('\n')
    .flatMap((line) => /^\{"noticed":(\d+)/.exec(line)?.[1] ?? [])
    .map(Number),
));
const note = (entry: object): void => appendFileSync(record, `${JSON.stringify(entry)}\n`);

const inRepository = (path: string): string =>
  withSlashes(path).slice(withSlashes(repositoryRoot).length + 1);

// A test may replace the clock.
const { setTimeout, clearTimeout, setImmediate } = globalThis;

/** Errors outside of the test, such as the rejection of a promise that nobody awaits. */
let errorsOutside = 0;
process.on('unhandledRejection', () => (errorsOutside += 1));
process.on('uncaughtException', () => (errorsOutside += 1));

async function passes(run: () => unknown, limitMs: number): Promise<boolean> {
  const before = errorsOutside;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  const ended = Promise.resolve()
    .then(run)
    .then(
      () => true,
      () => false,
    );
  const isGreen = await Promise.race([ended, late]);
  clearTimeout(timer);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return isGreen && errorsOutside === before;
}

export default class GuardRunner extends TestRunner {
  runTask = async (test: RunnerTestCase): Promise<void> => {
    const run = TestRunner.getTestFn(test);
    const file = inRepository(test.file.filepath);
    const name = `${file}: ${test.name}`;
    this.#noteOutside(test.file);
    note({ runs: file });
    const begin = performance.now();
    await run();
    const tookMs = performance.now() - begin;
    const limitMs = 2000 + 4 * tookMs;
    const worked = [...guards.worked].filter((id) => !noticed.has(id) && (greens.get(id) ?? 0) < mostGreens);
    if (worked.length > 0 && tookMs < slowestTestMs) {
      if (await passes(run, limitMs)) await this.#switchOff(worked, run, name, limitMs);
      else note({ unrepeatable: worked, test: name });
    } else if (worked.length > 0) note({ unrepeatable: worked, test: name });
    guards.worked = new Set();
  };

  async #switchOff(worked: number[], run: () => unknown, name: string, limitMs: number): Promise<void> {
    for (const [index, id] of worked.entries()) {
      note({ begins: id, test: name });
      guards.off = id;
      const isGreen = await passes(run, limitMs);
      guards.off = null;
      note(isGreen ? { green: id, test: name } : { noticed: id, test: name });
      if (isGreen) {
        greens.set(id, (greens.get(id) ?? 0) + 1);
        continue;
      }
      noticed.add(id);
      // The test may have left something behind.
      if (await passes(run, limitMs)) continue;
      note({ unrepeatable: worked.slice(index + 1), test: name });
      return;
    }
  }

  /** What worked before the first test of a file, or between two tests. */
  #noteOutside({ filepath }: RunnerTestFile): void {
    const outside = [...guards.worked].filter((id) => !noticed.has(id));
    if (outside.length > 0) note({ unrepeatable: outside, test: inRepository(filepath) });
    guards.worked = new Set();
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    for (const file of files) {
      this.#noteOutside(file);
      note({ done: inRepository(file.filepath) });
    }
  }
}

const slowestTestMs = 4000;
