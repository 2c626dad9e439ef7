import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContenderJob, ContenderResult } from './job.ts';
import { copyWithPeer } from './peer.ts';

// Runs one contender in a separate process, so that its memory and processor time can be measured. Started by
// measure.ts.

/** The client of any checkout whose shares have `folder`, from its sources unless it was built. */
async function loadClient({ checkout, local }: ContenderJob) {
  const client =
    local === undefined ? join(checkout, 'agent/smb/index.ts') : join(local.builtPackage, 'index.js');
  const [{ SmbClient }, { copyTemplate }] = await Promise.all([
    import(client) as Promise<typeof import('../../../agent/smb/index.ts')>,
    import(join(checkout, 'agent/copy/template-copy.ts')) as Promise<
      typeof import('../../../agent/copy/template-copy.ts')
    >,
  ]);
  return { SmbClient, copyTemplate };
}

async function copyWithThisClient(
  { SmbClient, copyTemplate }: Awaited<ReturnType<typeof loadClient>>,
  job: ContenderJob,
): Promise<Pick<ContenderResult, 'bytes' | 'frames'>> {
  const client = new SmbClient({
    host: job.host,
    port: job.port,
    username: job.account.user,
    password: job.account.password,
    domain: job.account.domain,
    // Where it is signed, the server offers nothing else.
    encryption: job.local?.protection === 'encrypted' ? 'required' : 'preferred',
  });
  const projects = client.share('projects');
  const template = client.share('template');
  if (job.kind === 'this client, upload') {
    await projects.upload(job.local!.folder, job.destination, { recursive: true });
  } else if (job.kind === 'this client, download') {
    await projects.download(job.destination, job.local!.folder, { recursive: true });
  } else {
    await projects.ensureDirectory(job.destination);
    if (job.kind === 'this client') await copyTemplate(template, projects.folder(job.destination));
    else await template.connect();
  }
  const { traffic } = client;
  await client.close();
  return { bytes: traffic.bytesSent + traffic.bytesReceived, frames: traffic.framesSent };
}

/** Not maxRSS of getrusage: that starts at the size of the process that forked this one. */
function peakMemoryBytes(): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(peak?.[1] ?? 0) * 1024;
}

async function runJob(job: ContenderJob): Promise<void> {
  const isOurs = job.kind.startsWith('this client');
  const ours = isOurs ? await loadClient(job) : undefined;
  const startedAt = performance.now();
  const processorAt = process.cpuUsage();
  const copying = ours === undefined ? copyWithPeer(job) : copyWithThisClient(ours, job);
  const report = (outcome: Partial<ContenderResult>) => {
    const { user, system } = process.cpuUsage(processorAt);
    const result: ContenderResult = {
      seconds: (performance.now() - startedAt) / 1000,
      processorSeconds: (user + system) / 1e6,
      peakMemoryBytes: peakMemoryBytes(),
      ...outcome,
    };
    process.send?.(result, () => process.exit(0));
  };
  // The npm clients also throw outside of any promise.
  process.once('uncaughtException', (error) => report({ failure: String(error) }));
  copying.then(report, (error: unknown) => report({ failure: String(error) }));
}

process.once('message', (job: ContenderJob) => void runJob(job));
