import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { repositoryRoot } from '../../../release/repository-root.ts';
import type { StackDescription } from '../../../local/stack/stack-file.ts';
import { agentProgram } from '../../support/built-agent.ts';
import { appDirectory } from '../../support/built-functions.ts';
import { isRunning, processTree, type ProcessIdentity } from '../../support/processes.ts';
import { until } from '../../../agent/smb/tests/support/until.ts';

export interface Running {
  readonly child: ChildProcess;
  readonly stackFile: string;
  readonly output: () => string;
  /** Resolves with the signal or exit code. */
  readonly ended: Promise<string>;
  /** Kills it with all its descendants. */
  end(): Promise<void>;
}

export type Started = Running & { readonly description: StackDescription };

/** Existing builds, because each build costs four seconds of processor time; the `npm start` test uses its own build. */
export const builtBefore = async () => ({
  LOCAL_STACK_APP_DIRECTORY: await appDirectory(),
  LOCAL_STACK_AGENT_PROGRAM: agentProgram(),
});

/** Runs a command with a separate directory for stack.json. */
export async function run(command: string[], env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const directory = await mkdtemp(join(tmpdir(), 'start-'));
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      LOCAL_STACK_DIRECTORY: directory,
      // Deletes temporary folders that kill -9 leaves behind.
      TMPDIR: directory,
      ...env,
      npm_config_cache: directory,
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  return {
    child,
    stackFile: join(env['LOCAL_STACK_DIRECTORY'] ?? directory, 'stack.json'),
    output: () => output,
    ended,
    async end() {
      await kill(await processTree(child.pid!));
      await ended;
    },
  };
}

/** Runs a command, and kills it at the end of the test. */
export async function runForTest(...args: Parameters<typeof run>): Promise<Running> {
  const running = await run(...args);
  onTestFinished(() => running.end());
  return running;
}

export async function ready(running: Running): Promise<Started> {
  await until(
    'Ready',
    () => running.output() + (running.child.exitCode === null ? '' : '(ended)'),
    (text) => /Ready\.|\(ended\)/.test(text),
    // Seven seconds on an idle machine; up to 42 with sixteen other busy programs.
    240_000,
  );
  expect(running.output()).toContain('Ready.');
  const description = JSON.parse(await readFile(running.stackFile, 'utf8')) as StackDescription;
  return { ...running, description };
}

async function kill(processes: readonly ProcessIdentity[]): Promise<void> {
  for (const each of processes) {
    if (!(await isRunning(each))) continue;
    try {
      process.kill(each.pid, 'SIGKILL');
    } catch {
      // It has exited in the meantime with its parent.
    }
  }
}

/** The processes of `child`'s tree; kills them after the test if they outlive their parent. */
export async function processesOf({ child }: Running): Promise<ProcessIdentity[]> {
  const processes = await processTree(child.pid!);
  onTestFinished(() => kill(processes));
  return processes;
}

export async function allGone(processes: readonly ProcessIdentity[]): Promise<void> {
  expect(processes.length).toBeGreaterThan(3);
  await until(
    'the end of every process',
    async () => {
      const states = await Promise.all(
        processes.map(async (each) => ((await isRunning(each)) ? [each.command] : [])),
      );
      return states.flat();
    },
    (left) => left.length === 0,
  );
}
