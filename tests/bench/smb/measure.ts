import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Samba } from '../../../agent/smb/tests/samba/samba.ts';
import type { ProxyCounters } from '../../../agent/smb/tests/support/delay-proxy.ts';
import type { ContenderJob, ContenderResult } from './job.ts';

const here = import.meta.dirname;
/** USER_HZ of Linux, the same on every architecture Node runs on. */
const ticksPerSecond = 100;

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const done = new AbortController();
  const { signal } = done;
  const exited = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${child.spawnfile} ended with ${String(code)} before it reported`);
  });
  exited.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), exited])) as [T];
    return message;
  } finally {
    done.abort();
  }
}

/** One run of a Node contender in a fresh process, not counting the start of the process. */
export async function runContender(
  job: ContenderJob,
  limitSeconds = Number.POSITIVE_INFINITY,
): Promise<ContenderResult> {
  const child = fork(join(here, 'contender-process.ts'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.send(job);
  const ended = new AbortController();
  const result = firstMessage<ContenderResult>(child);
  if (!Number.isFinite(limitSeconds)) return result;
  const failure = `not done after ${limitSeconds} s`;
  const late = delay(limitSeconds * 1000, { seconds: limitSeconds, peakMemoryBytes: 0, failure }, ended);
  late.catch(() => undefined);
  try {
    return await Promise.race([result, late]);
  } finally {
    ended.abort();
    child.kill();
    result.catch(() => undefined);
  }
}

/** One run of a program, with its peak memory and its processor time as last sampled. */
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
  let processorSeconds = 0;
  const sampling = setInterval(() => {
    void readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (text) => {
        const peak = Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) * 1024;
        peakMemoryBytes = Math.max(peakMemoryBytes, peak);
      },
      () => undefined,
    );
    void processorTime(child.pid).then((seconds) => (processorSeconds = Math.max(processorSeconds, seconds)));
  }, 20);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(sampling);
  const failure =
    code === 0 ? /NT_STATUS_\w+/.exec(output)?.[0] : `ended with ${code}: ${output.slice(-300)}`;
  return { seconds: (performance.now() - startedAt) / 1000, processorSeconds, peakMemoryBytes, failure };
}

/** Processor time of a process and its reaped children, in seconds; 0 if the process no longer exists. */
async function processorTime(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // proc_pid_stat(5): utime, stime, cutime and cstime are fields 14 to 17; the name before them may contain blanks.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(ticks[at] ?? 0), 0) / ticksPerSecond;
}

/** Waits until smbd has ended the processes of closed connections, which would take time from the next measurement. */
export async function connectionsEnded(samba: Samba): Promise<void> {
  while ((await samba.connectionPids()).length > 0) await delay(10);
}

/**
 * The processor time that smbd spends on `run`. Each connection has a process, which its parent counts when it has
 * ended.
 */
export async function serverProcessorSeconds<T>(
  samba: Samba,
  run: () => Promise<T>,
): Promise<readonly [T, number]> {
  const settled = async () => {
    await connectionsEnded(samba);
    return processorTime(samba.pid);
  };
  const before = await settled();
  const result = await run();
  return [result, (await settled()) - before];
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
