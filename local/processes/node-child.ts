import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const exitWithParent = pathToFileURL(join(import.meta.dirname, 'exit-with-parent.ts')).href;

export interface NodeChild {
  process: ChildProcess;
  /** The last lines of standard output and error, for messages about a child that ended. */
  output(): string;
  /** Stops the child: SIGTERM, then SIGKILL after `graceMs`. Resolves after its exit; safe to call twice. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Starts a Node program that exits with this process.
 *
 * `onOutput` receives chunks of standard output and error as they arrive. The child's environment is `env`, `PATH` and V8's
 * code cache (`NODE_COMPILE_CACHE`), so it does not inherit the developer's own settings.
 */
export function startNodeChild(
  program: string,
  {
    args = [],
    env = {},
    cwd,
    execArgv = [],
    execPath = process.execPath,
    onOutput,
  }: {
    args?: string[];
    env?: NodeJS.ProcessEnv;
    cwd?: string;
    execArgv?: string[];
    /** Default: the Node that runs this process. */
    execPath?: string | undefined;
    onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  } = {},
): NodeChild {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = fork(program, args, {
    env: { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    execPath,
    execArgv: ['--import', exitWithParent, ...execArgv],
    // A separate process group: Ctrl-C in a terminal reaches only the parent, which stops its children in order. On Windows
    // it would be a console window for each child.
    detached: process.platform !== 'win32',
    windowsHide: true,
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
