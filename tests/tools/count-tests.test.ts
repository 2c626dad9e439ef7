import { execFile } from 'node:child_process';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../local/repository-root.ts';

const run = async (command: string, args: string[], cwd: string) => {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd });
    return { code: 0, stdout };
  } catch (error) {
    return error as { code: number; stdout: string };
  }
};

/** CI's result for these tests: the exit code and the printed lines. */
async function counted(tests: string): Promise<{ code: number; lines: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'count-tests-'));
  const modules = join(repositoryRoot, 'node_modules');
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'some.test.ts'), `import { describe, expect, test } from 'vitest';\n${tests}`);
  const report = join(folder, 'report.json');
  const vitest = join(modules, 'vitest/vitest.mjs');
  await run(
    process.execPath,
    [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`],
    folder,
  );
  const script = join(repositoryRoot, '.ci/count-tests.ts');
  const { code, stdout } = await run(process.execPath, [script, report], repositoryRoot);
  return { code, lines: stdout.trim().split('\n') };
}

const passing = "test('one', () => expect(1).toBe(1));";

test('passing tests are accepted', async () => {
  const { code, lines } = await counted(passing);
  expect(lines).toEqual(['1 passed, 0 failed']);
  expect(code).toBe(0);
});

test.each([
  ['a skipped test', "test.skip('two', () => undefined);"],
  ['a test of a skipped group', "describe.skip('group', () => { test('two', () => undefined); });"],
  ['a test that skips itself while it runs', "test('two', (context) => context.skip());"],
  ['a test that is not written yet', "test.todo('two');"],
])('%s is reported and fails the run', async (_name, skipped) => {
  const { code, lines } = await counted(`${passing}\n${skipped}`);
  expect(lines).toEqual([
    expect.stringMatching(/^skipped, but required here: .*some\.test\.ts: (?:group )?two$/),
    '1 passed, 0 failed, 1 skipped',
  ]);
  expect(code).toBe(3);
});
