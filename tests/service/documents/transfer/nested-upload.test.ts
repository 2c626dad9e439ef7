import { expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { filePart, formOf, sendForm, fieldsFor } from '../../../support/multipart.ts';
import { useDocuments } from '../support/documents.ts';

// An upload names a folder below a subfolder, which exists or is created.

const { service, upload: send, warmProject, list, filesOf, leftOpen } = useDocuments();

const field = (name: string, value: string) => ({ name, value });
const upload = async (
  projectId: string,
  folderPath: string,
  name = 'RE.pdf',
  behavior = 'replace',
  headers: Record<string, string> = {},
) => {
  const fields = [...fieldsFor('04_Rechnungen', behavior), field('folderPath', folderPath)];
  const form = formOf([...fields, filePart(name, Buffer.from(`in ${folderPath}`))]);
  const { status, body } = await sendForm(service, projectId, form, { headers });
  return { status, ...body };
};
const paths = async (project: { number: string }): Promise<string[]> =>
  (await filesOf(project)).map(({ path }) => path.split('/').slice(3).join('/')).toSorted();
const requests = async () => (await service.requests()).filter(({ host }) => host === 'graph').length;

test('into a folder that exists, one that does not, and with a path in any form', async () => {
  const project = await warmProject();
  const [year] = await service.admin('POST', `/items/${project.folder('04_Rechnungen')}`, {
    names: ['2026'],
    kind: 'folder',
  });
  expect(await upload(project.id, '2026')).toMatchObject({ status: 201, folderPath: '2026' });
  // A slash at the ends, and umlauts as Macs send them.
  expect(await upload(project.id, '/2026/Mu\u0308ller/')).toMatchObject({ folderPath: '2026/Müller' });
  expect(await upload(project.id, '2027/Q1/Juli')).toMatchObject({ folderPath: '2027/Q1/Juli' });
  expect(await upload(project.id, '')).toMatchObject({ folderPath: '' });
  expect(await paths(project)).toEqual([
    '04_Rechnungen/2026/Müller/RE.pdf',
    '04_Rechnungen/2026/RE.pdf',
    '04_Rechnungen/2027/Q1/Juli/RE.pdf',
    '04_Rechnungen/RE.pdf',
  ]);
  expect((await service.items()).filter(({ path }) => path.endsWith('/2026'))).toMatchObject([
    { id: year.id },
  ]);
  expect((await list(project.id)).map(({ folderPath }: any) => folderPath as string).toSorted()).toEqual([
    '',
    '2026',
    '2026/Müller',
    '2027/Q1/Juli',
  ]);
  await service.forgetRequests();
  await upload(project.id, '2026', 'Noch eine.pdf');
  const nested = await requests();
  await service.forgetRequests();
  await upload(project.id, '', 'Noch eine.pdf');
  expect(nested - (await requests())).toBe(1);
});

test('replace and fail look into the folder of the path only', async () => {
  const project = await warmProject();
  const first = await upload(project.id, '2026');
  expect(await upload(project.id, '2026', 'RE.pdf', 'fail')).toMatchObject({
    status: 409,
    code: 'file_exists',
  });
  expect(await upload(project.id, '2025', 'RE.pdf', 'fail')).toMatchObject({ status: 201 });
  expect((await upload(project.id, '2026')).id).toBe(first.id);
  expect(await upload(project.id, '2026', 'RE.pdf', 'rename')).toMatchObject({ fileName: 'RE 1.pdf' });
});

test.each([
  ['2026//Q1', 'path_empty_name'],
  ['../05_Verträge', 'path_dots'],
  ['2026/Q:1', 'forbidden_characters'],
  ['2026 ', 'space_around'],
  ['~alt', 'reserved_start'],
  ['CON', 'device_name'],
  ['a/'.repeat(40) + 'a', 'too_many'],
  ['a'.repeat(256), 'too_long'],
  // Of names that are short enough.
  [`${'a'.repeat(200)}/${'b'.repeat(100)}`, 'too_long'],
])('the path %j is 400 %s, and nothing is created', async (folderPath, code) => {
  const project = await warmProject();
  const before = (await service.items()).length;
  expect(await upload(project.id, folderPath)).toMatchObject({
    status: 400,
    code: 'invalid_request',
    errors: [{ path: 'body.folderPath', code }],
  });
  expect((await service.items()).length).toBe(before);
});

test('a file where a folder belongs, and a folder that is hidden from the caller', async () => {
  const project = await warmProject();
  await send(project.id, Buffer.from('x'), { name: '2026', folder: '04_Rechnungen' });
  expect(await upload(project.id, '2026/Q1')).toMatchObject({ status: 409, code: 'folder_name_taken' });
  const [secret] = await service.admin('POST', `/items/${project.folder('04_Rechnungen')}`, {
    names: ['Geheim'],
    kind: 'folder',
  });
  await service.admin('PATCH', `/items/${secret.id}`, { hiddenFrom: [people.projectManager.oid] });
  expect(await upload(project.id, 'Geheim')).toMatchObject({ status: 403, code: 'library_access_denied' });
  expect(await leftOpen()).toEqual([]);
});

test('with an Idempotency-Key: the same path is the same upload, another one is not', async () => {
  const project = await warmProject();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await upload(project.id, '2026', 'RE.pdf', 'replace', headers);
  expect(await upload(project.id, '2026', 'RE.pdf', 'replace', headers)).toEqual({ ...first, status: 200 });
  // The same size.
  const other = await upload(project.id, '2025', 'RE.pdf', 'replace', headers);
  expect(other).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
});

test('a subfolder that was deleted is created again, with the path', async () => {
  const project = await warmProject();
  await service.admin('DELETE', `/items/${project.folder('04_Rechnungen')}`);
  expect(await upload(project.id, '2026')).toMatchObject({ status: 201 });
  expect(await paths(project)).toEqual(['04_Rechnungen/2026/RE.pdf']);
});

test('a subfolder that is lost again after it was provisioned: 502, and no file is anywhere', async () => {
  const project = await warmProject();
  const lost = { kind: 'error', status: 404, code: 'itemNotFound' };
  await service.fault(lost, { url: `/items/${project.folder('04_Rechnungen')}`, times: 4 });
  const { status, code } = await upload(project.id, '2026');
  expect([status, code]).toEqual([502, 'library_error']);
  expect(await paths(project)).toEqual([]);
});

test('a direct upload into a path', async () => {
  const project = await warmProject();
  const json = { folderName: '04_Rechnungen', folderPath: '2026/Q1', fileName: 'RE.bin', size: 3 };
  const uploads = `/documents/projects/${project.id}/uploads`;
  const { status, body } = await service.call('POST', uploads, { json });
  expect(status).toBe(201);
  expect((await service.call('GET', uploads)).body.items).toMatchObject([{ folderPath: '2026/Q1' }]);
  const put = await fetch(body.uploadUrl, {
    method: 'PUT',
    headers: { 'content-range': 'bytes 0-2/3' },
    body: Buffer.from('abc'),
  });
  expect(put.status).toBe(202);
  const done = await service.call('POST', `${uploads}/${body.uploadId}/complete`);
  expect([done.status, done.body.folderPath]).toEqual([201, '2026/Q1']);
  expect(await paths(project)).toEqual(['04_Rechnungen/2026/Q1/RE.bin']);
});
