import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { DocumentRecords } from '../../../../lib/project-documents/document-records/document-records.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// PATCH /documents/{id}: a file is renamed and moved within its project, as the caller.

const { service, upload: send, warmProject, list, filesOf, refresh, putByHand } = useDocuments();
const owner = people.projectManager;
const other = people.backOffice;

const put = async (projectId: string, name: string, content = name, folder = '04_Rechnungen') => {
  const { status, body } = await send(projectId, Buffer.from(content), { name, folder });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
const change = async (id: string, json: object, as = owner) => {
  const { status, body } = await service.call('PATCH', `/documents/${id}`, { as, json });
  return { status, ...body };
};
const shown = async (id: string): Promise<string[]> =>
  (await list(id))
    .map(({ folderName, folderPath, fileName }: any) => [folderName, folderPath, fileName].join(' | '))
    .toSorted();
const paths = async (project: { number: string }): Promise<string[]> =>
  (await filesOf(project)).map(({ path }) => path.split('/').slice(3).join('/')).toSorted();
const contentOf = async (id: string): Promise<string> =>
  (await service.call('GET', `/documents/${id}/download`, { as: owner })).body;

test.each([
  [{ fileName: 'RE 2.pdf' }, '04_Rechnungen', '', 'RE 2.pdf'],
  [{ folderName: '05_Verträge' }, '05_Verträge', '', 'RE.pdf'],
  [{ folderPath: '2026/Q1' }, '04_Rechnungen', '2026/Q1', 'RE.pdf'],
  [
    { folderName: '05_Vertra\u0308ge', folderPath: '/Mu\u0308ller/', fileName: 'Vertrag.pdf' },
    '05_Verträge',
    'Müller',
    'Vertrag.pdf',
  ],
  [{ fileName: 're.PDF' }, '04_Rechnungen', '', 're.PDF'],
  [{}, '04_Rechnungen', '', 'RE.pdf'],
])('%j: the file, its record and its content', async (given, folderName, folderPath, fileName) => {
  const project = await warmProject();
  const { id, uploadedAt } = await put(project.id, 'RE.pdf', 'content');
  // By another colleague, and twice: repeating it changes nothing.
  for (let time = 1; time <= 2; time += 1) {
    const changed = await change(id, given, other);
    expect(changed).toMatchObject({ status: 200, id, folderName, folderPath, fileName, uploadedAt });
    expect(changed.uploadedByUserId).toBe(owner.oid);
  }
  expect(await shown(project.id)).toEqual([[folderName, folderPath, fileName].join(' | ')]);
  expect(await paths(project)).toEqual([[folderName, folderPath, fileName].filter(Boolean).join('/')]);
  expect(await contentOf(id)).toBe('content');
  expect((await refresh(project.id)).body).toMatchObject({ added: 0, updated: 0, missing: 0 });
});

test('a file in a nested folder goes to the top of another subfolder, and back to a folder that exists', async () => {
  const project = await warmProject();
  const { id } = await put(project.id, 'A.pdf');
  await change(id, { folderPath: '2026' });
  await service.forgetRequests();
  expect(await change(id, { folderName: '07_Protokolle' })).toMatchObject({ folderPath: '' });
  // The item and the former subfolder; the root and its children, which the new one is found in; and the move.
  expect(await service.requests()).toHaveLength(5);
  await service.forgetRequests();
  expect(await change(id, { folderName: '04_Rechnungen', folderPath: '2026' })).toMatchObject({
    status: 200,
  });
  expect(await paths(project)).toEqual(['04_Rechnungen/2026/A.pdf']);
  const methods = (await service.requests())
    .filter(({ host }) => host === 'graph')
    .map(({ method }) => method);
  // The item; the root and its children, which the subfolder is found in; the nested folder; and the move.
  expect(methods.filter((method) => method !== 'GET')).toEqual(['PATCH']);
  expect(methods.length).toBeLessThanOrEqual(7);
});

describe('if a file has the name', () => {
  const two = async () => {
    const project = await warmProject();
    const moved = await put(project.id, 'Plan.pdf', 'moved');
    const there = await put(project.id, 'Plan.pdf', 'there', '05_Verträge');
    return { project, moved, there };
  };

  test.each([{}, { conflictBehavior: 'fail' }])('%j: 409, and both files remain', async (given) => {
    const { project, moved, there } = await two();
    const { status, code, params } = await change(moved.id, { folderName: '05_Verträge', ...given });
    expect([status, code, params]).toEqual([409, 'file_exists', { name: 'Plan.pdf' }]);
    expect(await paths(project)).toEqual(['04_Rechnungen/Plan.pdf', '05_Verträge/Plan.pdf']);
    expect([await contentOf(moved.id), await contentOf(there.id)]).toEqual(['moved', 'there']);
  });

  test('rename: a number is added', async () => {
    const { project, moved, there } = await two();
    const changed = await change(moved.id, { folderName: '05_Verträge', conflictBehavior: 'rename' });
    expect(changed).toMatchObject({ status: 200, fileName: 'Plan 1.pdf' });
    expect(await shown(project.id)).toEqual(['05_Verträge |  | Plan 1.pdf', '05_Verträge |  | Plan.pdf']);
    expect([await contentOf(moved.id), await contentOf(there.id)]).toEqual(['moved', 'there']);
  });

  test('replace: the other is in the recycle bin, and its record is gone', async () => {
    const { project, moved, there } = await two();
    const changed = await change(moved.id, { folderName: '05_Verträge', conflictBehavior: 'replace' });
    expect(changed).toMatchObject({ status: 200, id: moved.id, fileName: 'Plan.pdf' });
    expect(await shown(project.id)).toEqual(['05_Verträge |  | Plan.pdf']);
    expect(await contentOf(moved.id)).toBe('moved');
    expect((await service.call('GET', `/documents/${there.id}/download`, { as: owner })).body.code).toBe(
      'document_not_found',
    );
    expect(JSON.stringify(service.logs)).toContain('document_replaced');
  });

  test('and it is a folder or a notebook: 409 with each behavior', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'Plan.pdf');
    for (const [kind, folderName] of [
      ['folder', '05_Verträge'],
      ['package', '07_Protokolle'],
    ] as const) {
      await service.admin('POST', `/items/${project.folder(folderName)}`, { names: ['Plan.pdf'], kind });
      for (const conflictBehavior of ['fail', 'replace']) {
        const { status, code } = await change(id, { folderName, conflictBehavior });
        expect([kind, status, code]).toEqual([kind, 409, 'file_exists']);
      }
    }
    const kept = (await service.items()).filter(
      ({ path }) => path.includes(project.number) && path.endsWith('/Plan.pdf'),
    );
    expect(kept).toHaveLength(3);
  });

  test.each(['fail', 'replace'])(
    'and it is the file itself (%s): it has the name',
    async (conflictBehavior) => {
      const project = await warmProject();
      const { id } = await put(project.id, 'RE.pdf', 'kept');
      await service.fault({ kind: 'error', status: 409, code: 'nameAlreadyExists' }, { method: 'PATCH' });
      const changed = await change(id, { fileName: 're.PDF', conflictBehavior });
      expect(changed).toMatchObject({ status: 200, fileName: 're.PDF' });
      expect(await contentOf(id)).toBe('kept');
    },
  );

  test('that nobody sees: 409, as for the upload of another program', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await service.fault({ kind: 'error', status: 409, code: 'nameAlreadyExists' }, { method: 'PATCH' });
    const { status, code, params } = await change(id, { fileName: 'Neu.pdf', conflictBehavior: 'replace' });
    expect([status, code, params]).toEqual([409, 'upload_in_progress', { name: 'Neu.pdf' }]);
    expect(await paths(project)).toEqual(['04_Rechnungen/RE.pdf']);
  });

  test('and the library rejects rename, too: the other file is not deleted', async () => {
    const { project, moved, there } = await two();
    const taken = { kind: 'error', status: 409, code: 'nameAlreadyExists' };
    await service.fault(taken, { method: 'PATCH' });
    const { status } = await change(moved.id, { folderName: '05_Verträge', conflictBehavior: 'rename' });
    expect(status).toBe(502);
    expect(await paths(project)).toEqual(['04_Rechnungen/Plan.pdf', '05_Verträge/Plan.pdf']);
    expect(await contentOf(there.id)).toBe('there');
  });
});

