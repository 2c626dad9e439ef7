import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { type ShareInfo, SmbClient } from '../index.ts';
import type { Samba } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import { smbclient, smbclientShares } from './support/smbclient.ts';
import { bytesOf, rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';
import { requires } from './support/requires.ts';

const { test } = requires('samba', 'smbclient', 'diff');

const files: Record<string, Buffer> = {
  'plan.dwg': bytesOf(3_000_001),
  'leer.txt': Buffer.alloc(0),
  'Übersicht.docx': bytesOf(4_096),
  'Unterordner\\Bericht 🏗️.pdf': bytesOf(70_000),
  'Unterordner\\tief\\a': bytesOf(1),
};

let samba: Samba;
let client: SmbClient;
let local: string;

beforeAll(async () => {
  samba = await startSamba({
    moreShares: Object.fromEntries(
      // More than fit into one fragment of a remote call.
      Array.from({ length: 80 }, (_, index) => [
        `share ${index}`,
        [`comment = Größe ${index} ${'x'.repeat(60)}`],
      ]),
    ),
  });
  client = new SmbClient(clientOptions(samba));
  local = await mkdtemp(join(tmpdir(), 'smbclient-'));
});
afterAll(async () => {
  await client?.close();
  await samba?.stop();
});

/** Throws when the trees differ in names, kinds or contents. */
const compare = (one: string, other: string) => promisify(execFile)('diff', ['-r', one, other]);

test('both list the same shares', async () => {
  const shares = await client.shares();
  const line = ({ name, type, comment }: ShareInfo) =>
    [{ disk: 'Disk', pipe: 'IPC', printer: 'Printer', device: 'Device' }[type], name, comment].join('|');
  expect(shares.map(line).toSorted()).toEqual(await smbclientShares(samba));
  expect(shares).toContainEqual({
    name: 'share 7',
    type: 'disk',
    isSpecial: false,
    comment: `Größe 7 ${'x'.repeat(60)}`,
  });
  expect(shares.find(({ name }) => name === 'IPC$')).toMatchObject({ type: 'pipe', isSpecial: true });
  await rejection(client.shares({ signal: AbortSignal.abort() }), 'ABORTED');
});

test('smbclient reads what this client writes', async () => {
  const projects = client.share(samba.projectShare);
  await projects.mkdir('ours\\Unterordner\\tief', { recursive: true });
  for (const [path, data] of Object.entries(files)) await projects.publish(`ours\\${path}`, data);
  const target = join(local, 'read');
  await mkdir(target);
  await smbclient(samba, samba.projectShare, ['cd ours', 'prompt off', 'recurse on', 'mget *'], {
    cwd: target,
  });
  await compare(join(samba.projectFolder, 'ours'), target);
});

test('this client lists, reads, and copies what smbclient writes', async () => {
  const source = join(local, 'written');
  for (const [path, data] of Object.entries(files)) {
    const full = join(source, ...path.split('\\'));
    await mkdir(join(full, '..'), { recursive: true });
    await writeFile(full, data);
  }
  const commands = ['mkdir theirs', 'cd theirs', 'prompt off', 'recurse on', 'mput *'];
  await smbclient(samba, samba.templateShare, commands, { cwd: source });
  const [template, projects] = [client.share(samba.templateShare), client.share(samba.projectShare)];
  await projects.mkdir('theirs\\Unterordner\\tief', { recursive: true });
  for (const [path, data] of Object.entries(files)) {
    expect((await template.readFile(`theirs\\${path}`)).equals(data), path).toBe(true);
    const copy = { share: template, path: `theirs\\${path}`, size: data.length };
    await projects.copyFile(copy, `theirs\\${path}`, { replace: false });
  }
  expect(await template.list('theirs\\Unterordner')).toHaveLength(2);
  await compare(source, join(samba.projectFolder, 'theirs'));
});
