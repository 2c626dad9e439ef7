// `npm run mutations -w local -- [--count 100] [--seed 1] [--in lib/uploads,agent]`: changes one place in each of that many files, runs
// the nearest tests, and prints the changes that none of them noticed. By hand, in a working tree without changes: it takes
// about ten seconds for each, and writes into the files.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest } from 'vitest/node';
import { repositoryFiles, withSlashes } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { placesOf, type Place } from './places.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', default: 'lib,agent' },
    // How many test files of the service and of the agent run besides the unit tests, and four times as many again while
    // none has noticed the change.
    tests: { type: 'string', default: '3' },
    // The changes to try, of those that the seed selects: for runs in parts.
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '1000000' },
  },
});
const config = join(repositoryRoot, 'tests/vitest.config.ts');
const limitMs = 180_000;
const limitPerFileMs = 20_000;

/** Numbers from 0 (included) to 1 (excluded), the same for a seed. */
function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const random = randomNumbers(Number(values.seed));
const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next().value * list.length)]!;

const files = repositoryFiles(values.in.split(',').map((folder) => `${folder}/**/*.ts`));
const chosen = files
  .filter((path) => !path.startsWith('agent/smb/'))
  .map((path) => ({ path, order: random.next().value }))
  .toSorted((one, other) => one.order - other.order)
  .map(({ path }) => path)
  .filter((path) => placesOf(readFileSync(join(repositoryRoot, path), 'utf8')).length > 0)
  .slice(0, Number(values.count));

const vitest = await createVitest('test', { config, watch: false, changed: 'HEAD', reporters: [] });

/**
 * The test files that depend on a changed file, nearest first, in three steps: those named like it, or else unit tests;
 * tests of service and agent; more of them. Near is a test that has the words of the file's path in its own path, or else
 * often in its text.
 */
async function testsOf(path: string): Promise<readonly (readonly string[])[]> {
  // As at the start, so that it asks Git again.
  Reflect.deleteProperty(vitest.config, 'related');
  const root = `${withSlashes(repositoryRoot)}/tests/`;
  const related = await vitest.getRelevantTestSpecifications();
  const words = [...new Set(path.replace(/\.ts$/, '').split(/[/-]/))];
  const ranked = related
    .map(({ moduleId }) => moduleId.slice(root.length))
    .map((test) => ({ test, shared: sharedWith(test, readFileSync(root + test, 'utf8'), words) }))
    .toSorted((one, other) => other.shared - one.shared)
    .map(({ test }) => test);
  const named = ranked.filter((test) => basename(test, '.test.ts') === basename(path, '.ts'));
  const near = (project: string) => ranked.filter((test) => test.startsWith(`${project}/`));
  const first = named.length > 0 ? named : near('unit').slice(0, 5);
  const few = Number(values.tests);
  const others = (from: number, to: number) =>
    [...near('service').slice(from, to), ...near('agent').slice(from, to)].filter(
      (test) => !first.includes(test),
    );
  return [first, others(0, few), others(few, 5 * few)];
}

function sharedWith(test: string, text: string, words: readonly string[]): number {
  const inPath = test.split(/[/.-]/);
  const shares = words.map((word) =>
    inPath.includes(word) ? 1 : Math.min(0.5, (text.toLowerCase().split(word).length - 1) / 20),
  );
  return shares.reduce((sum, share) => sum + share, 0);
}

/** The first test file that fails; undefined if none does. */
function failing(tests: readonly string[]): string | undefined {
  if (tests.length === 0) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'mutations-'));
  const report = join(directory, 'report.json');
  const args = ['run', '--config', config, '--bail', '1', '--reporter', 'json', '--outputFile', report];
  const { status } = spawnSync('vitest', [...args, ...tests], {
    cwd: repositoryRoot,
    timeout: limitMs + tests.length * limitPerFileMs,
    stdio: 'ignore',
  });
  try {
    if (status === 0) return undefined;
    // A mutation that never ends.
    if (status === null) return tests[0];
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: readonly {
        name: string;
        status: string;
        assertionResults: readonly { status: string }[];
      }[];
    };
    // Files that the first failure has canceled count as failed too.
    const failed =
      testResults.find(({ assertionResults }) =>
        assertionResults.some(({ status }) => status === 'failed'),
      ) ?? testResults.find(({ status }) => status === 'failed');
    if (!failed) throw new Error(`vitest ended with ${status} without a failed test: ${tests.join(' ')}`);
    return failed.name;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function shown(path: string, source: string, { start, end, text }: Place): string {
  const line = source.slice(0, start).split('\n').length;
  return `${path}:${line}: ${source.slice(start, end)} → ${text}`.replaceAll(/\s+/g, ' ').slice(0, 300);
}

/** Test files that pass without a change. */
const sound = new Set<string>();
let noticed = 0;
let tried = 0;
for (const [index, path] of chosen.entries()) {
  const file = join(repositoryRoot, path);
  const source = readFileSync(file, 'utf8');
  const place = pick(placesOf(source));
  if (index < Number(values.from) || index >= Number(values.to)) continue;
  tried += 1;
  let tests: readonly (readonly string[])[] = [];
  let failed: string | undefined;
  try {
    writeFileSync(file, source.slice(0, place.start) + place.text + source.slice(place.end));
    tests = await testsOf(path);
    for (const step of tests) failed ??= failing(step);
  } finally {
    writeFileSync(file, source);
  }
  const change = shown(path, source, place);
  if (failed === undefined) {
    process.stdout.write(`SURVIVED ${change}\n         ${tests.flat().join(' ')}\n`);
  } else if (!sound.has(failed) && failing([failed])) {
    process.stdout.write(`FAILS WITHOUT THE CHANGE ${failed}\n`);
  } else {
    sound.add(failed);
    noticed += 1;
    process.stdout.write(`noticed  ${change}\n         ${failed}\n`);
  }
}
await vitest.close();
process.stdout.write(`${noticed} of ${tried} noticed\n`);
