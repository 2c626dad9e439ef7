import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProxyCounters } from '../../support/delay-proxy.ts';
import type { ContenderJob, ContenderResult } from './job.ts';

const here = import.meta.dirname;

async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnfile} ended with ${String(code)} before it reported`);
  });
  exited.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message'), exited])) as [T];
  return message;
}

/** One run of a Node contender in a fresh process. Its start is not counted. */
export async function runContender(job: ContenderJob): Promise<ContenderResult> {
  const child = fork(join(here, 'contender-process.ts'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.send(job);
  return firstMessage<ContenderResult>(child);
}

/** One run of a program, with the highest memory it was seen with. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<ContenderResult> {
  const startedAt = performance.now();
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  let peakMemoryBytes = 0;
  const sampling = setInterval(() => {
    void readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (text) => {
        const peak = Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) * 1024;
        peakMemoryBytes = Math.max(peakMemoryBytes, peak);
      },
      () => undefined,
    );
  }, 20);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(sampling);
  const failure =
    code === 0 ? /NT_STATUS_\w+/.exec(output)?.[0] : `ended with ${code}: ${output.slice(-300)}`;
  return { seconds: (performance.now() - startedAt) / 1000, peakMemoryBytes, failure };
}

export interface ProxyProcess {
  readonly port: number;
  /** Since the last call. */
  counters(): Promise<ProxyCounters>;
  stop(): void;
}

export async function startProxy(targetPort: number, oneWayMs: number): Promise<ProxyProcess> {
  const child = fork(join(here, 'proxy-process.ts'), [String(targetPort), String(oneWayMs)]);
  const { port } = await firstMessage<{ port: number }>(child);
  return {
    port,
    counters: async () => {
      const counted = firstMessage<ProxyCounters>(child);
      child.send('counters');
      return counted;
    },
    stop: () => child.disconnect(),
  };
}
