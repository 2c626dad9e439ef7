import { expect, test } from 'vitest';
import { subfolders } from '../../../../lib/contract/subfolders.ts';
import { below, people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, provision } = useDocuments();

const owner = people.projectManager;
const other = people.backOffice;

async function provisioned() {
  const project = await service.newProject();
  expect((await provision(project.id)).status).toBe(200);
  const items = below(await service.items(), project);
  const folder = items.find(({ path }) => path.endsWith('/07_Protokolle'))!;
  return { project, folder, root: items.find(({ path }) => path.split('/').length === 3)! };
}

const check = async (project: { id: string }, as = other) => {
  const { status, body } = await service.call('GET', `/documents/projects/${project.id}/access`, { as });
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
};
// `access` is what 1.0.0 said.
const inFolder = (state: string) => ({ state, access: state === 'readOnly' ? 'read_only' : state });
const all = (state: string, except = state) =>
  subfolders.map((name) => ({ name, ...inFolder(name === '07_Protokolle' ? except : state) }));
const reachable = { site: 'seen', library: 'seen' };

test('everything is seen, and the check leaves nothing behind', async () => {
  const { project } = await provisioned();
  const before = (await service.items()).length;
  expect(await check(project)).toEqual({ ...reachable, root: 'seen', folders: all('seen') });
  expect((await service.items()).length).toBe(before);
  expect(await service.admin('GET', '/sessions')).toEqual([]);
});

test('a folder that is hidden from one user is hidden for this user and seen by the other', async () => {
  const { project, folder } = await provisioned();
  await service.admin('PATCH', `/items/${folder.id}`, { hiddenFrom: [other.oid] });
  expect(await check(project)).toMatchObject({ root: 'seen', folders: all('seen', 'hidden') });
  expect(await check(project, owner)).toMatchObject({ root: 'seen', folders: all('seen') });
});

test('a folder that was deleted is missing', async () => {
  const { project, folder } = await provisioned();
  await service.admin('DELETE', `/items/${folder.id}`);
  expect(await check(project)).toMatchObject({ root: 'seen', folders: all('seen', 'missing') });
});

test('a hidden root folder is hidden, a deleted one or one never created is missing', async () => {
  const { project, root } = await provisioned();
  await service.admin('PATCH', `/items/${root.id}`, { hiddenFrom: [other.oid] });
  expect(await check(project)).toEqual({ ...reachable, root: 'hidden', folders: all('hidden') });
  await service.admin('DELETE', `/items/${root.id}`);
  const missing = { ...reachable, root: 'missing', folders: all('missing') };
  expect(await check(project)).toEqual(missing);
  expect(await check(await service.newProject())).toEqual(missing);
});

test.each([
  ['full', { status: 403, code: 'quotaLimitReached' }, 200, undefined],
  ['in an unknown state', { status: 400, code: 'UnknownError', message: '' }, 502, 'library_error'],
])('a library that is %s says nothing of rights', async (_, rejection, expected, code) => {
  const { project } = await provisioned();
  await service.fault({ kind: 'error', ...rejection }, { method: 'POST', times: null });
  const { status, body } = await service.call('GET', `/documents/projects/${project.id}/access`);
  expect([status, body.code]).toEqual([expected, code]);
  if (status === 200) expect(body).toEqual({ ...reachable, root: 'seen', folders: all('seen') });
});

test('a user who may only read sees everything read only; a user without access, nothing', async () => {
  const { project } = await provisioned();
  await service.admin('PATCH', '/settings', { access: { [other.oid]: 'read' } });
  expect(await check(project)).toEqual({ ...reachable, root: 'readOnly', folders: all('readOnly') });
  await service.admin('PATCH', '/settings', { access: { [other.oid]: 'none' } });
  expect(await check(project)).toEqual({
    site: 'hidden',
    library: 'hidden',
    root: 'hidden',
    folders: all('hidden'),
  });
  const { status, body } = await service.call('POST', `/documents/projects/${project.id}/refresh`, {
    as: other,
  });
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  expect(body.detail).toContain('/access');
});
