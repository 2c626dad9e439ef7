import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Socket } from 'node:net';

export interface BoundProcessOptions {
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** File for its output, which is discarded by default. */
  readonly logFile?: string | undefined;
}

/**
 * A program that exits with this process, however this process ends: a shell waits for the end of a pipe that this process
 * holds, which kill -9 closes too, and then kills the program. Both are in a separate process group.
 */
export class BoundProcess {
  readonly #shell: ChildProcess;

  constructor(program: string, args: readonly string[], { env, logFile }: BoundProcessOptions = {}) {
    const script = '"$0" "$@" </dev/null & child=$!; cat >/dev/null; kill -9 $child';
    this.#shell = spawn('sh', ['-c', script, program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, ...env },
    });
    const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' });
    for (const output of [this.#shell.stdout, this.#shell.stderr]) {
      if (log === undefined) output!.resume();
      else output!.pipe(log, { end: false });
      (output as Socket).unref();
    }
    this.#shell.stdin!.on('error', () => undefined);
    (this.#shell.stdin as Socket).unref();
    this.#shell.unref();
  }

  /** Kills the program and everything that it started in its process group. */
  async stop(): Promise<void> {
    const shell = this.#shell;
    if (shell.exitCode !== null || shell.signalCode !== null) return;
    shell.ref();
    const ended = once(shell, 'exit');
    process.kill(-shell.pid!, 'SIGKILL');
    await ended;
  }

  /** SIGSTOP suspends it, SIGCONT resumes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(-this.#shell.pid!, signal);
  }
}
