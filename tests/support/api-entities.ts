import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { fieldsFor, filePart, formOf } from './multipart.ts';
import type { OperationClient } from './operation-client.ts';

// Entities of every kind, made through the API by people who may.

/** The agent that no stack starts. */
export const spare = ({ description }: OperationClient) => description.agents[1]!;

export async function newProject(client: OperationClient) {
  const id = randomUUID();
  const { body } = await client.call('put-project', {
    as: 'administrator',
    params: { projectId: id },
    json: { number: `P-${id.slice(0, 8)}`, name: 'Neubau Brücke' },
  });
  return body as { id: string; number: string; name: string };
}

export async function newContact(client: OperationClient) {
  const { body } = await client.call('put-contact', {
    as: 'administrator',
    params: { contactId: randomUUID() },
    json: { firstName: 'Jürgen', lastName: 'Grünwald', email: 'j.gruenwald@example.com' },
  });
  return body as { id: string; lastName: string };
}

/** Uploads as a browser does, which streams into the library; a chunked body is staged first. */
export async function upload(
  client: OperationClient,
  projectId: string,
  fileName: string,
  content: Uint8Array,
  { isChunked = false } = {},
) {
  const form = formOf([
    ...fieldsFor('07_Protokolle', 'replace'),
    filePart(fileName, content, 'application/pdf'),
  ]);
  const response = await client.call('upload-project-document', {
    as: 'projectManager',
    params: { projectId },
    headers: { 'content-type': `multipart/form-data; boundary=${form.boundary}` },
    body: isChunked ? new Blob([form.body]).stream() : form.body,
  });
  return response.body as { id: string; fileName: string };
}

export async function beginDirectUpload(
  client: OperationClient,
  projectId: string,
  fileName: string,
  size: number,
  as: 'projectManager' | 'administrator' = 'projectManager',
): Promise<{ uploadId: string; uploadUrl: string; fragmentMultiple: number; expiresAt: string }> {
  const { body } = await client.call('begin-direct-upload', {
    as,
    params: { projectId },
    json: { folderName: '07_Protokolle', fileName, size, conflictBehavior: 'replace' },
  });
  return body;
}

export async function newFolderRequest(client: OperationClient) {
  const { body } = await client.call('request-folder', {
    as: 'backOffice',
    json: { targetPath: `Ordner ${randomUUID()}` },
  });
  return body as { id: string };
}

/**
 * Claims until it has this request, or a new one: the queue hands out the oldest request first, and other runs leave
 * requests in it.
 */
export async function claimed(client: OperationClient, id?: string) {
  const wanted = id ?? (await newFolderRequest(client)).id;
  for (;;) {
    const { status, body } = await client.call('claim-folder-request', { agent: spare(client) });
    expect(status, `before the claim of ${wanted}`).toBe(200);
    if (body.id === wanted) return body as { id: string; claimToken: string; leaseExpiresAt: string };
  }
}

export const report = (client: OperationClient, id: string, json: object) =>
  client.call('report-folder-request', { agent: spare(client), params: { id }, json });

/** A synchronization that has seen every record, so its end removes nothing. The stack has less than a page of them. */
export async function begunSync(client: OperationClient, kind: 'projects' | 'contacts'): Promise<string> {
  const as = 'recordsSync';
  const { items } = (await client.call(`list-${kind}`, { as, query: { limit: '200' } })).body;
  const { id: syncId } = (await client.call(`begin-${kind}-sync`, { as })).body;
  const seen = items.map((item: object) => ({ ...item, updatedAt: undefined, isArchived: undefined }));
  const { body } = await client.call(`batch-${kind}`, { as, json: { syncId, items: seen } });
  expect(body.faults).toBe(0);
  return syncId;
}
