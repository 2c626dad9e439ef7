import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { requires } from '../../agent/smb/tests/support/requires.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { isRunning, processTree } from '../support/processes.ts';

const { describe, test } = requires('linux', 'bash');

/** Takes no signal that a process can refuse, as a namespace does, and has a child. */
const goesOn = "trap '' TERM INT HUP; sleep 600 & touch begun-$$; wait";

/** `.ci/run` in a folder of its own, with stand-ins for all that it starts; `npm`: the commands by their arguments. */
async function startRun({ npm, hasPackages = true }: { npm: string; hasPackages?: boolean }) {
  const folder = await mkdtemp(join(tmpdir(), 'ci-run-'));
  for (const each of ['.ci', 'bin', 'tmp']) await mkdir(join(folder, each));
  await copyFile(join(repositoryRoot, '.ci/run'), join(folder, '.ci/run'));
  const programs = {
    '.ci/bare-machine': `case "$1" in
--where) echo "$PWD/bare" ;;
--again) ${goesOn} ;;
*) mkdir -p bare/node_modules ;;
esac`,
    'bin/dpkg-query': hasPackages ? "echo 'install ok installed'" : 'exit 1',
    'bin/apt-get': 'touch begun-apt; while [ ! -e stops ]; do sleep 0.1; done; sleep 1; touch ended-apt',
    'bin/npm': `case "$*" in\n${npm}\nesac`,
  };
  for (const [path, text] of Object.entries(programs))
    await writeFile(join(folder, path), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  const run = spawn('bash', ['.ci/run'], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  run.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(run, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const begun = async (): Promise<number> =>
    (await readdir(folder)).filter((name) => name.startsWith('begun-')).length;
  await until('what runs beside the tests has begun', begun, (number) => number === 3);
  const processes = await processTree(run.pid!);
  const left = async () => {
    const running = await Promise.all(processes.map(isRunning));
    return processes.filter((_, index) => running[index]);
  };
  onTestFinished(async () => {
    for (const { pid } of await left()) process.kill(pid, 'SIGKILL');
  });
  return { folder, run, ended, left, started: processes, output: () => output };
}

describe('.ci/run', () => {
  test('that stops early ends what runs beside it, and lets only apt finish', async () => {
    const { folder, ended, left, started, output } = await startRun({
      npm: `'run check:code') ${goesOn} ;;\n*vendor-tools*) while [ ! -e stops ]; do sleep 0.1; done; exit 1 ;;`,
      hasPackages: false,
    });
    expect(started.filter(({ command }) => command === 'sleep 600')).toHaveLength(2);
    await writeFile(join(folder, 'stops'), '');
    expect((await ended)[0], output()).toBe(1);
    expect(output()).toContain('FAILED: npm run vendor-tools');
    expect(await left()).toEqual([]);
    expect(existsSync(join(folder, 'ended-apt'))).toBe(true);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test('that is ended by a signal ends the tests and what runs beside them', async () => {
    const { folder, run, ended, left, started, output } = await startRun({
      npm: `*vendor-tools*) ;;\n*) ${goesOn} ;;`,
    });
    expect(started.filter(({ command }) => command === 'sleep 600')).toHaveLength(3);
    run.kill('SIGTERM');
    await ended;
    expect(output()).not.toContain('== done');
    expect(await left()).toEqual([]);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });
});
