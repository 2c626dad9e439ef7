import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';

const support = join(repositoryRoot, 'agent/smb/tests/support');
const modules = join(repositoryRoot, 'node_modules');

/** Runs Vitest on `files` (contents by name) with the setup of this suite. */
async function runOf(files: Readonly<Record<string, string>>, temporaryFolder: string) {
  const root = await mkdtemp(join(tmpdir(), 'suite-'));
  await symlink(modules, join(root, 'node_modules'), 'junction');
  const test = {
    globalSetup: join(support, 'run-folder.ts'),
    setupFiles: [join(support, 'test-folder.ts')],
  };
  await writeFile(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify({ test })};`);
  const imports = `
    import { tmpdir } from 'node:os';
    import { writeFileSync } from 'node:fs';
    import { afterAll, describe, expect, test } from 'vitest';
    writeFileSync(tmpdir() + '/evidence', 'what the test wrote');\n`;
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(root, `${name}.test.ts`), imports + text);
  }
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return new Promise<{ code: number; output: string }>((resolve) => {
    const args = [join(modules, 'vitest/vitest.mjs'), 'run', '--root', root];
    const env = { PATH, NODE_COMPILE_CACHE, TMPDIR: temporaryFolder, NO_COLOR: '1' };
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

const passing = "test('passes', () => expect(1).toBe(1));\n";
const failing = "test('fails', () => expect(1).toBe(2));\n";

test('the folder of a failed file is kept, and its path is printed with the failure; the folder of a passed file is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runs-'));
  const { code, output } = await runOf(
    {
      good: passing,
      bad: passing + failing,
      // The tests pass, and a hook after them fails.
      hook: `describe('group', () => { ${passing} afterAll(() => { throw new Error('stuck'); }); });`,
    },
    folder,
  );
  expect(code, output).toBe(1);
  const printed = [...output.matchAll(/The data of (\w+) is kept in (\S+)/g)];
  const kept = new Map(printed.map(([, name = '', path = '']) => [name, path]));
  expect([...kept.keys()].toSorted(), output).toEqual(['bad', 'hook']);
  const runs = await readdir(folder);
  expect(runs).toHaveLength(1);
  expect(await readdir(join(folder, runs[0]!))).toHaveLength(2);
  for (const [name, reason] of [
    ['bad', 'fails\nAssertionError: expected 1 to be 2'],
    ['hook', 'group\nError: stuck'],
  ] as const) {
    const path = kept.get(name)!;
    expect(dirname(path)).toBe(join(folder, runs[0]!));
    expect(await readFile(join(path, 'evidence'), 'utf8')).toBe('what the test wrote');
    expect(await readFile(join(path, 'failures.txt'), 'utf8')).toContain(reason);
  }
});

test('a run leaves nothing if all tests pass, and removes what an interrupted run left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runs-'));
  // Above the highest process id of Linux (2^22).
  const interrupted = join(folder, 'pf-tests-4194305');
  const running = join(folder, `pf-tests-${process.pid}`);
  for (const path of [join(interrupted, 'cut-off'), join(interrupted, 'failed'), join(running, 'at-work')]) {
    await mkdir(path, { recursive: true });
  }
  await writeFile(join(interrupted, 'failed/failures.txt'), '');
  const { code, output } = await runOf({ good: passing }, folder);
  expect(code, output).toBe(0);
  expect((await readdir(folder)).toSorted()).toEqual(
    [interrupted, running].map((path) => path.slice(folder.length + 1)).toSorted(),
  );
  expect(await readdir(interrupted)).toEqual(['failed']);
  expect(existsSync(join(running, 'at-work'))).toBe(true);
});
