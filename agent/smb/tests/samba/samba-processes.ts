import { readdir, readFile, readlink } from 'node:fs/promises';

// Based on /proc, so these work only on Linux, where Samba runs in development and in CI.

const proc = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');

export async function childPids(pid: number): Promise<number[]> {
  const children = await proc(pid, `task/${pid}/children`);
  return children.split(' ').filter(Boolean).map(Number);
}

/** The name a process gave itself. smbd's helpers are called smbd-notifyd and cleanupd. */
export async function processName(pid: number): Promise<string> {
  return (await proc(pid, 'comm')).trim();
}

/**
 * Whether this process itself owns the listening IPv4 socket of the port. An accepted connection does not prove that:
 * another program may have taken the port a moment before.
 */
export async function listensOn(pid: number, port: number): Promise<boolean> {
  const portHex = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = new Set(
    (await proc(pid, 'net/tcp'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((column) => column[1]?.endsWith(`:${portHex}`) && column[3] === '0A')
      .map((column) => `socket:[${column[9]}]`),
  );
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(
    descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  );
  return targets.some((target) => listening.has(target));
}

/** Sends a signal to a process, or to a process group when negative. A process that has ended is not an error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
