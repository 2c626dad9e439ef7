import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { User } from '../../../lib/callers/caller.ts';
import { Graph } from '../../../lib/document-library/graph.ts';
import {
  replaceInPersonalDrive,
  uploadToPersonalDrive,
  type UploadedPersonalFile,
} from '../../../lib/document-library/personal-drive.ts';
import { OneToken } from '../../support/one-token.ts';
import { call, startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// A file in the user's OneDrive is replaced only if it is still the one that was stored.

const user = {} as User;
const contentType = 'text/plain';
let drive: TestDrive;
let tokens: OneToken;
let graph: Graph;
let stored: UploadedPersonalFile;
beforeAll(async () => {
  drive = await startTestDrive();
});
afterAll(() => drive.close());
beforeEach(async () => {
  tokens = new OneToken(() => drive.token());
  graph = new Graph(`${drive.url}/v1.0`, tokens);
  const file = { folderPath: '', name: 'Brief.docx', contentType, bytes: Buffer.from('first') };
  stored = await uploadToPersonalDrive(graph, user, file);
});

const replace = () =>
  replaceInPersonalDrive(graph, user, stored, { contentType, bytes: Buffer.from('second') });
const path = () => `/me/drive/items/${stored.id}`;
const content = async () => {
  const { body } = await drive.graph('GET', path());
  return (await call(body['@microsoft.graph.downloadUrl'])).body;
};
/** Acts between the read of the file and its replacement. */
const inBetween = (act: () => Promise<unknown>) => tokens.beforeCall(2, act);

test('a file that is as it was stored has the new content and its name', async () => {
  expect(await replace()).toMatchObject({ id: stored.id, name: stored.name });
  expect(await content()).toBe('second');
});

test('a file whose content is changed between the check and the replacement keeps the change', async () => {
  inBetween(() => drive.graph('PUT', `${path()}/content`, { body: 'of the user' }));
  expect(await replace()).toBeNull();
  expect(await content()).toBe('of the user');
});

test('a file that is renamed in between is replaced under its new name', async () => {
  const name = `${crypto.randomUUID()}.docx`;
  inBetween(() => drive.graph('PATCH', path(), { body: { name } }));
  expect(await replace()).toMatchObject({ id: stored.id, name });
  expect(await content()).toBe('second');
});

test('a file that is deleted in between is not replaced', async () => {
  inBetween(() => drive.graph('DELETE', path()));
  expect(await replace()).toBeNull();
});

test.each([
  ['rejects it as changed once', 1],
  ['rejects it as changed three times', 3],
])('a library that %s gets it again', async (_what, times) => {
  await drive.fault({ kind: 'resource-modified' }, { times });
  expect(await replace()).toMatchObject({ id: stored.id });
  expect(await content()).toBe('second');
});

test('a library that always rejects it as changed: an error', async () => {
  await drive.fault({ kind: 'resource-modified' }, { times: 4 });
  await expect(replace()).rejects.toMatchObject({ reason: 'changed' });
});

test('a file that is open in an editor is not replaced', async () => {
  await drive.fault({ kind: 'locked' }, { method: 'PUT' });
  expect(await replace()).toBeNull();
  expect(await content()).toBe('first');
});

test('another rejection is passed on at once', async () => {
  const full = { kind: 'error', status: 507, code: 'quotaLimitReached' } as const;
  await drive.fault(full, { method: 'PUT' });
  await expect(replace()).rejects.toMatchObject({ reason: 'full' });
  expect(await content()).toBe('first');
});

test('a response that was lost proves nothing: the file counts as changed', async () => {
  await drive.fault({ kind: 'lost-response' }, { method: 'PUT' });
  expect(await replace()).toBeNull();
  expect(await content()).toBe('second');
});

test('a folder that cannot be created says why', async () => {
  await drive.admin('PATCH', '/settings', { requireParents: true });
  const full = { kind: 'error', status: 507, code: 'quotaLimitReached' };
  await drive.fault(full, { method: 'POST', url: '/children' });
  const file = { folderPath: crypto.randomUUID(), name: 'Brief.docx', contentType, bytes: Buffer.from('x') };
  await expect(uploadToPersonalDrive(graph, user, file)).rejects.toMatchObject({ reason: 'full' });
  await drive.admin('DELETE', '/settings');
  expect(await drive.admin('DELETE', '/faults')).toEqual([]);
});