describe('replace, step by step: no file is lost, and none is deleted before the other has its name', () => {
  const two = async () => {
    const project = await warmProject();
    const moved = await put(project.id, 'Plan.pdf', 'moved');
    const there = await put(project.id, 'Plan.pdf', 'there', '05_Verträge');
    service.logs.length = 0;
    const replace = () => change(moved.id, { folderName: '05_Verträge', conflictBehavior: 'replace' });
    return { project, moved, there, replace };
  };
  /** Of the third PATCH, the first two of which are the rejected move and the other name of the file that is there. */
  const thirdPatch = { method: 'PATCH', skip: 2 };
  const aside = expect.stringMatching(/^05_Verträge\/Plan \(ersetzt [\da-f]{8}\)\.pdf$/);
  const remains = () => service.logs.filter(({ message }) => message.includes('replaced_file_remains'));

  test('the move fails when the name is free: both are where they were', async () => {
    const { project, moved, there, replace } = await two();
    await service.fault({ kind: 'locked' }, thirdPatch);
    expect(await replace()).toMatchObject({ status: 423, code: 'document_locked' });
    expect(await paths(project)).toEqual(['04_Rechnungen/Plan.pdf', '05_Verträge/Plan.pdf']);
    expect([await contentOf(moved.id), await contentOf(there.id)]).toEqual(['moved', 'there']);
    expect(await shown(project.id)).toHaveLength(2);
  });

  test('the file that is there is locked: nothing has changed', async () => {
    const { project, there, replace } = await two();
    await service.fault({ kind: 'locked' }, { method: 'PATCH', url: '/items/', skip: 1 });
    await service.forgetRequests();
    expect(await replace()).toMatchObject({ status: 423 });
    // It has its name, so it is not put back.
    expect((await service.requests()).filter(({ method }) => method === 'PATCH')).toHaveLength(2);
    expect(await paths(project)).toEqual(['04_Rechnungen/Plan.pdf', '05_Verträge/Plan.pdf']);
    expect(await contentOf(there.id)).toBe('there');
  });

  test.each([1, 2])('the response to PATCH %i is lost: one file, with one record', async (skip) => {
    const { project, moved, replace } = await two();
    await service.fault({ kind: 'lost-response' }, { method: 'PATCH', skip });
    expect(await replace()).toMatchObject({ status: 200, fileName: 'Plan.pdf' });
    expect(await paths(project)).toEqual(['05_Verträge/Plan.pdf']);
    expect(await contentOf(moved.id)).toBe('moved');
    expect(await shown(project.id)).toEqual(['05_Verträge |  | Plan.pdf']);
  });

  test('the deletion is rejected: the replaced file remains beside it, in the list, too', async () => {
    const { project, there, replace } = await two();
    await service.fault({ kind: 'error', status: 403, code: 'accessDenied' }, { method: 'DELETE' });
    expect(await replace()).toMatchObject({ status: 200, fileName: 'Plan.pdf' });
    expect(await paths(project)).toEqual([aside, '05_Verträge/Plan.pdf']);
    expect(await contentOf(there.id)).toBe('there');
    expect(await shown(project.id)).toHaveLength(2);
    await expect.poll(remains).toHaveLength(1);
  });

  test('somebody changes the replaced file meanwhile: it remains', async () => {
    const { project, there, replace } = await two();
    await service.fault({ kind: 'throttled', retryAfter: '2' }, thirdPatch);
    await service.forgetRequests();
    const replaced = replace();
    const patches = async () => (await service.requests()).filter(({ method }) => method === 'PATCH').length;
    await expect.poll(patches).toBe(3);
    const file = (await filesOf(project)).find(({ path }) => path.includes('(ersetzt '))!;
    await putByHand(project.folder('05_Verträge'), file.path.split('/').at(-1)!, 'changed by hand');
    expect(await replaced).toMatchObject({ status: 200, fileName: 'Plan.pdf' });
    expect(await paths(project)).toEqual([aside, '05_Verträge/Plan.pdf']);
    expect(await contentOf(there.id)).toBe('changed by hand');
    await expect.poll(remains).toHaveLength(1);
  });
});

