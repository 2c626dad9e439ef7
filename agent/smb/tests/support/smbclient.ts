import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programPath } from './needs.ts';
import type { Samba } from '../samba/samba.ts';

/**
 * Runs Samba's own client against a local server; `port` can be that of a proxy in front of it. Throws if any command
 * fails.
 */
export async function smbclient(
  samba: Samba,
  share: string,
  commands: readonly string[],
  { port = samba.port, cwd = samba.templateFolder } = {},
): Promise<string> {
  const program = programPath('smbclient', 'smbclient');
  const { user, password } = samba.account;
  const { stdout } = await promisify(execFile)(
    program,
    ['-s', samba.confPath, '-p', String(port), `//${samba.host}/${share}`, '-c', commands.join('; ')],
    { cwd, maxBuffer: 64 << 20, env: { ...process.env, USER: user, PASSWD: password } },
  );
  // Most failures inside -c are only printed.
  const failure = /NT_STATUS_\w+.*/.exec(stdout);
  if (failure !== null) throw new Error(`smbclient: ${failure[0]}`);
  return stdout;
}

/** `Disk|name|comment` of all shares, sorted. */
export async function smbclientShares(samba: Samba): Promise<string[]> {
  const program = programPath('smbclient', 'smbclient');
  const { user, password } = samba.account;
  const { stdout } = await promisify(execFile)(
    program,
    ['-s', samba.confPath, '-p', String(samba.port), '-g', '-L', samba.host],
    { env: { ...process.env, USER: user, PASSWD: password } },
  );
  return stdout
    .split('\n')
    .filter((line) => /^(Disk|IPC|Printer)\|/.test(line))
    .toSorted();
}
