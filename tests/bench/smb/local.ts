import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../../release/repository-root.ts';
import { Samba } from '../../../agent/smb/tests/samba/samba.ts';
import { programPath } from '../../../agent/smb/tests/support/needs.ts';
import type { ContenderResult, Protection } from './job.ts';
import { runContender, runProgram, serverProcessorSeconds } from './measure.ts';
import { medianRows, reportRatio, reportRows, type Row } from './report.ts';
import { makeTemplate, type Template } from './template.ts';

const execute = promisify(execFile);

/**
 * Between the local disk and a share: the small files of the template, and its large one, each uploaded and downloaded
 * by this client, as the package that users install, and by smbclient, in turns and with encryption; the large one also
 * with signatures only. The time of smbclient has the start of its process (0.02 s); that of this client begins before it
 * connects.
 *
 * In memory where the system has a folder there. On the disk of a virtual machine, a program that writes into memory that the
 * host has to provide first takes 0.4 s more of system time for 256 MiB (perf: copy_folio_from_iter_atomic): on a quiet machine,
 * the ratios of the large download were 0.4 to 0.5 and 2.8 to 3.2 in turns. With other work on the machine it still happens to
 * either program, so the ratio of the fastest rounds is given too.
 */
export async function benchLocal(scale: number, rounds: number): Promise<void> {
  const memory = '/dev/shm';
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'smb-bench-local-'));
  // Also after Ctrl-C.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const encrypting = await Samba.start({
    globalLines: ['server smb encrypt = required'],
    folder: join(folder, 'encrypting'),
  });
  const signing = await Samba.start({
    globalLines: ['server smb encrypt = off', 'server signing = mandatory'],
    folder: join(folder, 'signing'),
  });
  try {
    const builtPackage = await buildPackage(join(folder, 'package'));
    const small = await makeTemplate(join(folder, 'small'), scale);
    const largeBytes = await separate(join(folder, 'small'), join(folder, 'large'), small);
    const smallOnly = { ...small, files: small.files - 1, bytes: small.bytes - largeBytes };
    const largeOnly = { files: 1, directories: 0, levels: 1, bytes: largeBytes };
    const encrypted = { samba: encrypting, protection: 'encrypted', folder, builtPackage } as const;
    await benchTree(encrypted, 'small', smallOnly, rounds);
    await benchTree(encrypted, 'large', largeOnly, rounds);
    await benchTree({ ...encrypted, samba: signing, protection: 'signed' }, 'large', largeOnly, rounds);
  } finally {
    await Promise.all([encrypting, signing].map((samba) => samba.stop()));
  }
}

/** What `npm pack` compiles. */
async function buildPackage(to: string): Promise<string> {
  const program = join(repositoryRoot, 'node_modules/.bin/tsc');
  await execute(program, ['--project', join(repositoryRoot, 'agent/smb'), '--outDir', to]);
  await writeFile(join(to, 'package.json'), JSON.stringify({ type: 'module' }));
  return to;
}

async function separate(from: string, to: string, { files, bytes }: Template): Promise<number> {
  await mkdir(to);
  await rename(join(from, 'Modell.ifc'), join(to, 'Modell.ifc'));
  return bytes - (files - 1) * 4096;
}

interface Place {
  readonly samba: Samba;
  readonly protection: Protection;
  readonly folder: string;
  readonly builtPackage: string;
}

async function benchTree(
  { samba, protection, folder, builtPackage }: Place,
  name: 'small' | 'large',
  template: Template,
  rounds: number,
): Promise<void> {
  const source = join(folder, name);
  const got = join(folder, 'got');
  const byRound: Row[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const rows: Row[] = [];
    const add = async (row: string, run: () => Promise<ContenderResult>): Promise<void> => {
      // The first to write after others have filled the memory pays for new memory, see above.
      await execute('cp', ['-r', source, got]);
      await rm(got, { recursive: true });
      await mkdir(got);
      // Otherwise the disk is still writing what the contender before has written.
      await execute('sync', ['--file-system', folder]);
      const [result, seconds] = await serverProcessorSeconds(samba, run);
      rows.push({ name: `${row}, ${name}`, ...result, serverProcessorSeconds: seconds });
      await rm(got, { recursive: true });
    };
    const [ours, theirs] = [`${name}-ours-${round}`, `${name}-theirs-${round}`];
    await mkdir(join(samba.projectFolder, theirs));
    const client = (kind: 'this client, upload' | 'this client, download', localFolder: string) => {
      const { host, port, account } = samba;
      const local = { folder: localFolder, builtPackage, protection };
      return runContender({ kind, checkout: repositoryRoot, host, port, account, destination: ours, local });
    };
    const all = `cd ${theirs}; prompt off; recurse on;`;
    const turns = [
      [
        () => add('upload', () => client('this client, upload', source)),
        () => add('download', () => client('this client, download', got)),
      ],
      [
        () => add('smbclient put', () => smbclient(samba, protection, source, `${all} mput *`)),
        () => add('smbclient get', () => smbclient(samba, protection, got, `${all} mget *`)),
      ],
    ] as const;
    await add('cp -r', () => runProgram('cp', ['-r', `${source}/.`, got], { cwd: folder, env: process.env }));
    const order = round % 2 === 0 ? turns : turns.toReversed();
    for (const direction of [0, 1] as const) for (const contender of order) await contender[direction]();
    for (const each of [ours, theirs]) await rm(join(samba.projectFolder, each), { recursive: true });
    byRound.push(rows);
  }
  for (const [of, to] of [
    ['upload', 'smbclient put'],
    ['download', 'smbclient get'],
  ] as const)
    reportRatio(byRound, { of, to, goal: `at most 1, ${protection}` });
  reportRows(
    `Local disk and share, ${name} files, ${protection}, median of ${rounds}`,
    template,
    medianRows(byRound),
  );
}

async function smbclient(
  samba: Samba,
  protection: Protection,
  cwd: string,
  commands: string,
): Promise<ContenderResult> {
  const program = programPath('smbclient', 'smbclient');
  const { user, password } = samba.account;
  const server = ['-p', String(samba.port), `//${samba.host}/projects`];
  const kind = protection === 'encrypted' ? 'encrypt' : 'sign';
  const args = ['-s', samba.confPath, `--client-protection=${kind}`, ...server, '-c', commands];
  return runProgram(program, args, { cwd, env: { ...process.env, USER: user, PASSWD: password } });
}
