import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const exitWithParent = pathToFileURL(join(import.meta.dirname, 'exit-with-parent.ts')).href;

export interface NodeChild {
  process: ChildProcess;
  /** The last lines of standard output and error, for messages about a child that ended. */
  output(): string;
  /** Ends the child: SIGTERM, then SIGKILL after `graceMs`. Resolves when it is gone; safe to call twice. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts a Node program that ends with this process.
 *
 * `onOutput` gets standard output and error in pieces as they come. The environment is exactly `env`: nothing of the
 * developer's own settings reaches the child by accident.
 */
export function startNodeChild(
  program: string,
  {
    args = [],
    env = {},
    cwd,
    execArgv = [],
    onOutput,
  }: {
    args?: string[];
    env?: NodeJS.ProcessEnv;
    cwd?: string;
    execArgv?: string[];
    onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  } = {},
): NodeChild {
  const child = fork(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    ...(cwd === undefined ? {} : { cwd }),
    execArgv: ['--import', exitWithParent, ...execArgv],
    // Its own process group: Ctrl-C in a terminal is for the parent, which stops its children in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  let tail = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-8192);
      onOutput?.(text, stream);
    });
  }
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  return {
    process: child,
    output: () => tail.trimEnd(),
    async stop(graceMs = 5000) {
      if (ended() || child.pid === undefined) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(timer);
    },
  };
}