describe('the library', () => {
  const patch = { method: 'PATCH' };

  test.each([
    ['lost-response', 1],
    ['throttled', 3],
  ])('%s: the file is moved once', async (kind, times) => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await put(project.id, 'Da.pdf', 'other', '05_Verträge');
    await service.fault({ kind, ...(kind === 'throttled' && { retryAfter: '0' }) }, { ...patch, times });
    await service.forgetRequests();
    const changed = await change(id, {
      folderName: '05_Verträge',
      fileName: 'Da.pdf',
      conflictBehavior: 'rename',
    });
    expect(changed).toMatchObject({ status: 200, fileName: 'Da 1.pdf' });
    const sent = (await service.requests()).filter(({ method }) => method === 'PATCH');
    expect(sent).toHaveLength(kind === 'lost-response' ? 1 : times + 1);
    expect(await paths(project)).toEqual(['05_Verträge/Da 1.pdf', '05_Verträge/Da.pdf']);
    expect(await shown(project.id)).toEqual(['05_Verträge |  | Da 1.pdf', '05_Verträge |  | Da.pdf']);
  });

  test('says that the file was changed meanwhile: it is read again, and the change is made', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    const changed = { kind: 'error', status: 412, code: 'resourceModified' };
    await service.fault(changed, { ...patch, times: 3 });
    expect(await change(id, { fileName: 'Neu.pdf' })).toMatchObject({ status: 200, fileName: 'Neu.pdf' });
    await service.fault(changed, { ...patch, times: 4 });
    expect(await change(id, { fileName: 'Nie.pdf' })).toMatchObject({ status: 502, code: 'library_error' });
    expect(await shown(project.id)).toEqual(['04_Rechnungen |  | Neu.pdf']);
  });

  test('sends no tag of the file: nothing is changed or deleted without one', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    for (const call of [
      () => change(id, { fileName: 'Neu.pdf' }),
      async () => (await service.call('DELETE', `/documents/${id}`, { as: owner })).body,
    ]) {
      await service.fault({ kind: 'tag-absent' }, { method: 'GET' });
      expect(await call()).toMatchObject({ status: 502, code: 'library_error' });
    }
    expect(await shown(project.id)).toEqual(['04_Rechnungen |  | RE.pdf']);
    expect(await contentOf(id)).toBe('RE.pdf');
  });

  test('has given the file its name, but not its place: the place follows', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await service.fault({ kind: 'half-moved' }, patch);
    const changed = await change(id, { folderName: '05_Verträge', fileName: 'Neu.pdf' });
    expect(changed).toMatchObject({ status: 200, folderName: '05_Verträge', fileName: 'Neu.pdf' });
    expect(await paths(project)).toEqual(['05_Verträge/Neu.pdf']);
    expect(await shown(project.id)).toEqual(['05_Verträge |  | Neu.pdf']);
  });

  test('has the file locked: 423, and nothing changes', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.docx');
    await service.fault({ kind: 'locked' }, patch);
    expect(await change(id, { fileName: 'Neu.docx' })).toMatchObject({
      status: 423,
      code: 'document_locked',
    });
    expect(await shown(project.id)).toEqual(['04_Rechnungen |  | RE.docx']);
  });

  test('hides the folder from the caller: 403, and no second folder', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await service.admin('PATCH', `/items/${project.folder('05_Verträge')}`, { hiddenFrom: [owner.oid] });
    const { status, code } = await change(id, { folderName: '05_Verträge' });
    expect([status, code]).toEqual([403, 'library_access_denied']);
    expect(await paths(project)).toEqual(['04_Rechnungen/RE.pdf']);
  });

  test('loses the subfolder while the folder below it is created: all is read again', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    const subfolder = project.folder('05_Verträge');
    const lost = { kind: 'error', status: 404, code: 'itemNotFound' };
    // The folder below it is read first.
    await service.fault(lost, { method: 'GET', url: `/items/${subfolder}`, skip: 1 });
    expect(await change(id, { folderName: '05_Verträge', folderPath: '2026' })).toMatchObject({
      status: 200,
    });
    expect(await paths(project)).toEqual(['05_Verträge/2026/RE.pdf']);
  });

  test('no longer has the subfolder of a project that is deleted: 403, and the file remains', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await service.admin('DELETE', `/items/${project.folder('05_Verträge')}`);
    await service.call('DELETE', `/projects/${project.id}`, { as: people.administrator });
    const { status, code } = await change(id, { folderName: '05_Verträge' });
    expect([status, code]).toEqual([403, 'library_access_denied']);
    expect(await paths(project)).toEqual(['04_Rechnungen/RE.pdf']);
  });

  test('responds late, and the record is deleted meanwhile: a refresh adds the file again', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await service.admin('PATCH', '/settings', { responseDelayMs: 1000 });
    const changed = change(id, { fileName: 'Neu.pdf' });
    await expect.poll(() => paths(project), { timeout: 10_000 }).toEqual(['04_Rechnungen/Neu.pdf']);
    await new DocumentRecords(service.table('ProjectDocuments'), systemClock).remove(id);
    expect(await changed).toMatchObject({ status: 200, fileName: 'Neu.pdf', folderName: '04_Rechnungen' });
    expect(await shown(project.id)).toEqual([]);
    await service.admin('DELETE', '/settings');
    expect((await refresh(project.id)).body).toMatchObject({ added: 1 });
    expect(await shown(project.id)).toEqual(['04_Rechnungen |  | Neu.pdf']);
  });

  test('no longer has the subfolder: it is created', async () => {
    const project = await warmProject();
    const { id } = await put(project.id, 'RE.pdf');
    await service.admin('DELETE', `/items/${project.folder('05_Verträge')}`);
    expect(await change(id, { folderName: '05_Verträge' })).toMatchObject({ status: 200 });
    expect(await paths(project)).toEqual(['05_Verträge/RE.pdf']);
  });

  test('no longer has the file, or has it in another project: 404', async () => {
    const [project, another] = [await warmProject(), await warmProject()];
    const [gone, left] = [await put(project.id, 'gone.pdf'), await put(project.id, 'left.pdf')];
    const files = await filesOf(project);
    const itemOf = (name: string) => files.find(({ path }) => path.endsWith(name))!.id;
    await service.library('DELETE', `/items/${itemOf('gone.pdf')}`, { as: owner });
    const parentId = another.folder('04_Rechnungen');
    await service.admin('PATCH', `/items/${itemOf('left.pdf')}`, { parentId });
    for (const { id } of [gone, left]) {
      const { status, code } = await change(id, { fileName: 'x.pdf' });
      expect([status, code]).toEqual([404, 'document_gone']);
    }
    expect(await paths(another)).toEqual(['04_Rechnungen/left.pdf']);
    expect((await change(crypto.randomUUID(), { fileName: 'x.pdf' })).code).toBe('document_not_found');
  });
});

