import { expect, onTestFinished, test, vi } from 'vitest';
import { requirePrograms } from '../../agent/smb/tests/samba/samba-programs.ts';
import { machineWithoutSamba } from '../support/bare-machine.ts';

const isRoot = process.getuid?.() === 0;

test.each([
  [
    'apt-get is not installed',
    undefined,
    /^This machine lacks smbd and pdbedit of the Debian package samba\. Run as root: apt-get update && .*apt-get install .*samba/,
  ],
  [
    'apt-get fails',
    "echo 'E: no route to the mirror' >&2; exit 100",
    /^This machine lacks smbd and pdbedit of the Debian package samba, and apt-get could not install it: E: no route to the mirror$/,
  ],
  [
    'the package has only one of the two programs',
    'touch() { :>"$1" && /bin/chmod +x "$1"; }; touch $root/sbin/smbd',
    /^The Debian package samba is installed, but it has no pdbedit$/,
  ],
] as const)('if %s, the message names the programs and the package', async (_, aptScript, expected) => {
  const { bin } = await machineWithoutSamba(aptScript);
  vi.stubEnv('PATH', bin);
  onTestFinished(() => void vi.unstubAllEnvs());
  const message = await requirePrograms(['smbd', 'pdbedit'], 'samba').catch((error: Error) => error.message);
  if (isRoot || aptScript === undefined) expect(message).toMatch(expected);
  else
    expect(message).toContain(
      'This machine lacks smbd and pdbedit of the Debian package samba. Run as root:',
    );
});
