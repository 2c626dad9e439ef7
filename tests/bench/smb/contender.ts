import { copyTemplate } from '../../../agent/template-copy.ts';
import { SmbClient } from '../../../agent/smb/index.ts';
import { copyWithPeer } from './peer.ts';

// One contender in a process of its own, so that its memory is its own. Started by measure.ts.

export interface ContenderJob {
  readonly kind: 'this client' | '@tryjsky/v9u-smb2' | '@marsaud/smb2';
  readonly host: string;
  readonly port: number;
  readonly account: { readonly user: string; readonly password: string; readonly domain: string };
  readonly destination: string;
}

export interface ContenderResult {
  readonly seconds: number;
  readonly peakMemoryBytes: number;
  /** What the client itself counted, TCP payload. */
  readonly bytes?: number | undefined;
  readonly frames?: number | undefined;
  readonly failure?: string | undefined;
}

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
  await copyTemplate({ share: client.share('template'), path: '' }, destination);
  const { traffic } = client;
  await client.close();
  return { bytes: traffic.bytesSent + traffic.bytesReceived, frames: traffic.framesSent };
}

process.once('message', (job: ContenderJob) => {
  const startedAt = performance.now();
  const copying = job.kind === 'this client' ? copyWithThisClient(job) : copyWithPeer(job);
  const report = (outcome: Partial<ContenderResult>) => {
    const result: ContenderResult = {
      seconds: (performance.now() - startedAt) / 1000,
      peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
      ...outcome,
    };
    process.send?.(result, () => process.exit(0));
  };
  // The peers also throw outside of any promise.
  process.once('uncaughtException', (error) => report({ failure: String(error) }));
  copying.then(report, (error: unknown) => report({ failure: String(error) }));
});
