import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { User } from '../../../lib/callers/caller.ts';
import { download } from '../../../lib/document-library/download.ts';
import type { DriveItem } from '../../../lib/document-library/drive-item.ts';
import { Graph } from '../../../lib/document-library/graph.ts';
import { Library } from '../../../lib/document-library/library.ts';
import { OneToken } from '../../support/one-token.ts';
import { startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// A download whose connection breaks continues with the same content, or not at all.

const content = randomBytes(2_000_000);
const broken = { kind: 'drop-connection', afterBytes: 700_001 };
const on = { host: 'content', method: 'GET' };

let drive: TestDrive;
let tokens: OneToken;
let library: Library;
let item: DriveItem;
beforeAll(async () => {
  drive = await startTestDrive();
});
afterAll(() => drive.close());
beforeEach(async () => {
  tokens = new OneToken(() => drive.token());
  const graph = new Graph(`${drive.url}/v1.0`, tokens);
  library = new Library(graph, {} as User, { siteId: drive.siteId, driveId: drive.driveId });
  const { body } = await drive.graph('PUT', `${drive.library}/root:/Plan.bin:/content`, { body: content });
  item = await library.item(body.id);
});
afterEach(async () => {
  expect(await drive.admin('DELETE', '/faults')).toEqual([]);
});

test.each([
  ['the whole file', undefined, content],
  ['a part of it', 'bytes=1000-1499999', content.subarray(1000, 1_500_000)],
  ['its end', 'bytes=-1500000', content.subarray(500_000)],
])('%s continues where its connection broke, twice', async (_what, range, expected) => {
  await drive.fault(broken, { ...on, times: 2 });
  const { blocks, length } = await download(library, item, range);
  expect(length).toBe(expected.length);
  expect(Buffer.concat(await Array.fromAsync(blocks)).equals(expected)).toBe(true);
});

// Of a rest of a few bytes, all have arrived when it is discarded.
test.each([
  ['at a third', 700_001],
  ['ten bytes before its end', content.length - 10],
])(
  'a file that is replaced by another one of its size is cut off %s, not continued with that',
  async (_at, afterBytes) => {
    await drive.fault({ ...broken, afterBytes }, on);
    tokens.beforeCall(1, () =>
      drive.graph('PUT', `${drive.library}/items/${item.id}/content`, { body: randomBytes(content.length) }),
    );
    const { blocks } = await download(library, item, undefined);
    const received: Uint8Array[] = [];
    const readAll = async () => {
      for await (const block of blocks) received.push(Uint8Array.from(block));
    };
    await expect(readAll()).rejects.toMatchObject({ reason: 'busy' });
    const whole = Buffer.concat(received);
    expect(whole.length).toBeLessThanOrEqual(afterBytes);
    expect(whole.equals(content.subarray(0, whole.length))).toBe(true);
  },
);

test('a part that the library does not name is not continued, but requested as a whole', async () => {
  await drive.fault({ kind: 'part-unnamed' }, on);
  const { blocks, length, part } = await download(library, item, 'bytes=10-19');
  expect([length, part]).toEqual([content.length, undefined]);
  expect(Buffer.concat(await Array.fromAsync(blocks)).equals(content)).toBe(true);
});

// A library can encrypt or complete what is read, and keep the tag.
test.each([
  ['of a file of another size', { size: 16 }],
  ['that begins elsewhere', { start: 1 }],
])('a rest %s is not appended', async (_what, other) => {
  await drive.fault(broken, on);
  await drive.fault({ kind: 'part-other', ...other }, on);
  const { blocks } = await download(library, item, undefined);
  await expect(Array.fromAsync(blocks)).rejects.toMatchObject({ reason: 'busy' });
});

test.each([
  ['busy', { kind: 'error', status: 503, code: 'serviceNotAvailable' }, 'busy'],
  ['without this file', { kind: 'error', status: 404, code: 'itemNotFound' }, 'other'],
])('a content host that is always %s is asked a few times', async (_what, fault, reason) => {
  await drive.fault(fault, { ...on, times: 4 });
  await expect(download(library, item, undefined)).rejects.toMatchObject({ reason });
});

test('a file without a download URL is an error of the library', async () => {
  const { '@microsoft.graph.downloadUrl': _url, ...without } = item;
  await expect(download(library, without, undefined)).rejects.toMatchObject({ reason: 'other' });
});
