import { createCipheriv } from 'node:crypto';
import { type Deployment, type DeploymentRule, require } from './deployment.ts';

// Fixed, so that a run finds what an interrupted one has left.
export const projectId = 'acce97ed-0000-4000-8000-000000000001';
export const contactId = 'acce97ed-0000-4000-8000-000000000002';
export const project = { number: 'ABNAHME', name: 'Probelauf' };
export const contact = {
  lastName: 'Abnahme',
  company: 'Prüfung & Söhne „Süd“',
  email: 'abnahme@example.com',
};
export const MiB = 1024 * 1024;
export const documents = `/documents/projects/${projectId}`;

/** The same bytes in every run, none of which follows from those before it: a part that is missing, doubled, or moved shows. */
export const content = (bytes: number): Buffer<ArrayBuffer> =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(bytes));

/** What a gateway or a proxy has cut or changed, with a status that says nothing of it. @throws Difference */
export function requireWhole(received: Buffer, bytes: number): void {
  require(received.length === bytes, `${received.length} of ${bytes} bytes come back`);
  require(content(bytes).equals(received), 'other bytes come back than were sent');
}

const removals = [
  'GET /projects/{id}',
  `GET ${documents}/uploads`,
  `DELETE ${documents}/uploads/{id}`,
  `GET ${documents}`,
  'DELETE /documents/{id}',
  'GET /folder-requests',
  'DELETE /folder-requests/{id}',
  'DELETE /projects/{id}',
  'DELETE /contacts/{id}',
];

/** Removes what this or an interrupted run has left. @throws Difference for what cannot be read or removed */
async function removeSample(deployment: Deployment): Promise<void> {
  const itemsOf = async <T>(path: string): Promise<readonly T[]> =>
    (await deployment.expect(200, 'GET', path)).body.items as T[];
  const gone = async (path: string): Promise<void> => {
    const { status } = await deployment.send('DELETE', path);
    require(status === 204 || status === 404, `DELETE returned ${status}`);
  };
  if ((await deployment.send('GET', `/projects/${projectId}`)).status === 200) {
    for (const { uploadId } of await itemsOf<{ uploadId: string }>(`${documents}/uploads`))
      await gone(`${documents}/uploads/${uploadId}`);
    for (const { id } of await itemsOf<{ id: string }>(documents)) await gone(`/documents/${id}`);
  }
  const own = `/folder-requests?requestedBy=me&projectId=${projectId}`;
  for (const { id, status } of await itemsOf<{ id: string; status: string }>(own))
    if (status === 'PENDING' || status === 'FAILED') await gone(`/folder-requests/${id}`);
  await gone(`/projects/${projectId}`);
  await gone(`/contacts/${contactId}`);
}

export const firstRemoval: DeploymentRule = {
  id: 'E2.1',
  expected: 'nothing of an earlier run is left',
  follows: 'Remove the project ABNAHME and what belongs to it by hand, then run this again.',
  stage: 'makes',
  needs: 'user',
  requests: removals,
  run: removeSample,
};

/** Also the end of a run that stops before it. */
export const lastRemoval: DeploymentRule = {
  id: 'E7.1',
  expected: 'nothing is left',
  follows: 'Run this again: a run removes first what an earlier one has left.',
  stage: 'uses',
  needs: 'user',
  requests: [...removals, 'GET /contacts/{id}'],
  async run(deployment) {
    await removeSample(deployment);
    await deployment.expect(404, 'GET', `/projects/${projectId}`);
    await deployment.expect(404, 'GET', `/contacts/${contactId}`);
    const { rootId } = deployment;
    const { removeItem } = deployment.target;
    if (rootId !== undefined) await removeItem?.('library', rootId);
    deployment.markRemoved();
    return rootId === undefined || removeItem
      ? ''
      : `without --drive, the empty folders of project ${project.number} remain in the library, and the next run uses them`;
  },
};
