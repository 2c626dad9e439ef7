import { readdir, readFile } from 'node:fs/promises';

export interface ProcessIdentity {
  pid: number;
  /** Distinguishes a process from a later one with the same number. */
  startedAt: string;
  command: string;
}

/** A process and all its descendants, also those in other process groups and sessions (Linux). */
export async function processTree(root: number): Promise<ProcessIdentity[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const known = new Map(
    (await Promise.all(all.map(async (pid) => [pid, await statOf(pid)] as const))).filter(
      ([, stat]) => stat !== undefined,
    ),
  );
  const tree: ProcessIdentity[] = [];
  const add = async (pid: number) => {
    const stat = known.get(pid);
    if (!stat) return;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    tree.push({ pid, startedAt: stat.startedAt, command: command.replaceAll('\0', ' ').trim() });
    for (const [child, { parent }] of known as Map<number, { parent: number }>) {
      if (parent === pid) await add(child);
    }
  };
  await add(root);
  return tree;
}

export async function isRunning({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  const stat = await statOf(pid);
  return stat !== undefined && stat.startedAt === startedAt && stat.state !== 'Z';
}

async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may contain any characters; the fields after it are counted (proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (text === '') return undefined;
  return { state: fields[0]!, parent: Number(fields[1]), startedAt: fields[19]! };
}
