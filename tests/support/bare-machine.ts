import { chmod, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BareMachine {
  /** The only directory on its PATH. */
  bin: string;
  /** The calls of the stand-in for apt-get, one per line, RUNLEVEL first. */
  aptCalls(): Promise<string[]>;
}

/** Folders of programs without Samba's, and the given script as apt-get; `$root` is the folder above bin and sbin. */
export async function machineWithoutSamba(aptScript?: string): Promise<BareMachine> {
  const root = await mkdtemp(join(tmpdir(), 'bare-machine-'));
  const [bin, sbin] = [join(root, 'bin'), join(root, 'sbin')];
  await Promise.all([bin, sbin].map((folder) => mkdir(folder)));
  for (const name of ['sh', 'cat']) await symlink(join('/bin', name), join(bin, name));
  if (aptScript !== undefined) {
    const log = `echo "$RUNLEVEL $*" >>'${root}/apt.log'`;
    await writeFile(join(bin, 'apt-get'), `#!/bin/sh\nroot='${root}'\n${log}\n${aptScript}\n`);
    await chmod(join(bin, 'apt-get'), 0o755);
  }
  const aptCalls = async () => {
    const log = await readFile(join(root, 'apt.log'), 'utf8').catch(() => '');
    return log.split('\n').filter(Boolean);
  };
  return { bin, aptCalls };
}
