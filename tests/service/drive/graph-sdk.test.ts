import {
  BatchRequestContent,
  BatchResponseContent,
  Client,
  FileUpload,
  LargeFileUploadTask,
  OneDriveLargeFileUploadTask,
  PageIterator,
  ResponseType,
} from '@microsoft/microsoft-graph-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// The stand-in with the unmodified official SDK, whose assumptions about Graph must hold.

let drive: TestDrive;
let sdk: Client;
beforeAll(async () => {
  drive = await startTestDrive();
  sdk = Client.initWithMiddleware({
    baseUrl: drive.url,
    customHosts: new Set(['localhost']),
    authProvider: { getAccessToken: () => drive.token() },
  });
});
afterAll(() => drive.close());

test('folders, a listing of several pages, select and delete', async () => {
  const root = await sdk.api(`${drive.library}/root:/SDK:/children`).post({ name: 'Ordner', folder: {} });
  const children = `${drive.library}/items/${root.id}/children`;
  for (let number = 0; number < 7; number++) {
    await sdk.api(children).post({ name: `F${number}`, folder: {} });
  }
  const names: string[] = [];
  const iterator = new PageIterator(sdk, await sdk.api(children).top(3).select(['name']).get(), (each) => {
    names.push(each.name);
    return true;
  });
  await iterator.iterate();
  expect(names).toEqual(['F0', 'F1', 'F2', 'F3', 'F4', 'F5', 'F6']);

  await expect(sdk.api(children).post({ name: 'f0', folder: {} })).rejects.toMatchObject({
    statusCode: 409,
    code: 'nameAlreadyExists',
  });
  await sdk.api(`${drive.library}/items/${root.id}`).delete();
  await expect(sdk.api(`${drive.library}/root:/SDK/Ordner`).get()).rejects.toMatchObject({ statusCode: 404 });
});

test('a simple upload, and a download through the redirect without the token', async () => {
  const path = `${drive.library}/root:/SDK/${encodeURIComponent('Übersicht #1.txt')}:/content`;
  const item = await sdk.api(path).put('Grüße');
  expect(item).toMatchObject({ name: 'Übersicht #1.txt', size: 7 });
  const bytes = await sdk.api(path).responseType(ResponseType.ARRAYBUFFER).get();
  expect(Buffer.from(bytes).toString()).toBe('Grüße');
});

test("an upload in fragments, to the library and to the user's OneDrive", async () => {
  const bytes = Buffer.alloc(5 * 327_680 + 17, 'ß');
  const session = await LargeFileUploadTask.createUploadSession(
    sdk,
    `${drive.library}/root:/SDK/Gro%C3%9F.bin:/createUploadSession`,
    { item: { '@microsoft.graph.conflictBehavior': 'replace' } },
  );
  const data = new Uint8Array(bytes).buffer;
  const file = new FileUpload(data, 'Groß.bin', bytes.length);
  const done = await new LargeFileUploadTask(sdk, file, session, { rangeSize: 2 * 327_680 }).upload();
  expect(done.responseBody).toMatchObject({ name: 'Groß.bin', size: bytes.length });

  for (const name of ['Brief.docx', 'Brief 1.docx']) {
    const own = await OneDriveLargeFileUploadTask.create(sdk, new Uint8Array(bytes), {
      fileName: 'Brief.docx',
    });
    expect((await own.upload()).responseBody).toMatchObject({ name, size: bytes.length });
  }
  const mine = await sdk.api('/me/drive').get();
  expect(mine).toMatchObject({ driveType: 'business', quota: { used: 2 * bytes.length } });
});

test('status and cancellation of an upload', async () => {
  const url = `${drive.library}/root:/SDK/weg.bin:/createUploadSession`;
  const session = await LargeFileUploadTask.createUploadSession(sdk, url, {});
  const file = new FileUpload(new ArrayBuffer(10), 'weg.bin', 10);
  const task = new LargeFileUploadTask(sdk, file, session);
  await expect(task.getStatus()).resolves.toMatchObject({ nextExpectedRanges: ['0-'] });
  await task.cancel();
  await expect(drive.admin('GET', '/sessions')).resolves.toEqual([]);
});

test('a batch whose parts depend on each other', async () => {
  const steps = [
    { id: '1', body: { name: 'Eltern', folder: {} }, path: `${drive.library}/root:/Stapel:/children` },
    { id: '2', body: { name: 'Kind', folder: {} }, path: `${drive.library}/root:/Stapel/Eltern:/children` },
  ];
  const content = new BatchRequestContent(
    steps.map(({ id, body, path }) => ({
      id,
      request: new Request(`https://graph.microsoft.com${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })),
  );
  content.addDependency('2', '1');
  const response = new BatchResponseContent(await sdk.api('/$batch').post(await content.getContent()));
  expect(response.getResponseById('1').status).toBe(201);
  expect(await response.getResponseById('2').json()).toMatchObject({ name: 'Kind' });
});

test('the SDK waits and retries when it is throttled', async () => {
  await drive.fault({ kind: 'throttled', retryAfter: '0' }, { method: 'GET' });
  await drive.admin('DELETE', '/requests');
  await expect(sdk.api(drive.library).get()).resolves.toMatchObject({ driveType: 'documentLibrary' });
  const requests = await drive.admin('GET', '/requests');
  expect(requests.map((each: { status: number }) => each.status)).toEqual([429, 200]);
});
