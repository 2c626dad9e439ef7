import { expect, test } from 'vitest';
import { z } from 'zod';
import { newActivity, newLetter } from '../../../lib/activities/activity.ts';
import { newContact } from '../../../lib/contacts/contact.ts';
import {
  claimBody,
  claimRouting,
  folderRequestReport,
  newFolderRequest,
} from '../../../lib/contract/folder-requests.ts';
import { reason } from '../../../lib/contract/faults.ts';
import { subfolders } from '../../../lib/contract/subfolders.ts';
import { pageLimit, searchText } from '../../../lib/http/paging.ts';
import { faultsOf, rejectionOf } from '../../../lib/http/request-faults.ts';
import { newDirectUpload } from '../../../lib/project-documents/transfer/direct-upload.ts';
import { newProject } from '../../../lib/projects/project.ts';

const order = { activityType: 'Email', contactId: crypto.randomUUID(), description: 'x' };
const letter = { contactId: order.contactId, subject: 'x', content: 'x' };
const upload = { folderName: '01_Angebote', fileName: 'a', size: 1 };

test.each<[z.ZodType, unknown, ...string[]]>([
  [newProject, {}, 'body.number is missing', 'body.name is missing'],
  [newProject, { number: 7, name: 'n' }, 'body.number must be of type string'],
  [newProject, { number: 'ä', name: 'n' }, 'body.number must be 1 to 40 of A-Z a-z 0-9 . _ -'],
  [newProject, { number: '1', name: ' ' }, 'body.name must not be empty'],
  [newProject, { number: '1', name: 'n'.repeat(401) }, 'body.name must not be longer than 400 characters'],
  [newProject, { number: '1', name: 'n'.repeat(4001) }, 'body.name must not be longer than 400 characters'],
  [newProject, { number: '1', name: 'n', more: 1 }, 'body.more is not a known name'],
  [
    newContact,
    { email: 'a' },
    'body.email must be an email address',
    'body must have a lastName or a company',
  ],
  [newContact, { lastName: 'a\nb' }, 'body.lastName must not contain control characters or line separators'],
  [newActivity, { ...order, activityType: 'Fax' }, 'body.activityType must be one of Email, Document'],
  [
    newActivity,
    { ...order, language: 'xx-' },
    'body.language must be the BCP 47 tag of a language, such as de or en-GB',
  ],
  [newActivity, { ...order, recipient: 'a@b.de' }, 'body.recipient is not a known name'],
  [newActivity, { ...order, tone: 'rude' }, 'body.tone must be one of formal, friendly, brief'],
  [newActivity, { ...order, previous: { subject: 'x' } }, 'body.previous.content is missing'],
  [
    newActivity,
    { ...order, projectId: 'p', store: true, template: 'x', fileIn: '07_Protokolle', pdf: true },
    'body.store is for Document only',
    'body.template is for Document only',
    'body.fileIn is for Document only',
    'body.pdf is for Document only',
  ],
  [
    newActivity,
    { ...order, activityType: 'Document', draft: true, store: false, fileIn: '07_Protokolle', pdf: true },
    'body.draft is for Email only',
    'body.fileIn needs a letter that is stored',
    'body.pdf needs a letter that is stored',
    'body.fileIn needs projectId',
  ],
  [newLetter, { ...letter, fileIn: '07_Protokolle' }, 'body.fileIn needs projectId'],
  [newActivity, { ...order, hint: 'h'.repeat(2001) }, 'body.hint must not be longer than 2000 characters'],
  [newDirectUpload, { ...upload, size: -1 }, 'body.size must be at least 0'],
  [newDirectUpload, { ...upload, size: 1.5 }, 'body.size must be of type integer'],
  [
    newDirectUpload,
    { ...upload, fileName: 'a:b' },
    'body.fileName must not contain any of " * : < > ? / \\ |',
  ],
  [
    newFolderRequest,
    { targetPath: 'a\\..\\b?' },
    'body.targetPath folder ".." would point at another folder',
    'body.targetPath folder "b?" contains ?',
  ],
  [
    claimRouting,
    { servers: [] },
    'body must name a server or set relative, because nothing could be claimed',
  ],
  [claimBody, {}, 'body must name a server or set relative, because nothing could be claimed'],
  [claimBody, { poll: 1 }, 'body must have both process and poll, or neither'],
  [claimBody, { process: 'p' }, 'body must have both process and poll, or neither'],
  [claimRouting, { servers: Array(51).fill('s') }, 'body.servers must not have more than 50 items'],
  [claimRouting, { servers: ['\\a'] }, 'body.servers.0 must be a server name without a share'],
  [folderRequestReport, { status: 'PENDING' }, 'body.status must be one of FULFILLED, FAILED'],
  [folderRequestReport, { status: null }, 'body.status must be one of FULFILLED, FAILED'],
  [folderRequestReport, {}, 'body.status is missing'],
  [z.strictObject({ limit: pageLimit }), { limit: '0' }, 'body.limit must be a whole number from 1 to 200'],
  [z.strictObject({ limit: pageLimit }), { limit: '1e1' }, 'body.limit must be a whole number from 1 to 200'],
  [z.strictObject({ search: searchText }), { search: '-' }, 'body.search must contain a letter or a digit'],
])('%#: a fault is a sentence of one style', (schema, value, ...expected) => {
  const { error } = schema.safeParse(value, { reportInput: true });
  const faults = (error?.issues ?? []).flatMap((issue) => faultsOf('body', issue));
  expect(faults.map(({ path, message }) => `${path} ${message}`)).toEqual(expected);
  // The message has nothing that code and params do not have.
  for (const { code, params, message } of faults) expect(reason(code, params).message).toBe(message);
});

test('an unknown folder has a code of its own, and fault and detail have the known ones', () => {
  const { error } = newDirectUpload.safeParse({ ...upload, folderName: '9' }, { reportInput: true });
  const faults = error!.issues.flatMap((issue) => faultsOf('body', issue));
  const allowed = subfolders.join(', ');
  expect(faults).toMatchObject([{ path: 'body.folderName', code: 'unknown_folder', params: { allowed } }]);
  const { code, facts } = rejectionOf(faults, 'The request has one fault; see errors.');
  expect([code, facts.detail]).toEqual(['unknown_folder', `folderName must be one of ${allowed}`]);
});
