import { execFile } from 'node:child_process';
import { mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeSmbRepository } from '../../local/release/smb-repository.ts';
import { repositoryFiles } from '../../local/repository-files.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

const run = promisify(execFile);

test('the SMB client moves to its own repository with its tests and history, and compiles there', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'smb-repository-')), 'own');
  await writeSmbRepository(folder);
  const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.split('\n');
  expect(await git('status', '--porcelain')).toEqual(['']);
  expect(await git('log', '--format=%s')).toContain('A repository of its own');
  const files = await git('ls-files');
  expect(files.filter((file) => /^(?:lib|functions|console|bicep|docs|agent\/(?!smb\/))/.test(file))).toEqual(
    [],
  );
  const tests = repositoryFiles('tests/{smb,kerberos}/**/*.test.ts');
  expect(tests.filter((file) => !files.includes(file))).toEqual([
    'tests/smb/copy-costs.test.ts',
    'tests/smb/round-trips.test.ts',
    'tests/smb/streams.test.ts',
  ]);
  expect(files).toEqual(
    expect.arrayContaining(['LICENSE', 'agent/smb/index.ts', 'tests/smb/smb-vectors.json']),
  );

  const { devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as object & {
    devDependencies: object;
  };
  expect(Object.keys(devDependencies)).toEqual(['@types/node', 'node', 'typescript', 'vitest']);
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { devDependencies?: object; version?: string }>;
  };
  expect(packages['']!.devDependencies).toEqual(devDependencies);
  for (const [name, version] of Object.entries(devDependencies))
    expect(packages[`node_modules/${name}`]!.version).toBe(version);
  expect(Object.keys(packages).filter((path) => /azure|react/.test(path))).toEqual([]);
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '--project', folder, '--incremental', 'false'];
  const { stdout } = await run(process.execPath, args).catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
});