test('a crash between the library and the record: whoever reads the file next corrects it', async () => {
  const project = await warmProject();
  const { id } = await put(project.id, 'RE.pdf');
  const [item] = await filesOf(project);
  const parentReference = { id: project.folder('05_Verträge') };
  await service.library('PATCH', `/items/${item!.id}`, {
    as: owner,
    json: { name: 'Neu.pdf', parentReference },
  });
  expect(await change(id, { fileName: 'Neu.pdf', folderName: '05_Verträge' })).toMatchObject({ status: 200 });
  expect(await shown(project.id)).toEqual(['05_Verträge |  | Neu.pdf']);
});

test.each([
  [{ fileName: 'a:b.pdf' }, 'body.fileName', 'forbidden_characters'],
  [{ fileName: '' }, 'body.fileName', 'empty'],
  [{ folderName: '09_Neu' }, 'body.folderName', 'unknown_folder'],
  [{ folderPath: 'a/../b' }, 'body.folderPath', 'path_dots'],
  [{ conflictBehavior: 'ask' }, 'body.conflictBehavior', 'unknown_value'],
  [{ name: 'x.pdf' }, 'body.name', 'unknown_field'],
])('%j is 400 and named', async (given, path, code) => {
  const { status, errors } = await change(crypto.randomUUID(), given);
  expect([status, errors]).toEqual([400, [expect.objectContaining({ path, code })]]);
});
