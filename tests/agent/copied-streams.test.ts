import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect } from 'vitest';
import { copyTemplate } from '../../agent/copy/template-copy.ts';
import { SmbClient } from '../../agent/smb/index.ts';
import type { Samba } from '../../agent/smb/tests/samba/samba.ts';
import { startSamba } from '../../agent/smb/tests/support/samba.ts';
import { bytesOf } from '../../agent/smb/tests/contract/index.ts';
import { clientOptions } from '../../agent/smb/tests/samba-client.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

// Alternate data streams are not copied, and a copy reports them.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(templateLines: readonly string[] = []) {
  const samba = await startSamba({ templateLines });
  ends.push(() => samba.stop());
  await writeFile(join(samba.templateFolder, 'plan.docx'), bytesOf(4_000));
  await writeFile(join(samba.templateFolder, 'model.dwg'), bytesOf(2_000_000));
  await writeFile(join(samba.templateFolder, 'plain.txt'), bytesOf(10));
  await writeFile(join(samba.templateFolder, 'empty.txt'), '');
  return samba;
}

async function addStream({ host, port, account }: Samba, path: string): Promise<void> {
  const { user, password, domain } = account;
  const put = `put /etc/hostname ${path}`;
  const share = `//${host}/template`;
  await promisify(execFile)('smbclient', [
    share,
    '-p',
    `${port}`,
    '-U',
    `${domain}\\${user}%${password}`,
    '-c',
    put,
  ]);
}

async function copied(samba: Samba, path: string, serverSideCopy: boolean) {
  const queries = { count: 0 };
  const client = new SmbClient({
    ...clientOptions(samba),
    serverSideCopy,
    trace: ({ direction, what }) => {
      if (direction === 'sent' && what === 'QUERY_INFO') queries.count += 1;
    },
  });
  ends.push(() => client.close());
  const projects = client.share(samba.projectShare);
  await projects.ensureDirectory(path);
  const template = client.share(samba.templateShare);
  const { filesCreated, streamsLost } = await copyTemplate(template, projects.folder(path));
  expect(filesCreated).toBe(4);
  return { streamsLost, queries: queries.count };
}

requires('samba', 'smbclient').test.each([true, false])(
  'streams are listed for each file that has any; server-side copy: %s',
  async (serverSideCopy) => {
    const samba = await started(['vfs objects = streams_xattr']);
    await addStream(samba, 'plan.docx:Zone.Identifier');
    await addStream(samba, 'model.dwg:Vorschau');
    const { streamsLost } = await copied(samba, 'x', serverSideCopy);
    expect(streamsLost.first.toSorted()).toEqual([
      'model.dwg (:Vorschau:$DATA)',
      'plan.docx (:Zone.Identifier:$DATA)',
    ]);
    expect(streamsLost.count).toBe(2);
  },
);

requires('samba').test('a share without streams is queried once, not for each file', async () => {
  const { streamsLost, queries } = await copied(await started(), 'x', true);
  expect(streamsLost.count).toBe(0);
  expect(queries).toBe(1);
});
