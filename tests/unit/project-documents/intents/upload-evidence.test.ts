import { expect, test } from 'vitest';
import { evidenceOf, uploadIsOverMs } from '../../../../lib/project-documents/intents/upload-evidence.ts';
import host from '../../../../host.json' with { type: 'json' };
import type { UploadIntent } from '../../../../lib/project-documents/intents/upload-intent.ts';

const at = '2026-11-20T10:00:00.000Z';
const after = '2026-11-20T10:00:05Z';
const long = '2026-11-20T09:00:00Z';
const by = (id: string) => ({ user: { id } });

const intent: UploadIntent = {
  projectId: 'p',
  folderName: '01_Angebote',
  folderId: 'folder',
  fileName: 'Plan.xlsx',
  conflictBehavior: 'replace',
  size: 1000,
  contentType: 'text/plain',
  uploadedByUserId: 'me',
  uploadedByName: null,
  startedAt: at,
  before: { at, contentTag: '"c:1"' },
};
const nothingBefore = { before: { at, contentTag: null } };

const item = {
  id: 'i',
  name: 'Plan.xlsx',
  size: 1000,
  cTag: '"c:2"',
  createdDateTime: long,
  createdBy: by('another'),
  lastModifiedDateTime: after,
  lastModifiedBy: by('me'),
};
const newItem = { ...item, createdDateTime: after, createdBy: by('me'), lastModifiedBy: by('another') };

test.each<[string, Partial<UploadIntent>, object, ReturnType<typeof evidenceOf>]>([
  ['other content of the same size', {}, item, 'sure'],
  ['rewritten over an older file', {}, { ...item, size: 1024 }, 'likely'],
  ['the previous content', {}, { ...item, cTag: '"c:1"' }, null],
  ['content without a tag', {}, { ...item, cTag: undefined }, null],
  ['content whose previous tag is unknown', { before: { at, contentTag: '' } }, item, null],
  ['written by another user', {}, { ...item, lastModifiedBy: by('another') }, null],
  ['written before the upload', {}, { ...item, lastModifiedDateTime: long }, null],
  [
    'written 30 s before, by another clock',
    {},
    { ...item, lastModifiedDateTime: '2026-11-20T09:59:30Z' },
    'sure',
  ],
  ['written 31 s before', {}, { ...item, lastModifiedDateTime: '2026-11-20T09:59:29Z' }, null],
  ['written after any upload is over', {}, { ...item, lastModifiedDateTime: '2026-11-20T10:36:00Z' }, null],
  ['written at the last moment', {}, { ...item, lastModifiedDateTime: '2026-11-20T10:35:00Z' }, 'sure'],
  ['written a second later', {}, { ...item, lastModifiedDateTime: '2026-11-20T10:35:01Z' }, null],
  [
    'written a day later by a direct upload',
    { directUploadId: 'u' },
    { ...item, lastModifiedDateTime: '2026-11-21T11:00:00Z' },
    'sure',
  ],
  [
    'written after the URL of a direct upload has expired',
    { directUploadId: 'u' },
    { ...item, lastModifiedDateTime: '2026-11-21T11:00:01Z' },
    null,
  ],
  ['written at an unknown time', {}, { ...item, lastModifiedDateTime: undefined }, null],
  ['written by an unknown user', {}, { ...item, lastModifiedBy: undefined }, null],
  ['a folder', {}, { ...item, folder: {} }, null],
  ['another size of a file that is never rewritten', { fileName: 'Plan.xlsx', size: 0 }, item, null],
  ['a new file, regardless of who changed it later', nothingBefore, newItem, 'sure'],
  ['a new file, rewritten', nothingBefore, { ...newItem, size: 1024 }, 'sure'],
  ['a file older than the check that did not find it', nothingBefore, item, null],
  ['a new file of another user', nothingBefore, { ...newItem, createdBy: by('another') }, null],
  ['renamed', { conflictBehavior: 'rename' }, { ...newItem, name: 'Plan 12.xlsx' }, 'sure'],
  ['renamed to an unrelated name', { conflictBehavior: 'rename' }, { ...newItem, name: 'Plan b.xlsx' }, null],
  ['renamed, but older', { conflictBehavior: 'rename' }, { ...item, name: 'Plan 1.xlsx' }, null],
])('%s', (_what, change, found, evidence) => {
  expect(evidenceOf({ ...intent, ...change }, { ...found } as typeof item)).toBe(evidence);
});

test('no upload is considered finished while the host still allows it to run', () => {
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = host.functionTimeout
    .split(':')
    .map(Number);
  expect(uploadIsOverMs).toBeGreaterThan(((hours * 60 + minutes) * 60 + seconds) * 1000);
});
