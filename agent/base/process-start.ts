import { readFileSync } from 'node:fs';

/**
 * Tells a process from a later one that the system gives the same number: the boot and the clock tick of its start (proc(5)).
 * Undefined for a process that does not exist, and on systems without /proc.
 */
export function processStartOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name of the program, may contain blanks and parentheses; the start is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}
