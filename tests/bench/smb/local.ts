import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../local/repository-root.ts';
import { Samba } from '../../../agent/smb/tests/samba/samba.ts';
import { requireProgram } from '../../../agent/smb/tests/samba/samba-programs.ts';
import type { ContenderResult } from './job.ts';
import { runContender, runProgram, serverProcessorSeconds } from './measure.ts';
import { medianRows, reportRatio, reportRows, type Row } from './report.ts';
import { makeTemplate, type Template } from './template.ts';

/**
 * Between the local disk and a share: the small files of the template, and its large one, each uploaded and downloaded
 * by this client and by smbclient, in turns and with encryption.
 */
export async function benchLocal(scale: number, rounds: number): Promise<void> {
  const samba = await Samba.start({ globalLines: ['server smb encrypt = required'] });
  const folder = await mkdtemp(join(tmpdir(), 'smb-bench-local-'));
  try {
    const small = await makeTemplate(join(folder, 'small'), scale);
    const largeBytes = await separate(join(folder, 'small'), join(folder, 'large'), small);
    const smallOnly = { ...small, files: small.files - 1, bytes: small.bytes - largeBytes };
    const largeOnly = { files: 1, directories: 0, levels: 1, bytes: largeBytes };
    await benchTree(samba, folder, 'small', smallOnly, rounds);
    await benchTree(samba, folder, 'large', largeOnly, rounds);
  } finally {
    await samba.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function separate(from: string, to: string, { files, bytes }: Template): Promise<number> {
  await mkdir(to);
  await rename(join(from, 'Modell.ifc'), join(to, 'Modell.ifc'));
  return bytes - (files - 1) * 4096;
}

async function benchTree(
  samba: Samba,
  folder: string,
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
      await mkdir(got);
      const [result, seconds] = await serverProcessorSeconds(samba, run);
      rows.push({ name: `${row}, ${name}`, ...result, serverProcessorSeconds: seconds });
      await rm(got, { recursive: true });
    };
    const [ours, theirs] = [`${name}-ours-${round}`, `${name}-theirs-${round}`];
    await mkdir(join(samba.projectFolder, theirs));
    const client = (kind: 'this client, upload' | 'this client, download', local: string) => {
      const { host, port, account } = samba;
      return runContender({ kind, checkout: repositoryRoot, host, port, account, destination: ours, local });
    };
    const all = `cd ${theirs}; prompt off; recurse on;`;
    const turns = [
      [
        () => add('upload', () => client('this client, upload', source)),
        () => add('download', () => client('this client, download', got)),
      ],
      [
        () => add('smbclient put', () => smbclient(samba, source, `${all} mput *`)),
        () => add('smbclient get', () => smbclient(samba, got, `${all} mget *`)),
      ],
    ] as const;
    const order = round % 2 === 0 ? turns : turns.toReversed();
    for (const direction of [0, 1] as const) for (const contender of order) await contender[direction]();
    for (const each of [ours, theirs]) await rm(join(samba.projectFolder, each), { recursive: true });
    byRound.push(rows);
  }
  for (const [of, to] of [
    ['upload', 'smbclient put'],
    ['download', 'smbclient get'],
  ] as const)
    reportRatio(byRound, { of, to, goal: 'at most 1' });
  reportRows(
    `Local disk and share, ${name} files, encrypted, median of ${rounds}`,
    template,
    medianRows(byRound),
  );
}

async function smbclient(samba: Samba, cwd: string, commands: string): Promise<ContenderResult> {
  const program = await requireProgram('smbclient', 'smbclient');
  const { user, password } = samba.account;
  const server = ['-p', String(samba.port), `//${samba.host}/projects`];
  const args = ['-s', samba.confPath, '--client-protection=encrypt', ...server, '-c', commands];
  return runProgram(program, args, { cwd, env: { ...process.env, USER: user, PASSWD: password } });
}
