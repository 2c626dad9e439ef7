import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildAgent } from '../../release/build/build.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import { programPath } from '../../agent/smb/tests/support/needs.ts';
import { Samba } from '../../agent/smb/tests/samba/samba.ts';
import { agentEnv } from '../support/agent-process.ts';
import type { ProxyCounters } from '../../agent/smb/tests/support/delay-proxy.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { benchDfsRoundTrips } from './smb/dfs-round-trips.ts';
import type { ContenderJob, ContenderResult } from './smb/job.ts';
import { benchLocal } from './smb/local.ts';
import { benchLogons } from './smb/logons.ts';
import { runContender, runProgram, serverProcessorSeconds, startProxy } from './smb/measure.ts';
import { medianRows, type Ratio, reportRatio, reportRows, type Row } from './smb/report.ts';
import { emptyFolder, type Template, makeTemplate } from './smb/template.ts';

// SMB_BENCH_SCALE=0.1 copies a tenth of the template, to check that everything runs.
const scale = Number(process.env['SMB_BENCH_SCALE'] ?? '1');
// SMB_BENCH_BASELINE=../before runs the client of another checkout in the same rounds, and prints this client ÷ that one.
const baseline = process.env['SMB_BENCH_BASELINE'];
const roundTripMs = 20;
/**
 * The part with the round-trip time copies this share of the template for every row, because smbclient alone takes
 * 169 s for the whole template.
 */
const farScale = 0.3;
/** Disk and scheduler make two runs differ by a factor of two; medians of alternating runs do not differ that much. */
// SMB_BENCH_ONLY=local measures only what is between the local disk and a share.
const loopbackRounds = Number(process.env['SMB_BENCH_ROUNDS'] ?? '5');

/**
 * The npm clients are slow with this round-trip time, and slower when they have to repeat operations: 114 s for 101
 * files.
 */
const npmClientLimitSeconds = 60;

const thisClient = 'this client';
const wholeAgent = 'the whole agent, --once';
const baselineClient = baseline === undefined ? undefined : `the client of ${basename(resolve(baseline))}`;
const toBaseline: readonly Ratio[] =
  baselineClient === undefined ? [] : [{ of: thisClient, to: baselineClient, goal: 'at most 1' }];

interface Place {
  readonly samba: Samba;
  readonly template: Template;
  readonly port: number;
  readonly counters: () => Promise<ProxyCounters | undefined>;
  /** A folder for the files that smbclient gets. */
  readonly local: string;
  /** The built agent. */
  readonly agent: string;
}

let runs = 0;
const newDestination = () => `run-${(runs += 1)}`;

export async function run(): Promise<void> {
  const rounds = loopbackRounds;
  if (process.env['SMB_BENCH_ONLY'] === 'local') return benchLocal(scale, rounds);
  await benchLogons();
  await benchDfsRoundTrips();
  const samba = await Samba.start();
  const local = await mkdtemp(join(tmpdir(), 'smb-bench-'));
  try {
    const { file: agent } = await buildAgent(join(local, 'agent'));
    await benchLoopback(samba, local, agent);
    await benchFar(samba, local, agent);
  } finally {
    await samba.stop();
    await rm(local, { recursive: true, force: true });
  }
  await benchLocal(scale, rounds);
}

async function benchLoopback(samba: Samba, local: string, agent: string): Promise<void> {
  const template = await announcedTemplate(samba, scale);
  const place = { samba, template, port: samba.port, counters: async () => undefined, local, agent };
  const rounds: Row[][] = [];
  for (let round = 0; round < loopbackRounds; round += 1) rounds.push(await measureRows(place, round));
  reportRatio(rounds, { of: thisClient, to: 'smbclient', goal: 'at most 0.36 on a quiet machine' });
  reportRatio(rounds, { of: wholeAgent, to: 'smbclient', goal: 'at most 0.45 on a quiet machine' });
  for (const ratio of toBaseline) reportRatio(rounds, ratio);
  reportRows(`Loopback, median of ${loopbackRounds}`, template, medianRows(rounds));
}

async function benchFar(samba: Samba, local: string, agent: string): Promise<void> {
  const startedAt = performance.now();
  await Promise.all([samba.templateFolder, samba.projectFolder].map(emptyFolder));
  const template = await announcedTemplate(samba, scale * farScale);
  const proxy = await startProxy(samba.port, roundTripMs / 2);
  try {
    const counters = () => proxy.counters();
    const rows = await measureRows({ samba, template, port: proxy.port, counters, local, agent }, 0);
    reportRatio([rows], { of: thisClient, to: 'smbclient', goal: 'at most 0.03' });
    for (const ratio of toBaseline) reportRatio([rows], ratio);
    reportRows(`${roundTripMs} ms of round-trip time, ${farScale} of the template`, template, rows);
    console.log(`This part took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.\n`);
  } finally {
    proxy.stop();
  }
}

