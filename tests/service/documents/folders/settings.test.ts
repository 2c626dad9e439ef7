import { beforeEach, describe, expect, test } from 'vitest';
import { subfolders } from '../../../../lib/contract/subfolders.ts';
import { below, type DocumentService } from '../../../support/document-service.ts';
import { filePart, formOf, sendForm } from '../../../support/multipart.ts';
import { useDocuments } from '../support/documents.ts';

/** Without `conflictBehavior`, so the setting applies. */
const upload = (service: DocumentService, projectId: string, content: string) =>
  sendForm(
    service,
    projectId,
    formOf([{ name: 'folderName', value: '01_Angebote' }, filePart('Plan.txt', Buffer.from(content))]),
  );

/** Uploads two files of one name. @returns the status and code of the second one, and what is stored */
async function uploadTwice(service: DocumentService) {
  const project = await service.newProject();
  expect((await upload(service, project.id, 'first')).status).toBe(201);
  const { status, body } = await upload(service, project.id, 'second');
  const files = below(await service.items(), project).filter(({ kind }) => kind === 'file');
  const stored = Object.fromEntries(files.map(({ path, size }) => [path.split('/').at(-1), size]));
  return { status, code: body.code, stored };
}

describe('by default', () => {
  const { service } = useDocuments();

  test('DOCLIB_UPLOAD_CONFLICT_BEHAVIOR is "replace"', async () => {
    expect(await uploadTwice(service)).toEqual({ status: 201, stored: { 'Plan.txt': 6 } });
  });
});

describe('DOCLIB_PROJECT_ROOT_PATH of several levels, written in NFD, and DOCAPI_SCOPES with Sites.Selected alone', () => {
  const path = ['Büro', 'Aufträge', 'Laufende'];

  const { service, provision } = useDocuments({
    settings: {
      DOCLIB_PROJECT_ROOT_PATH: `/${path.join('/')}/`.normalize('NFD'),
      DOCAPI_SCOPES: 'Sites.Selected',
      DOCLIB_UPLOAD_CONFLICT_BEHAVIOR: 'fail',
    },
    // The library treats the two forms as two names, so the wrong form would be another folder.
    drive: { settings: { unicode: 'exact' } },
  });
  beforeEach(() => service.admin('PATCH', '/settings', { unicode: 'exact' }));

  async function emptyLibrary(): Promise<void> {
    const top = (await service.items()).find((item) => item.path === `/${path[0]}`);
    if (top) await service.admin('DELETE', `/items/${top.id}`);
  }

  test('DOCAPI_SCOPES: a project is provisioned, although nothing else is consented', async () => {
    const { registration } = service.idp;
    const consented = registration.consentedScopes;
    registration.consentedScopes = ['Sites.Selected'];
    try {
      expect((await provision((await service.newProject()).id)).status).toBe(200);
    } finally {
      registration.consentedScopes = consented;
    }
    await emptyLibrary();
  });

  // Starts with the outermost level. The obstacle of one level is removed before the next level is tested.
  test.each(path.map((_, depth) => [`/${path.slice(0, depth + 1).join('/')}`]))(
    'a file in the way at %s is an error that names it',
    async (taken) => {
      const made = await service.library('PUT', `/root:${taken}:/content`, { body: 'a file' });
      expect(made.status).toBe(201);
      const project = await service.newProject();
      for (const response of [await provision(project.id), await upload(service, project.id, 'x')]) {
        expect([response.status, response.body.code]).toEqual([409, 'folder_name_taken']);
        expect(response.body.detail).toContain(`${taken};`);
      }
      await service.admin('DELETE', `/items/${made.body.id}`);
    },
  );

  test('a file in the way of the root is an error that names it', async () => {
    const project = await service.newProject();
    const root = `/${path.join('/')}/${project.number}_Neubau Brücke`;
    const made = await service.library('PUT', `/root:${encodeURI(root)}:/content`, { body: 'a file' });
    expect(made.status).toBe(201);
    for (const response of [await provision(project.id), await upload(service, project.id, 'x')]) {
      expect([response.status, response.body.code]).toEqual([409, 'folder_name_taken']);
      expect(response.body.detail).toContain(`${root};`);
    }
  });

  test('not even the first level exists: still three sequential round trips', async () => {
    await emptyLibrary();
    await service.admin('PATCH', '/settings', { responseDelayMs: 1000 });
    await service.forgetRequests();
    const { status } = await provision((await service.newProject()).id);
    expect(status).toBe(200);
    expect(Math.max(...(await service.requests()).map(({ depth }) => depth))).toBe(3);
  });

  test('all levels are created once, in NFC, with the folders below', async () => {
    await emptyLibrary();
    const projects = [await service.newProject(), await service.newProject()];
    const responses = await Promise.all(projects.map(({ id }) => provision(id)));
    for (const [index, { status, body }] of responses.entries()) {
      expect(status).toBe(200);
      const root = `/${path.join('/')}/${projects[index]!.number}_Neubau Brücke`;
      expect(body.root).toMatchObject({ path: root, created: true });
      expect(body.folders.map((folder: any) => folder.path)).toEqual(
        subfolders.map((name) => `${root}/${name}`),
      );
    }
    const parents = (await service.items()).map((item) => item.path).filter((each) => !each.includes('_'));
    expect(parents.toSorted()).toEqual([
      '/',
      ...path.map((_, depth) => `/${path.slice(0, depth + 1).join('/')}`),
    ]);
    expect((await upload(service, projects[0]!.id, 'x')).status).toBe(201);
  });

  test('DOCLIB_UPLOAD_CONFLICT_BEHAVIOR "fail": the second of two files of one name is rejected', async () => {
    const stored = { 'Plan.txt': 5 };
    expect(await uploadTwice(service)).toEqual({ status: 409, code: 'file_exists', stored });
  });
});
