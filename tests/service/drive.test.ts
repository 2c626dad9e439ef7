import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startTestDrive, type TestDrive } from '../support/test-drive.ts';

let drive: TestDrive;
beforeAll(async () => {
  drive = await startTestDrive();
});
afterAll(() => drive.close());

test('a folder is made, listed and found by path in any case', async () => {
  const { library, graph } = drive;
  const made = await graph('POST', `${library}/root:/Projekte:/children`, {
    body: { name: '02_Aufträge', folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
  });
  expect(made).toMatchObject({ status: 201, body: { name: '02_Aufträge', folder: { childCount: 0 } } });
  const found = await graph('GET', `${library}/root:/projekte/02_AUFTR%C3%84GE`);
  expect(found).toMatchObject({ status: 200, body: { id: made.body.id } });
  const listed = await graph('GET', `${library}/root:/Projekte:/children`);
  expect(listed.body.value.map((each: { id: string }) => each.id)).toEqual([made.body.id]);
});

test('a file goes up by PUT, comes down over the other origin and is deleted', async () => {
  const { library, graph } = drive;
  const put = await graph('PUT', `${library}/root:/A/Plan%20%23%25+%C3%A4.txt:/content`, { body: 'Hallo' });
  expect(put).toMatchObject({ status: 201, body: { name: 'Plan #%+ä.txt', size: 5 } });
  const redirect = await graph('GET', `${library}/items/${put.body.id}/content`);
  expect(redirect.status).toBe(302);
  const download = await call(redirect.headers.get('location') ?? '');
  expect(download).toMatchObject({ status: 200, body: 'Hallo' });
  expect((await graph('DELETE', `${library}/items/${put.body.id}`)).status).toBe(204);
  expect((await graph('DELETE', `${library}/items/${put.body.id}`)).body.error.code).toBe('itemNotFound');
});

test('a file goes up in fragments of a session', async () => {
  const { library, graph } = drive;
  const bytes = Buffer.alloc(327_680 * 2 + 5, 'äöü');
  const session = await graph('POST', `${library}/root:/B/gro%C3%9F.bin:/createUploadSession`, {
    body: { item: { '@microsoft.graph.conflictBehavior': 'fail', name: 'groß.bin' } },
  });
  expect(session).toMatchObject({ status: 200, body: { nextExpectedRanges: ['0-'] } });
  const put = (start: number, end: number) =>
    call(session.body.uploadUrl, {
      method: 'PUT',
      headers: { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` },
      body: bytes.subarray(start, end),
    });
  expect(await put(0, 327_680)).toMatchObject({ status: 202, body: { nextExpectedRanges: ['327680-'] } });
  expect(await put(327_680, bytes.length)).toMatchObject({ status: 201, body: { size: bytes.length } });
  expect((await call(session.body.uploadUrl)).status).toBe(404);
});