async function announcedTemplate({ templateFolder }: Samba, size: number): Promise<Template> {
  const template = await makeTemplate(templateFolder, size);
  const { files, directories, bytes } = template;
  const megabytes = Math.round(bytes / 1e6);
  console.log(`\n${files} files in ${directories} directories, ${megabytes} MB; Node ${process.version}\n`);
  return template;
}

/** Each round starts with a different contender, so that none always runs first. */
async function measureRows(place: Place, round: number): Promise<Row[]> {
  const { samba, port, counters } = place;
  const rows: Row[] = [];
  const add = async (name: string, run: () => Promise<ContenderResult>): Promise<void> => {
    const [result, seconds] = await serverProcessorSeconds(samba, run);
    rows.push({ name, ...result, serverProcessorSeconds: seconds, wire: await counters() });
  };
  const contender =
    (kind: ContenderJob['kind'], destination: string, checkout = repositoryRoot, limitSeconds?: number) =>
    () => {
      const job = { kind, checkout, host: samba.host, port, account: samba.account, destination };
      return runContender(job, limitSeconds);
    };
  const turns = [
    () => add('cp -r on the server', () => copyOnDisk(place)),
    async () => {
      const destination = newDestination();
      await add(thisClient, contender('this client', destination));
      await sameTrees(samba.templateFolder, join(samba.projectFolder, destination));
      await add('this client, nothing missing', contender('this client', destination));
      await add('this client, connecting only', contender('this client, connecting only', destination));
    },
    () => add(wholeAgent, () => agentOnce(place)),
    () => add('smbclient, get and put', () => getAndPut(place)),
  ];
  if (baseline !== undefined && baselineClient !== undefined) {
    turns.push(() => add(baselineClient, contender('this client', newDestination(), resolve(baseline))));
  }
  await counters();
  for (const index of turns.keys()) await turns[(index + round) % turns.length]!();
  // The npm clients take longer than all others together, so they run only once.
  for (const kind of round === 0 ? (['@tryjsky/v9u-smb2', '@marsaud/smb2'] as const) : []) {
    await add(kind, contender(kind, newDestination(), repositoryRoot, npmClientLimitSeconds));
  }
  return rows;
}

/** The process from its start to its end: claim, connection, copy, report. The service responds immediately. */
async function agentOnce({ samba, port, agent }: Place): Promise<ContenderResult> {
  const service = await FakeFolderService.start();
  try {
    const destination = newDestination();
    const id = service.add(destination);
    const { host, account } = samba;
    const env = { ...agentEnv(service, { host, port, account }), PATH: process.env['PATH'] };
    const result = await runProgram(process.execPath, [agent, '--once'], { cwd: samba.projectFolder, env });
    const { status, errorMessage } = service.get(id);
    if (status !== 'FULFILLED') return { ...result, failure: `${status}: ${errorMessage}` };
    await sameTrees(samba.templateFolder, join(samba.projectFolder, destination));
    return result;
  } finally {
    await service.stop();
  }
}

async function copyOnDisk({ samba }: Place): Promise<ContenderResult> {
  const target = join(samba.projectFolder, newDestination());
  return runProgram('cp', ['-r', samba.templateFolder, target], {
    cwd: samba.projectFolder,
    env: process.env,
  });
}

async function getAndPut({ samba, port, local }: Place): Promise<ContenderResult> {
  const program = programPath('smbclient', 'smbclient');
  const destination = newDestination();
  await mkdir(join(samba.projectFolder, destination));
  const between = join(local, destination);
  await mkdir(between);
  const env = { ...process.env, USER: samba.account.user, PASSWD: samba.account.password };
  const smbclient = (share: string, commands: string) => {
    const args = ['-s', samba.confPath, '-p', String(port), `//${samba.host}/${share}`, '-c', commands];
    return runProgram(program, args, { cwd: between, env });
  };
  const got = await smbclient('template', 'prompt off; recurse on; mget *');
  const put = await smbclient('projects', `cd ${destination}; prompt off; recurse on; mput *`);
  const failure = got.failure ?? put.failure;
  if (failure === undefined) await sameTrees(samba.templateFolder, join(samba.projectFolder, destination));
  await rm(between, { recursive: true });
  return {
    seconds: got.seconds + put.seconds,
    processorSeconds: (got.processorSeconds ?? 0) + (put.processorSeconds ?? 0),
    peakMemoryBytes: Math.max(got.peakMemoryBytes, put.peakMemoryBytes),
    failure,
  };
}

/** Fails if the trees differ: a fast copy counts only if it equals the template. */
async function sameTrees(one: string, other: string): Promise<void> {
  await promisify(execFile)('diff', ['-r', '-q', one, other]);
}
