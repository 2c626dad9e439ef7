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
