import { DefaultHeaders, DefaultInit, type GraphFI, graphfi } from '@pnp/graph';
import '@pnp/graph/batching.js';
import '@pnp/graph/files/index.js';
import type { IDrives } from '@pnp/graph/files/types.js';
import '@pnp/graph/users/index.js';
import { BrowserFetchWithRetry, DefaultParse, type Queryable } from '@pnp/queryable';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// The stand-in with unmodified PnPjs.

// Its type augmentations require a different module resolution.
interface Graph extends GraphFI {
  drives: IDrives;
  me: () => Promise<{ displayName: string }>;
  batched: () => [Graph, () => Promise<void>];
}

let drive: TestDrive;
let graph: Graph;
beforeAll(async () => {
  drive = await startTestDrive();
  graph = graphfi().using(
    DefaultInit(`${drive.url}/v1.0`),
    DefaultHeaders(),
    BrowserFetchWithRetry(),
    DefaultParse(),
    bearer,
  ) as Graph;
});
afterAll(() => drive.close());

/** Like the authentication of PnPjs, which sends the token to Graph only. */
function bearer(instance: Queryable): Queryable {
  instance.on.auth.replace(async (url, init) => {
    if (url.toString().startsWith(drive.url)) {
      const headers = { ...(init.headers as Record<string, string>) };
      return [url, { ...init, headers: { ...headers, Authorization: `Bearer ${await drive.token()}` } }];
    }
    return [url, init];
  });
  return instance;
}

const library = () => graph.drives.getById(drive.driveId);

test("folders: PnPjs's default is rename", async () => {
  await expect(library().root.children.addFolder({ name: 'Ablage' })).resolves.toMatchObject({
    name: 'Ablage',
  });
  await expect(library().root.children.addFolder({ name: 'Ablage' })).resolves.toMatchObject({
    name: 'Ablage 1',
  });
  const folder = await library().getItemByPath('Ablage')();
  await expect(library().getItemsByPath('Ablage')()).resolves.toEqual([]);
  await library()
    .getItemById(folder.id ?? '')
    .delete();
  await expect(library().getItemByPath('Ablage')()).rejects.toMatchObject({ status: 404 });
});

test('a file: created empty and filled, read back, uploaded by path, moved', async () => {
  const added = await library().root.children.add({
    filename: 'Notiz.txt',
    content: 'eins',
    contentType: 'text/plain',
  });
  expect(added).toMatchObject({ name: 'Notiz.txt', size: 4 });
  const item = library().getItemById(added.id ?? '');
  expect(await new Blob([await item.getContent()]).text()).toBe('eins');
  await item.moveItem({ name: 'Notiz 2.txt' });
  const uploaded = await library().root.upload({
    content: 'zwei!',
    contentType: 'text/plain',
    filePathName: 'Notiz 3.txt',
  });
  expect(uploaded).toMatchObject({ size: 5 });
  await expect(library().root.children()).resolves.toMatchObject([
    { name: 'Ablage 1' },
    { name: 'Notiz 2.txt' },
    { name: 'Notiz 3.txt' },
  ]);
});

test('a resumable upload, whose options PnPjs does not send', async () => {
  const bytes = Buffer.alloc(2 * 327_680, 7);
  const { id = '' } = await library().root();
  const { resumableUpload, session } = await library()
    .getItemById(id)
    .createUploadSession({ item: { name: 'Resumable.bin' } });
  expect(session.uploadUrl).toContain('tempauth=');
  const first = bytes.subarray(0, 327_680);
  await resumableUpload.upload(first.length, first, `bytes 0-327679/${bytes.length}`);
  await expect(resumableUpload.status()).resolves.toMatchObject({ nextExpectedRanges: ['327680-'] });
  await resumableUpload.upload(first.length, first, `bytes 327680-655359/${bytes.length}`);
  await expect(library().getItemByPath('Resumable.bin')()).resolves.toMatchObject({ size: bytes.length });
});

test('a batch', async () => {
  const [batched, execute] = graph.batched();
  const of = batched.drives.getById(drive.driveId).root;
  const folders = ['X', 'Y', 'Z'].map((name) => of.children.addFolder({ name, conflictBehavior: 'fail' }));
  const own = batched.me();
  await execute();
  expect((await Promise.all(folders)).map(({ name }) => name)).toEqual(['X', 'Y', 'Z']);
  await expect(own).resolves.toMatchObject({ displayName: 'Anna Amsel' });
});
