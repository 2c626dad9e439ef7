import { execFile } from 'node:child_process';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';

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
  await symlink(modules, join(folder, 'node_modules'), 'junction');
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

test('every kind of skipped test is reported and fails the run', async () => {
  const { code, lines } = await counted(`${passing}
    test.skip('two', () => undefined);
    describe.skip('group', () => { test('three', () => undefined); });
    test('four, which skips itself while it runs', (context) => context.skip());
    test.todo('five, which is not written yet');`);
  const skipped = [
    'two',
    'group three',
    'four, which skips itself while it runs',
    'five, which is not written yet',
  ];
  expect(lines).toEqual([
    ...skipped.map(
      (name) =>
        expect.stringMatching(
          new RegExp(`^skipped, but required here: .*some\\.test\\.ts: ${name}$`),
        ) as string,
    ),
    '1 passed, 0 failed, 4 skipped',
  ]);
  expect(code).toBe(3);
});
