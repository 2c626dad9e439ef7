import { once } from 'node:events';
import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { QuickXorHash } from '../../../local/stand-ins/drive/content/quick-xor-hash.ts';
import { liveBytes } from '../../../agent/smb/tests/support/live-bytes.ts';
import { anna, call, putFragment, startTestDrive } from '../../support/test-drive.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'drive-on-disk-'));
});

const oneUnit = Buffer.alloc(327_680, 7);

const contentFiles = () => readdir(join(dataDir, 'content'));

test("folders, files and the user's OneDrive survive a restart of the stand-in, with ids, tags and times", async () => {
  const before = await startTestDrive({ dataDir });
  const at = `${before.library}/root:/Projekte`;
  await before.graph('PUT', `${at}/A/eins.txt:/content`, { body: 'eins' });
  await before.graph('POST', `${at}:/children`, { body: { name: 'Z', folder: {} } });
  const { body: late } = await before.graph('GET', `${at}/Z`);
  const { body: early } = await before.graph('GET', `${at}/A`);
  // The parent now follows its child in the file.
  const move = { body: { parentReference: { id: late.id } } };
  await before.graph('PATCH', `${before.library}/items/${early.id}`, move);
  expect((await before.graph('GET', `${at}/Z`)).body.size).toBe(4);
  await before.graph('PUT', '/me/drive/root:/Brief.docx:/content', { body: 'Brief' });
  const { body: file } = await before.graph('GET', `${at}/Z/A/eins.txt`);
  await before.close();

  const after = await startTestDrive({ dataDir });
  const { body: found } = await after.graph('GET', `${at}/Z/A/eins.txt`);
  for (const name of [
    'id',
    'eTag',
    'cTag',
    'size',
    'file',
    'createdDateTime',
    'lastModifiedDateTime',
    'lastModifiedBy',
  ]) {
    expect(found[name], name).toEqual(file[name]);
  }
  expect((await call(found['@microsoft.graph.downloadUrl'])).body).toBe('eins');
  expect((await after.graph('GET', '/me/drive')).body).toMatchObject({
    quota: { used: 5 },
    owner: { user: { id: anna.oid } },
  });
  expect((await after.graph('GET', `${after.library}/root`)).body.size).toBe(4);
  await after.close();
});

test('the hash of a rewritten Office file is that of its stored bytes', async () => {
  const drive = await startTestDrive({ dataDir });
  await drive.fault({ kind: 'office-rewrite' });
  const path = `${drive.library}/root:/a.docx`;
  await drive.graph('PUT', `${path}:/content`, { body: 'x'.repeat(100_000) });
  const { body: item } = await drive.graph('GET', path);
  const content = Buffer.from((await call(item['@microsoft.graph.downloadUrl'])).body as string);
  expect(content.length).toBeGreaterThan(100_000);
  const hash = new QuickXorHash();
  hash.update(content);
  expect(item.file.hashes.quickXorHash).toBe(hash.base64());
  await drive.close();
});

test('no bytes remain of deleted files and their versions, or of sessions that were canceled, expired or ended by a crash', async () => {
  const drive = await startTestDrive({ dataDir });
  const path = `${drive.library}/root:/a.bin`;
  const bytes = Buffer.alloc(2 * 327_680, 1);
  const open = async () => (await drive.graph('POST', `${path}:/createUploadSession`)).body.uploadUrl;

  await drive.graph('PUT', `${path}:/content`, { body: 'alt' });
  expect(await contentFiles()).toHaveLength(1);
  // The earlier version is kept, until the file goes (A18).
  await putFragment(await open(), bytes, 0, bytes.length);
  expect(await contentFiles()).toHaveLength(2);
  await drive.graph('DELETE', path);
  expect(await contentFiles()).toHaveLength(0);

  const canceled = await open();
  await putFragment(canceled, bytes, 0, 327_680);
  expect(await contentFiles()).toHaveLength(1);
  await call(canceled, { method: 'DELETE' });
  expect(await contentFiles()).toHaveLength(0);

  await putFragment(await open(), bytes, 0, 327_680);
  await drive.admin('POST', '/clock', { advanceSeconds: 900 });
  expect(await drive.admin('GET', '/sessions')).toEqual([]);
  await expect.poll(contentFiles).toHaveLength(0);

  await open();
  await drive.close();
  expect(await contentFiles()).toHaveLength(0);
  await writeFile(join(dataDir, 'content', 'left-by-a-crash'), 'x');
  const again = await startTestDrive({ dataDir });
  expect(await contentFiles()).toHaveLength(0);
  await again.close();
});

test('a file that is shorter than an earlier broken fragment has its exact length', async () => {
  const drive = await startTestDrive({ dataDir });
  const path = `${drive.library}/root:/kurz.bin`;
  const { body } = await drive.graph('POST', `${path}:/createUploadSession`);
  const long = Buffer.alloc(4 * 327_680, 1);
  const short = Buffer.alloc(100, 2);
  await drive.fault({ kind: 'drop-connection', afterBytes: 2 * 327_680 }, { method: 'PUT' });
  await expect(putFragment(body.uploadUrl, long, 0, 3 * 327_680)).rejects.toThrow('fetch failed');
  expect((await putFragment(body.uploadUrl, short, 0, 100)).status).toBe(201);
  const [name = ''] = await contentFiles();
  expect((await stat(join(dataDir, 'content', name))).size).toBe(100);
  await drive.close();
});

test('on disk, uploaded bytes are not kept in memory', async () => {
  const drive = await startTestDrive({ dataDir });
  const { body } = await drive.graph('POST', `${drive.library}/root:/gross.bin:/createUploadSession`);
  const fragment = 180 * 327_680;
  const total = 3 * fragment;
  const before = liveBytes();
  for (let start = 0; start < total; start += fragment) {
    const headers = {
      'content-length': fragment,
      'content-range': `bytes ${start}-${start + fragment - 1}/${total}`,
    };
    // This is not fetch, which keeps copies of request bodies.
    const upload = request(body.uploadUrl, { method: 'PUT', headers });
    Readable.from(Array.from({ length: 180 }, () => oneUnit)).pipe(upload);
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    await text(response);
  }
  expect((await drive.graph('GET', `${drive.library}/root:/gross.bin`)).body.size).toBe(total);
  // 169 MiB were uploaded; a copy in memory would exceed this.
  expect(liveBytes() - before).toBeLessThan(fragment / 4);
  await drive.close();
});
