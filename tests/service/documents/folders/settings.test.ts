import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { subfolders } from '../../../../lib/contract/subfolders.ts';
import { below, startDocumentService, type DocumentService } from '../../../support/document-service.ts';
import { filePart, formOf, sendForm } from '../../../support/multipart.ts';

let service: DocumentService;

const provision = (projectId: string) => service.call('POST', `/documents/projects/${projectId}/provision`);

/** Without `conflictBehavior`, so the setting applies. */
const upload = (projectId: string, content: string) =>
  sendForm(
    service,
    projectId,
    formOf([{ name: 'folderName', value: '01_Angebote' }, filePart('Plan.txt', Buffer.from(content))]),
  );

describe('DOCLIB_UPLOAD_CONFLICT_BEHAVIOR', () => {
  test.each([
    ['', 201, undefined, { 'Plan.txt': 6 }],
    ['fail', 409, 'file_exists', { 'Plan.txt': 5 }],
    ['rename', 201, undefined, { 'Plan.txt': 5, 'Plan 1.txt': 6 }],
  ])('%j', async (behavior, status, code, stored) => {
    const settings = behavior === '' ? undefined : { DOCLIB_UPLOAD_CONFLICT_BEHAVIOR: behavior };
    service = await startDocumentService({ ...(settings && { settings }) });
    try {
      const project = await service.newProject();
      expect((await upload(project.id, 'first')).status).toBe(201);
      const second = await upload(project.id, 'second');
      expect([second.status, second.body.code]).toEqual([status, code]);
      const files = below(await service.items(), project).filter(({ kind }) => kind === 'file');
      expect(Object.fromEntries(files.map(({ path, size }) => [path.split('/').at(-1), size]))).toEqual(
        stored,
      );
    } finally {
      await service.stop();
    }
  });
});

describe('DOCLIB_PROJECT_ROOT_PATH of several levels, written in NFD', () => {
  const path = ['Büro', 'Aufträge', 'Laufende'];

  beforeAll(async () => {
    service = await startDocumentService({
      settings: { DOCLIB_PROJECT_ROOT_PATH: `/${path.join('/')}/`.normalize('NFD') },
      // The library treats the two forms as two names, so the wrong form would be another folder.
      drive: { settings: { unicode: 'exact' } },
    });
  });
  afterAll(() => service.stop());

  async function emptyLibrary(): Promise<void> {
    const top = (await service.items()).find((item) => item.path === `/${path[0]}`);
    if (top) await service.admin('DELETE', `/items/${top.id}`);
  }

  // Starts with the outermost level. The obstacle of one level is removed before the next level is tested.
  test.each(path.map((_, depth) => [`/${path.slice(0, depth + 1).join('/')}`]))(
    'a file in the way at %s is an error that names it',
    async (taken) => {
      const made = await service.library('PUT', `/root:${taken}:/content`, { body: 'a file' });
      expect(made.status).toBe(201);
      const project = await service.newProject();
      for (const response of [await provision(project.id), await upload(project.id, 'x')]) {
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
    for (const response of [await provision(project.id), await upload(project.id, 'x')]) {
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
    await service.admin('PATCH', '/settings', { responseDelayMs: 0 });
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
    expect((await upload(projects[0]!.id, 'x')).status).toBe(201);
  });
});

test('DOCAPI_SCOPES with Sites.Selected alone is enough', async () => {
  service = await startDocumentService({ settings: { DOCAPI_SCOPES: 'Sites.Selected' } });
  try {
    const project = await service.newProject();
    expect((await provision(project.id)).status).toBe(200);
    expect((await upload(project.id, 'content')).status).toBe(201);
  } finally {
    await service.stop();
  }
});
