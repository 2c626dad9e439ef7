import { readFile, realpath } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireProgram, requirePrograms } from '../../agent/smb/tests/samba/samba-programs.ts';
import { machineWithoutSamba, type BareMachine } from '../support/bare-machine.ts';
import { paragraphsOf } from '../support/word-file.ts';
import { builtBefore, run, type Running } from './support/start-program.ts';

// If the tests run as root, the machine has no Samba: only root can install it.

let machine: BareMachine | undefined;
let demo: Running | undefined;
let outcome: string;
let output: string;

beforeAll(async () => {
  const npm = [process.execPath, await realpath(await requireProgram('npm', 'npm'))];
  if (process.getuid?.() === 0) {
    const { smbd, pdbedit } = await requirePrograms(['smbd', 'pdbedit'], 'samba');
    machine = await machineWithoutSamba(
      // The paths of Debian 12: smbd is in sbin, which is not in an ordinary user's PATH.
      `case "$*" in *' install '*) /bin/ln -s '${smbd}' $root/sbin/smbd; /bin/ln -s '${pdbedit}' $root/bin/pdbedit;; esac`,
    );
  }
  demo = await run([...npm, 'run', 'demo'], {
    ...(await builtBefore()),
    ...(machine && { PATH: machine.bin }),
  });
  outcome = await demo.ended;
  output = demo.output();
}, 300_000);
afterAll(() => demo?.end());

test('npm run demo completes the main job and exits with 0', async () => {
  expect(outcome, output).toBe('exit code 0');
  expect(output).toMatch(
    /requested: [\s\S]*claimed by agent-1[\s\S]*FULFILLED[\s\S]*identical to the template/,
  );
  expect(output).toMatch(/^ +email: \S.*\n +mailto:\S+@\S+\?subject=aai%23\S+…$/m);
  const [, subject = '', path = ''] =
    /^ +letter: (\S.*)\n.*OneDrive: https?:\S+\n.*word processor: (.+\.docx)$/m.exec(output) ?? [];
  expect(path, output).not.toBe('');
  expect(paragraphsOf(await readFile(path))).toContain(subject);
});

test.runIf(process.getuid?.() === 0)('it installs Samba with one apt-get install', async () => {
  expect(outcome, output).toBe('exit code 0');
  expect(output).toContain('Installing smbd and pdbedit of the Debian package samba');
  expect(await machine!.aptCalls()).toEqual([
    expect.stringMatching(/^1 .*update$/),
    expect.stringMatching(/^1 .*install -y --no-install-recommends samba$/),
  ]);
});
