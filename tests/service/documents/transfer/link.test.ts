import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { stopLibraryClock, useDocuments } from '../support/documents.ts';

const { service, warmProject, upload, filesOf, list } = useDocuments();

const content = randomBytes(1000);

async function uploaded() {
  const project = await warmProject();
  const { body: document } = await upload(project.id, content);
  return { project, document, fileId: (await filesOf(project))[0]!.id };
}
const link = (documentId: string, as = people.backOffice) =>
  service.call('GET', `/documents/${documentId}/link`, { as });

test('the file is returned without a token until the link expires; the URL is never logged', async () => {
  const { document } = await uploaded();
  const { status, body, headers } = await link(document.id);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(Object.keys(body).toSorted()).toEqual(['downloadUrl', 'expiresAt']);
  const file = await fetch(body.downloadUrl);
  expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
  const livesMs = Date.parse(body.expiresAt) - Date.now();
  expect(livesMs).toBeGreaterThan(890_000);
  expect(livesMs).toBeLessThanOrEqual(900_000);

  stopLibraryClock(Date.parse(body.expiresAt) - 1);
  expect((await fetch(body.downloadUrl)).status).toBe(200);
  stopLibraryClock(Date.parse(body.expiresAt));
  expect((await fetch(body.downloadUrl)).status).toBe(401);
  expect(JSON.stringify(service.logs)).not.toMatch(/tempauth|download\.aspx/);
});

test('deleted in the library: 404 document_gone, and the record is removed from the list', async () => {
  const { document, project, fileId } = await uploaded();
  await service.admin('DELETE', `/items/${fileId}`);
  const { status, body } = await link(document.id);
  expect([status, body.code]).toEqual([404, 'document_gone']);
  expect(await list(project.id)).toEqual([]);
  expect((await link(document.id)).body.code).toBe('document_not_found');
  expect((await link(randomUUID())).body.code).toBe('document_not_found');
});

test('hidden from the caller with its folder: 403, and nothing changes', async () => {
  const { document, project } = await uploaded();
  await service.admin('PATCH', `/items/${project.folderId}`, { hiddenFrom: [people.backOffice.oid] });
  const { status, body } = await link(document.id);
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  expect(await list(project.id)).toEqual([document]);
  expect((await link(document.id, people.projectManager)).status).toBe(200);
});

const versions = (documentId: string) =>
  service.call('GET', `/documents/${documentId}/versions`, { as: people.backOffice });
const linkVersion = (documentId: string, versionId: string) =>
  service.call('GET', `/documents/${documentId}/versions/${versionId}/link`, { as: people.backOffice });

test('each version is listed and returned as it was, also the current one; the URL is never logged', async () => {
  const project = await warmProject();
  await upload(project.id, Buffer.from('erste'), { as: people.backOffice });
  const { body: document } = await upload(project.id, Buffer.from('zweite Fassung'));
  const { status, body } = await versions(document.id);
  expect([status, body.items]).toEqual([
    200,
    [
      expect.objectContaining({ versionId: '2.0', size: 14, isCurrent: true }),
      expect.objectContaining({ versionId: '1.0', size: 5, isCurrent: false }),
    ],
  ]);
  expect(body.items.map(({ modifiedByName }: any) => modifiedByName)).toEqual([
    people.projectManager.name,
    people.backOffice.name,
  ]);
  for (const [versionId, text] of [
    ['1.0', 'erste'],
    ['2.0', 'zweite Fassung'],
  ] as const) {
    const { body: itsLink } = await linkVersion(document.id, versionId);
    expect(await (await fetch(itsLink.downloadUrl)).text()).toBe(text);
    expect(Date.parse(itsLink.expiresAt)).toBeGreaterThan(Date.now());
  }
  expect(JSON.stringify(service.logs)).not.toMatch(/tempauth|download\.aspx/);

  const missing = await linkVersion(document.id, '7.0');
  expect([missing.status, missing.body.code]).toEqual([404, 'version_not_found']);
  // Only what the library does not find is no version.
  await service.admin('POST', '/faults', {
    fault: { kind: 'error', status: 403, code: 'accessDenied' },
    on: { method: 'GET', url: '/versions/1.0/content' },
  });
  const denied = await linkVersion(document.id, '1.0');
  expect([denied.status, denied.body.code]).toEqual([403, 'library_access_denied']);
  expect((await linkVersion(document.id, 'a')).body.errors).toMatchObject([{ path: 'params.versionId' }]);
  expect(await list(project.id)).toMatchObject([{ id: document.id }]);
});

test('a library without versioning has the current version only; those of a file that is gone are gone with it', async () => {
  await service.admin('PATCH', '/settings', { versioning: 'none' });
  const project = await warmProject();
  await upload(project.id, Buffer.from('erste'));
  const { body: document } = await upload(project.id, Buffer.from('zweite'));
  expect((await versions(document.id)).body.items).toMatchObject([{ size: 6, isCurrent: true }]);
  await service.admin('DELETE', `/items/${(await filesOf(project))[0]!.id}`);
  expect((await versions(document.id)).body.code).toBe('document_gone');
  expect((await linkVersion(document.id, '1.0')).body.code).toBe('document_not_found');
});
