import { existsSync } from 'node:fs';

/** Another program in place of this one, which only has an exit code. */
const shell = '/bin/sh';

/** What ends a process: Node's `process`. */
interface Process {
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  getActiveResourcesInfo(): readonly string[];
  /** Not on Windows. */
  execve?(file: string, args: readonly string[], env: NodeJS.ProcessEnv): unknown;
  kill(pid: number, signal: 'SIGKILL'): unknown;
  exit(code: number): unknown;
}

/**
 * Ends the process without waiting for what is still open. `process.exit` waits for name look-ups of the system, which
 * nothing cancels (20 s with two silent DNS servers, 57 s with seven names). Another program in place of this one ends them.
 * Windows has no such call: there, a process that kills itself ends immediately, always with the code 1. With any other code
 * it waits, because a wrong one would mislead the caller.
 */
export function endProcess(code: number, node: Process = process): void {
  if (node.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) {
    // Without the file, `execve` would abort the process.
    if (node.platform === 'win32' && code === 1) node.kill(node.pid, 'SIGKILL');
    else if (node.platform !== 'win32' && existsSync(shell))
      node.execve?.(shell, [shell, '-c', `exit ${code}`], {});
  }
  node.exit(code);
}
