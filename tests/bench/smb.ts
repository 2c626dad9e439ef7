import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildAgent } from '../../local/release/build.ts';
import { requireProgram } from '../../local/stand-ins/samba/samba-programs.ts';
import { Samba } from '../../local/stand-ins/samba/samba.ts';
import { agentEnv } from '../support/agent-process.ts';
import type { ProxyCounters } from '../support/delay-proxy.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { benchDfsRoundTrips } from './smb/dfs-round-trips.ts';
import type { ContenderJob, ContenderResult } from './smb/job.ts';
import { benchLogons } from './smb/logons.ts';
import { runContender, runProgram, startProxy } from './smb/measure.ts';
import { type Template, makeTemplate } from './smb/template.ts';

// SMB_BENCH_SCALE=0.1 makes a tenth of the template, to see that everything runs.
const scale = Number(process.env['SMB_BENCH_SCALE'] ?? '1');
const roundTripMs = 20;
/** Disk and scheduler make one run differ from the next by a factor of two; a median of rows taken in turns does not. */
const loopbackRounds = 5;

interface Row extends ContenderResult {
  readonly name: string;
  readonly wire?: ProxyCounters | undefined;
}

interface Place {
  readonly samba: Samba;
  readonly template: Template;
  readonly port: number;
  readonly counters: () => Promise<ProxyCounters | undefined>;
  /** How often the rows are taken, one after the other; each row is the run of median time. */
  readonly rounds: number;
  /** For what smbclient gets. */
  readonly local: string;
  /** The built agent. */
  readonly agent: string;
}

let runs = 0;
const newDestination = () => `run-${(runs += 1)}`;

export async function run(): Promise<void> {
  await benchLogons();
  await benchDfsRoundTrips();
  const samba = await Samba.start();
  const local = await mkdtemp(join(tmpdir(), 'smb-bench-'));
  try {
    const { file: agent } = await buildAgent(join(local, 'agent'));
    const template = await makeTemplate(samba.templateFolder, scale);
    const megabytes = Math.round(template.bytes / 1e6);
    console.log(
      `\n${template.files} files in ${template.directories} directories, ${megabytes} MB; Node ${process.version}\n`,
    );
    const nobody = async () => undefined;
    const loopback = await measure({
      samba,
      template,
      port: samba.port,
      counters: nobody,
      local,
      agent,
      rounds: loopbackRounds,
    });
    report(`Loopback, median of ${loopbackRounds}`, template, loopback);
    const proxy = await startProxy(samba.port, roundTripMs / 2);
    const counters = () => proxy.counters();
    const far = await measure({ samba, template, port: proxy.port, counters, local, agent, rounds: 1 });
    proxy.stop();
    report(`${roundTripMs} ms of round-trip time`, template, far);
  } finally {
    await samba.stop();
    await rm(local, { recursive: true, force: true });
  }
}

async function measure(place: Place): Promise<Row[]> {
  const rounds: Row[][] = [];
  for (let round = 0; round < place.rounds; round += 1) rounds.push(await takeRows(place));
  for (let number = 1; number <= runs; number += 1) {
    await rm(join(place.samba.projectFolder, `run-${number}`), { recursive: true, force: true });
  }
  const secondsOf = (rows: readonly Row[], start: string) =>
    rows.find(({ name }) => name.startsWith(start))?.seconds ?? Number.NaN;
  for (const start of ['this client', wholeAgent]) {
    const ratios = rounds.map((rows) => secondsOf(rows, start) / secondsOf(rows, 'smbclient'));
    const median = ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)]!;
    const byRound = ratios.map((ratio) => ratio.toFixed(3)).join(', ');
    const goal = start === wholeAgent && place.rounds > 1 ? ` (goal: at most ${wholeAgentLimit})` : '';
    console.log(`${start} ÷ smbclient: ${median.toFixed(3)}${goal}; by round: ${byRound}\n`);
  }
  return (rounds[0] ?? []).map(({ name }) => {
    const same = rounds.flatMap((rows) => rows.filter((row) => row.name === name));
    return same.toSorted((one, other) => one.seconds - other.seconds)[Math.floor(same.length / 2)]!;
  });
}

async function takeRows(place: Place): Promise<Row[]> {
  const { samba, port } = place;
  const rows: Row[] = [];
  const add = async (name: string, running: Promise<ContenderResult>): Promise<void> => {
    const result = await running;
    rows.push({ name, ...result, wire: await place.counters() });
  };
  const contender = (kind: ContenderJob['kind'], destination: string) =>
    runContender({ kind, host: samba.host, port, account: samba.account, destination });

  await add('cp -r on the server', copyOnDisk(place));
  const ours = newDestination();
  await place.counters();
  await add('this client', contender('this client', ours));
  await sameTrees(samba.templateFolder, join(samba.projectFolder, ours));
  await add('this client, nothing missing', contender('this client', ours));
  await add('this client, connecting only', contender('this client, connecting only', ours));
  await add(wholeAgent, agentOnce(place));
  await add('smbclient, get and put', getAndPut(place));
  const peer = newDestination();
  await add('@tryjsky/v9u-smb2', contender('@tryjsky/v9u-smb2', peer));
  await add('@marsaud/smb2', contender('@marsaud/smb2', newDestination()));
  return rows;
}

const wholeAgent = 'the whole agent, --once';
const wholeAgentLimit = 0.6;

/** The process from its start to its end: claim, connection, copy, report. The service answers at once. */
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
  const program = await requireProgram('smbclient', 'smbclient');
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
    peakMemoryBytes: Math.max(got.peakMemoryBytes, put.peakMemoryBytes),
    failure,
  };
}

/** A fast copy that is not the same is no copy. */
async function sameTrees(one: string, other: string): Promise<void> {
  await promisify(execFile)('diff', ['-r', '-q', one, other]);
}

function report(title: string, template: Template, rows: readonly Row[]): void {
  const reference = rows.find((row) => row.name.startsWith('smbclient'));
  const cell = (value: number | undefined, digits = 0) =>
    value === undefined ? '' : value.toLocaleString('en', { maximumFractionDigits: digits });
  const columns = [
    '',
    's',
    '÷ smbclient',
    'round trips',
    'frames sent',
    'MB through the client',
    '% of template',
    'peak MiB',
  ];
  console.log(`${title}\n\n| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
  for (const row of rows) {
    const wireBytes = row.wire === undefined ? undefined : row.wire.bytesToServer + row.wire.bytesToClient;
    const bytes = row.name.startsWith('cp') ? undefined : (row.bytes ?? wireBytes);
    const ratio = reference === undefined ? undefined : row.seconds / reference.seconds;
    const cells =
      row.failure === undefined
        ? [
            cell(row.seconds, 2),
            cell(ratio, 3),
            row.wire === undefined || bytes === undefined ? '' : cell(row.wire.roundTrips),
            cell(row.frames ?? (bytes === undefined ? undefined : row.wire?.requestFrames)),
            bytes === undefined ? '' : cell(bytes / 1e6, 2),
            bytes === undefined ? '' : cell((100 * bytes) / template.bytes, 2),
            cell(row.peakMemoryBytes / 1024 / 1024),
          ]
        : [`fails: ${row.failure.split('\n')[0]}`, '', '', '', '', '', ''];
    const name = row.retries ? `${row.name} (${row.retries} operations again)` : row.name;
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  console.log(`\nThe template has ${template.levels} levels of directories, its root counted.\n`);
}
