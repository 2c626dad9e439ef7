// vitest setup file: gives the test file a separate `tmpdir()`, for its tests and the processes that they start. The folder
// is removed if all tests of the file pass. Otherwise it is kept, and every failure message contains its path.
import { chmodSync, mkdtempSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { aroundAll, beforeEach, expect, type RunnerTask, type RunnerTestSuite } from 'vitest';
import { failuresName, runFolder, setTemporaryFolder } from './run-folder.ts';

const testFile = basename(expect.getState().testPath ?? 'tests', '.test.ts');
const folder = mkdtempSync(join(runFolder(), `${testFile.slice(0, 16)}-`));
// smbd and squid open their folders in it as other users.
chmodSync(folder, 0o711);
setTemporaryFolder(folder);
const place = `The data of ${testFile} is kept in ${folder}`;

let hasFailed = false;

beforeEach(({ task, onTestFailed }) =>
  onTestFailed(async () => {
    await keep(task);
    // Every reporter prints the message.
    for (const error of task.result?.errors?.slice(-1) ?? []) error.message += `\n\n${place}`;
  }),
);

// oxlint-disable-next-line no-empty-pattern -- vitest reads the names of the fixtures from the pattern
aroundAll(async (runSuite, {}, file) => {
  await runSuite();
  const suites = suitesOf(file).filter(({ result }) => result?.errors?.length);
  for (const suite of suites) await keep(suite);
  // Errors of suites have already been reported.
  // oxlint-disable-next-line no-console
  if (suites.length > 0) console.error(place);
  if (!hasFailed) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function keep({ name, result }: RunnerTask): Promise<void> {
  hasFailed = true;
  const reasons = result?.errors?.map(({ stack, message }) => stack ?? message) ?? [];
  await appendFile(join(folder, failuresName), `${[name, ...reasons].join('\n')}\n\n`);
}

/** A suite itself has errors if one of its hooks failed. */
function suitesOf(suite: RunnerTestSuite): RunnerTestSuite[] {
  return [suite, ...suite.tasks.flatMap((task) => (task.type === 'suite' ? suitesOf(task) : []))];
}
