import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { call } from '../../local/stack/call.ts';
import type { StackDescription } from '../../local/stack/stack-file.ts';

// Entities of every kind, made through the API by people who may.

type Service = Pick<StackDescription, 'baseUrl' | 'tokens'>;
type ServiceWithAgents = Service & Pick<StackDescription, 'agents'>;

export async function newProject(service: Service): Promise<{ id: string }> {
  const id = randomUUID();
  const project = { number: `P-${id.slice(0, 8)}`, name: 'Neubau Brücke' };
  return call(service, 'administrator', 'PUT', `projects/${id}`, project);
}

export async function newContact(service: Service): Promise<{ id: string }> {
  const contact = { firstName: 'Jürgen', lastName: 'Grünwald', email: 'j.gruenwald@example.com' };
  return call(service, 'administrator', 'PUT', `contacts/${randomUUID()}`, contact);
}

export async function newDocument(
  service: Service,
  projectId: string,
  fileName: string,
): Promise<{ id: string }> {
  const form = new FormData();
  form.set('folderName', '07_Protokolle');
  form.set('file', new File(['x'], fileName));
  return call(service, 'projectManager', 'POST', `documents/projects/${projectId}/upload`, form);
}

export async function newDirectUpload(
  service: Service,
  projectId: string,
  fileName: string,
): Promise<{ uploadId: string }> {
  const upload = { folderName: '07_Protokolle', fileName, size: 0, conflictBehavior: 'replace' };
  return call(service, 'administrator', 'POST', `documents/projects/${projectId}/uploads`, upload);
}

export async function newFolderRequest(service: Service): Promise<{ id: string }> {
  return call(service, 'backOffice', 'POST', 'folder-requests', { targetPath: `Ordner ${randomUUID()}` });
}

/** The agent that no stack starts. */
const spare = ({ agents }: ServiceWithAgents) => agents[1]!;

/** A new folder request, claimed. The queue hands out the oldest request first, and other tests leave requests in it. */
export async function claimed(service: ServiceWithAgents): Promise<{ id: string; claimToken: string }> {
  const wanted = await newFolderRequest(service);
  for (;;) {
    const claim = await call<{ id: string; claimToken: string } | undefined>(
      service,
      spare(service),
      'POST',
      'folder-requests/claim',
    );
    if (claim === undefined) throw new Error(`there is nothing to claim before ${wanted.id}`);
    if (claim.id === wanted.id) return claim;
  }
}

export async function failed(service: ServiceWithAgents): Promise<{ id: string; claimToken: string }> {
  const claim = await claimed(service);
  const { id, claimToken } = claim;
  const report = { status: 'FAILED', errorMessage: 'full', claimToken };
  await call(service, spare(service), 'PATCH', `folder-requests/${id}/status`, report);
  return claim;
}

/** A synchronization that has seen every record, so its end removes nothing. The stack has less than a page of them. */
export async function begunSync(service: Service, kind: 'projects' | 'contacts'): Promise<string> {
  const as = 'recordsSync';
  const { items } = await call<{ items: object[] }>(service, as, 'GET', `${kind}?limit=200`);
  const { id: syncId } = await call<{ id: string }>(service, as, 'POST', `${kind}/syncs`);
  const seen = items.map((item) => ({ ...item, updatedAt: undefined, isArchived: undefined }));
  const body = { syncId, items: seen };
  expect(await call(service, as, 'POST', `${kind}/batch`, body)).toMatchObject({ faults: 0 });
  return syncId;
}
