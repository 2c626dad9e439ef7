import { readFileSync } from 'node:fs';
import { copyTemplate } from '../../../agent/template-copy.ts';
import { SmbClient } from '../../../agent/smb/index.ts';
import type { ContenderJob, ContenderResult } from './job.ts';
import { copyWithPeer } from './peer.ts';

// One contender in a process of its own, so that its memory is its own. Started by measure.ts.

async function copyWithThisClient(job: ContenderJob): Promise<Pick<ContenderResult, 'bytes' | 'frames'>> {
  const client = new SmbClient({
    host: job.host,
    port: job.port,
    username: job.account.user,
    password: job.account.password,
    domain: job.account.domain,
  });
  const destination = { share: client.share('projects'), path: job.destination };
  await destination.share.ensureDirectory(job.destination);
  const template = client.share('template');
  if (job.kind === 'this client') await copyTemplate({ share: template, path: '' }, destination);
  else await template.connect();
  const { traffic } = client;
  await client.close();
  return { bytes: traffic.bytesSent + traffic.bytesReceived, frames: traffic.framesSent };
}

/** Not maxRSS of getrusage: that starts at the size of the process this one was forked from. */
function peakMemoryBytes(): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(peak?.[1] ?? 0) * 1024;
}

process.once('message', (job: ContenderJob) => {
  const startedAt = performance.now();
  const copying = job.kind.startsWith('this client') ? copyWithThisClient(job) : copyWithPeer(job);
  const report = (outcome: Partial<ContenderResult>) => {
    const result: ContenderResult = {
      seconds: (performance.now() - startedAt) / 1000,
      peakMemoryBytes: peakMemoryBytes(),
      ...outcome,
    };
    process.send?.(result, () => process.exit(0));
  };
  // The peers also throw outside of any promise.
  process.once('uncaughtException', (error) => report({ failure: String(error) }));
  copying.then(report, (error: unknown) => report({ failure: String(error) }));
});
