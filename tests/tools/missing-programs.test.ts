import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';

test('with any reporter, a run of several projects ends with one summary of what was skipped, beside its output', async () => {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'];
  const files = ['agent/smb/tests/smbclient.test.ts', 'tests/unit/contract/json.test.ts'];
  const folder = await mkdtemp(join(tmpdir(), 'run-'));
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...vitest, '--reporter=tap-flat', ...files],
    {
      cwd: repositoryRoot,
      // As on a machine that has none of the programs, where nothing demands them.
      env: {
        PATH: folder,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        TMPDIR: folder,
        FILE_SERVER: 'embedded',
      },
    },
  );
  expect(stdout.trimEnd()).toMatch(/^TAP version 13\n1\.\.12\n(?:(?:ok| {4})[^\n]*\n?)+$/);
  expect(stdout.match(/# SKIP/g)).toHaveLength(3);
  expect(stderr.match(/^\d+ tests of .*/gm)).toEqual([
    '3 tests of 1 files skipped, because this machine lacks: diff, samba, smbclient',
  ]);
  expect(stderr).toMatch(/^On Debian and Ubuntu: sudo apt-get install .*\bdiffutils samba smbclient$/m);
});
