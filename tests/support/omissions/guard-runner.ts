// vitest runner of `npm run omissions`. Runs each test once more for each guard that worked in it, here or in a program that it
// started, with that guard switched off, and notes which test fails. It shows nothing about a test that does not pass twice in a row
// with all guards in place, nor about what works in a hook: those files run as a whole afterwards, with the guard off from the start.
import { appendFileSync, closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { withSlashes } from '../../../release/repository-files.ts';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { TestRunner, type RunnerTestCase, type RunnerTestFile } from 'vitest';

/** What `switchedModule` asks. */
interface Guards {
  worked: Set<number>;
  off: number | null;
}

const { GUARDS_RECORD = '', GUARDS_CONTROL = '', GUARDS_PROGRAMS = '', GUARDS_WHOLE } = process.env;

/** Files run as a whole, with one guard off. */
const isWhole = GUARDS_WHOLE !== undefined;

function switchedOff(): number | null {
  const state = new Int32Array(2);
  const file = openSync(GUARDS_CONTROL, 'r');
  readSync(file, state, 0, 8, 0);
  closeSync(file);
  return state[1] === -1 ? null : state[1]!;
}

interface Known {
  readonly noticed: Set<number>;
  /** In how many tests a guard was not missed, in all and in a file, and in which. */
  readonly greens: Map<number | string, number>;
  readonly greenIn: Set<string>;
  /** For the programs: a number for each test. */
  test: number;
  /** How much of what the programs noted is read. */
  readBytes: number;
}

function knownOf(record: string): Known {
  const known: Known = { noticed: new Set(), greens: new Map(), greenIn: new Set(), test: 0, readBytes: 0 };
  for (const line of readFileSync(record, 'utf8').split('\n')) {
    const [, kind, id] = /^\{"(noticed|green)":(\d+)/.exec(line) ?? [];
    if (kind === 'noticed') known.noticed.add(Number(id));
    if (kind === 'green') addGreen(known, Number(id), (JSON.parse(line) as { test: string }).test);
  }
  return known;
}

function addGreen({ greens, greenIn }: Known, id: number, test: string): void {
  for (const where of [id, inFile(id, test)]) greens.set(where, (greens.get(where) ?? 0) + 1);
  greenIn.add(`${id} ${test}`);
}

const inFile = (id: number, test: string): string => `${id} ${test.slice(0, test.indexOf(':'))}`;

/** Tests are alike: what so many of all, and so many of one file, do not miss is tried once more with the file as a whole. */
const isEnough = ({ greens }: Known, id: number, test: string): boolean =>
  (greens.get(id) ?? 0) >= mostGreens || (greens.get(inFile(id, test)) ?? 0) >= mostGreens / 3;
const isTried = (known: Known, id: number, test: string): boolean =>
  known.greenIn.has(`${id} ${test}`) || isEnough(known, id, test);

const shared = globalThis as { guards?: Guards; guardsKnown?: Known };
const guards = (shared.guards ??= { worked: new Set(), off: null });
if (isWhole) guards.off = switchedOff();
const known = (shared.guardsKnown ??= knownOf(GUARDS_RECORD));
const mostGreens = Number(process.env['GUARDS_MOST']);

const note = (entry: object): void => appendFileSync(GUARDS_RECORD, `${JSON.stringify(entry)}\n`);

function tellPrograms(): void {
  const file = openSync(GUARDS_CONTROL, 'r+');
  writeSync(file, new Int32Array([known.test, guards.off ?? -1]), 0, 8, 0);
  closeSync(file);
}

function switchOff(id: number | null): void {
  guards.off = id;
  tellPrograms();
}

/** The guards that worked since the last call, in this process and in others. */
function takeWorked(): number[] {
  const text = readFileSync(GUARDS_PROGRAMS, 'utf8');
  const inPrograms = text.slice(known.readBytes).split('\n').filter(Boolean).map(Number);
  known.readBytes = text.length;
  const worked = guards.worked.union(new Set(inPrograms));
  guards.worked = new Set();
  return [...worked].filter((id) => !known.noticed.has(id));
}

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

/** Files in which a guard left something behind, which run again; and those in which a test then failed by itself. */
const spoiled = new Set<string>();
const lost = new Set<string>();

export default class GuardRunner extends TestRunner {
  runTask = async (test: RunnerTestCase): Promise<void> => {
    const run = TestRunner.getTestFn(test);
    if (isWhole) {
      await run();
      return;
    }
    const file = inRepository(test.file.filepath);
    if (lost.has(file)) return;
    const name = `${file}: ${test.name}`;
    this.#noteOutside(test.file);
    known.test += 1;
    tellPrograms();
    note({ runs: file });
    const begin = performance.now();
    try {
      await run();
    } catch (error) {
      const worked = takeWorked();
      if (spoiled.has(file)) lost.add(file);
      // An earlier test that ran twice may have left something behind.
      else note({ unrepeatable: worked, test: name });
      throw error;
    }
    const tookMs = performance.now() - begin;
    const all = takeWorked();
    const worked = all.filter((id) => !isTried(known, id, name));
    this.#leaveToWholeFile(all, name, file);
    if (worked.length > 0) await this.#repeat(worked, run, name, file, tookMs);
    takeWorked();
  };

  async #repeat(
    worked: readonly number[],
    run: () => unknown,
    name: string,
    file: string,
    tookMs: number,
  ): Promise<void> {
    const limitMs = 2000 + 4 * tookMs;
    if (tookMs > slowestTestMs) note({ unrepeatable: worked, test: name });
    else if (await passes(run, limitMs)) {
      for (const id of worked) {
        note({ begins: id, test: name });
        switchOff(id);
        const isGreen = await passes(run, limitMs);
        switchOff(null);
        note(isGreen ? { green: id, test: name } : { noticed: id, test: name });
        if (isGreen) addGreen(known, id, name);
        else known.noticed.add(id);
        // The test may have left something behind, also for those that follow.
        if (!isGreen && !(await passes(run, limitMs))) {
          spoiled.add(file);
          note({ again: file });
          return;
        }
      }
    } else note({ unrepeatable: worked, test: name });
  }

  /** Notes what enough tests of a file do not miss, so that this one is not repeated for it. */
  #leaveToWholeFile(worked: readonly number[], test: string, file: string): void {
    const left = worked.filter((id) => isEnough(known, id, test) && !known.greenIn.has(`${id} ${file}`));
    for (const id of left) known.greenIn.add(`${id} ${file}`);
    if (left.length > 0) note({ unrepeatable: left, test: file });
  }

  /** What worked before the first test of a file, or between two tests. */
  #noteOutside({ filepath }: RunnerTestFile): void {
    const outside = takeWorked();
    if (outside.length > 0) note({ unrepeatable: outside, test: inRepository(filepath) });
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (isWhole) return;
    for (const file of files) {
      this.#noteOutside(file);
      note({ done: inRepository(file.filepath) });
    }
  }
}

const slowestTestMs = 4000;
