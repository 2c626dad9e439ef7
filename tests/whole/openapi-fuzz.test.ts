import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiText } from '../../local/release/generated.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { appDirectory } from '../support/built-functions.ts';
import { fieldsFor, filePart, formOf } from '../support/multipart.ts';
import { OpenApiDocument, type DescribedOperation, type SeenResponse } from '../support/openapi-document.ts';
import {
  formBoundary,
  requestsFor,
  withKnown,
  type KnownName,
  type MadeUpRequest,
} from '../support/openapi-requests.ts';

// A different seed generates different requests; a failure prints its seed with the request.
const seed = 20_261_122;
const requestsPerOperation = 80;

const document = new OpenApiDocument(JSON.parse(openApiText()));
let stack: Stack;
/** The newest eight existing IDs for each parameter name. */
const known: Record<KnownName, string[]> = {
  projectId: [],
  contactId: [],
  documentId: [],
  uploadId: [],
  syncId: [],
  id: [],
  claimToken: [],
  template: [],
  cursor: [],
};
const seen = new Map<string, number[]>();

beforeAll(async () => {
  stack = await startStack({ appDirectory: appDirectory(), agent: false });
});
afterAll(() => stack?.stop());

function callerHeaders(caller: string): Record<string, string> {
  const { tokens, agents } = stack.description;
  if (caller === 'agent') return { 'x-api-key': agents[1]!.key };
  if (caller === 'garbage') return { authorization: 'Bearer garbage', 'x-api-key': 'garbage' };
  const token = tokens[caller as keyof typeof tokens] as string | undefined;
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function send(
  { operationId, method, path, requestBody }: DescribedOperation,
  made: MadeUpRequest,
): Promise<SeenResponse & { url: string }> {
  const filled = (text: string) =>
    withKnown(text, (name, index) =>
      // Not the agent that claims: it would be paused.
      operationId === 'change-agent'
        ? stack.description.agents[0]!.id
        : (known[name][index % known[name].length] ?? 'none'),
    );
  const url = new URL(`${stack.description.baseUrl}/api/v1`);
  url.pathname += path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(filled(made.params[name] ?? '')),
  );
  for (const [name, value] of made.query) url.searchParams.append(name, filled(value));
  const isForm = requestBody?.content['multipart/form-data'] !== undefined;
  const { body } = made;
  const response = await fetch(url, {
    method,
    headers: {
      ...callerHeaders(made.caller),
      ...(isForm && { 'content-type': `multipart/form-data; boundary=${formBoundary}` }),
      ...made.headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? filled(body) : Buffer.from(body) }),
  });
  return {
    url: url.href,
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** Collects the IDs of existing entities from a response. */
function learn({ operationId }: DescribedOperation, { status, bytes }: SeenResponse): void {
  if (status >= 300 || bytes.length === 0 || operationId === 'download-document') return;
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  const names: Record<string, KnownName> = {
    'put-project': 'projectId',
    'put-contact': 'contactId',
    'upload-project-document': 'documentId',
    'request-folder': 'id',
    'claim-folder-request': 'id',
    'begin-projects-sync': 'syncId',
    'begin-contacts-sync': 'syncId',
  };
  const found: [KnownName | undefined, unknown][] = [
    [names[operationId], body['id']],
    ['uploadId', body['uploadId']],
    ['claimToken', body['claimToken']],
    [
      operationId === 'list-templates' ? 'template' : undefined,
      (body['items'] as { name?: unknown }[] | undefined)?.[0]?.name,
    ],
    ['cursor', body['nextCursor']],
  ];
  for (const [name, value] of found) {
    if (name && typeof value === 'string') known[name] = [value, ...known[name]].slice(0, 8);
  }
}

/** A user has at most 50 open direct uploads. */
async function cancelOpenUploads(): Promise<void> {
  const headers = { authorization: `Bearer ${stack.description.tokens.administrator}` };
  for (const projectId of known.projectId) {
    const uploads = `${stack.description.baseUrl}/api/v1/documents/projects/${projectId}/uploads`;
    const open = await fetch(uploads, { headers });
    const { items = [] } = (await open.json()) as { items?: { uploadId: string }[] };
    for (const { uploadId } of items) {
      const canceled = await fetch(`${uploads}/${uploadId}`, { method: 'DELETE', headers });
      expect(canceled.status).toBe(204);
    }
  }
}

/** Creates entities of every kind, in every state, for the operations to find. */
async function createEntities(): Promise<void> {
  const call = async (operationId: string, given: Partial<MadeUpRequest>) => {
    const operation = document.operations.find((each) => each.operationId === operationId)!;
    const headers = { 'content-type': 'application/json' };
    const made = { caller: 'administrator', params: {}, query: [], headers, body: undefined, ...given };
    const response = await send(operation, made);
    expect(response.status, `${operationId}: ${response.bytes.toString()}`).toBeLessThan(300);
    learn(operation, response);
    return JSON.parse(response.bytes.toString() || '{}') as { id: string; items: object[] };
  };
  const project = { number: '1', name: 'Neubau' };
  const { body: form } = formOf(
    [...fieldsFor('01_Angebote', 'rename'), filePart('a.txt', Buffer.from('x'))],
    { boundary: formBoundary },
  );
  for (const contact of [{ lastName: 'Adler' }, { lastName: 'Adler', email: 'adler@example.com' }]) {
    await call('put-contact', { params: { contactId: randomUUID() }, body: JSON.stringify(contact) });
  }
  const params = { projectId: randomUUID() };
  await call('put-project', { params, body: JSON.stringify({ ...project, number: params.projectId }) });
  for (const _ of [1, 2]) await call('upload-project-document', { params, headers: {}, body: form });
  const empty = { folderName: '01_Angebote', fileName: 'leer.txt', size: 0, conflictBehavior: 'rename' };
  for (const _ of [1, 2]) await call('begin-direct-upload', { params, body: JSON.stringify(empty) });
  // With only a few IDs, a request is likely to combine an upload and its project.
  known.projectId.splice(2);
  known.uploadId.splice(4);
  // Claimed in the order of creation: some are pending, two are processing, one has failed.
  for (const targetPath of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await call('request-folder', { body: JSON.stringify({ targetPath }) });
  }
  for (const _ of [1, 2, 3]) await call('claim-folder-request', { caller: 'agent', headers: {} });
  // An agent exists once it has called.
  await call('claim-folder-request', {
    headers: { 'x-api-key': stack.description.agents[0]!.key, 'content-type': 'application/json' },
    caller: 'agent',
    body: JSON.stringify({ servers: ['nowhere'] }),
  });
  // Few, so that a request is likely to combine a claim with its token.
  known.id.splice(4);
  known.claimToken.splice(3);
  const [claimToken = '', id = ''] = [known.claimToken[0], known.id[0]];
  const report = { status: 'FAILED', errorMessage: 'full', claimToken };
  await call('report-folder-request', { caller: 'agent', params: { id }, body: JSON.stringify(report) });
  await call('list-folder-requests', { query: [['limit', '1']] });
  await call('list-templates', { caller: 'activityAuthor' });
  for (const kind of ['projects', 'contacts']) {
    // Has seen every record, so its end removes nothing.
    const { id: syncId } = await call(`begin-${kind}-sync`, {});
    const { items } = await call(`list-${kind}`, { query: [['limit', '200']] });
    const seen = items.map((item) => ({ ...item, updatedAt: undefined, isArchived: undefined }));
    await call(`batch-${kind}`, { body: JSON.stringify({ syncId, items: seen }) });
  }
  known.syncId.splice(2);
}

describe('for requests generated from the document, no response is a 5xx, and the document describes every response', () => {
  let areEntitiesUsed = true;
  // Operations that only read run first because they can share the same entities.
  const readersFirst = document.operations.toSorted(
    (a, b) => Number(a.method !== 'GET') - Number(b.method !== 'GET'),
  );
  test.each(readersFirst.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    async (operationId, operation) => {
      if (areEntitiesUsed) {
        await cancelOpenUploads();
        await createEntities();
      }
      areEntitiesUsed = operation.method !== 'GET';
      const statuses: number[] = [];
      seen.set(operationId, statuses);
      await fc.assert(
        fc.asyncProperty(requestsFor(document, operation), async (made) => {
          const response = await send(operation, made);
          const { status, headers, bytes, url } = response;
          const details = `${operation.method} ${url}\n${status} ${bytes.toString('utf8', 0, 2000)}`;
          expect(status, details).toBeLessThan(500);
          expect(document.mismatches(operation, response), details).toEqual([]);
          expect(headers.get('x-request-id'), details).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
          expect(headers.get('cache-control'), details).toBe('no-store');
          statuses.push(status);
          learn(operation, response);
        }),
        // Not shrunk because requests depend on the state that earlier requests leave.
        { seed, numRuns: requestsPerOperation, endOnFailure: true },
      );
    },
  );

  test('every operation returns successes and rejections', () => {
    for (const [operationId, statuses] of seen) {
      const count = (hundreds: number) =>
        statuses.filter((status) => Math.floor(status / 100) === hundreds).length;
      expect([operationId, count(2) > 0, count(4) > 0]).toEqual([operationId, true, true]);
    }
  });

  test('no request crashed', async () => {
    expect(await readFile(stack.logs.functions, 'utf8')).not.toMatch(/"request_crashed"|"request_failed"/);
  });
});

describe('an undescribed response is detected', () => {
  const operation = document.operations.find(({ operationId }) => operationId === 'get-project')!;
  const project = {
    id: 'p',
    number: '1',
    name: 'n',
    externalId: null,
    isArchived: false,
    updatedAt: '2026-11-22T00:00:00.000Z',
  };
  const problem = {
    type: 't',
    title: 't',
    status: 404,
    detail: 'd',
    code: 'project_not_found',
    requestId: 'r',
  };
  const json = 'application/json';
  const problemJson = 'application/problem+json';

  test.each<[string, number, string, object, RegExp]>([
    ['a status', 418, json, project, /418 is not described/],
    ['a media type', 200, 'text/plain', project, /text\/plain is not application\/json/],
    ['a property', 200, json, { ...project, color: 'red' }, /additional properties/],
    ['a missing property', 200, json, { id: 'p' }, /required property/],
    ['a type', 200, json, { ...project, name: null }, /must be string/],
    [
      'a code',
      404,
      problemJson,
      { ...problem, code: 'contact_not_found' },
      /contact_not_found is not described/,
    ],
    [
      'too many errors',
      400,
      problemJson,
      {
        ...problem,
        code: 'invalid_request',
        errors: Array.from({ length: 101 }, () => ({ path: 'p', message: 'm' })),
      },
      /more than 100/,
    ],
  ])('%s', (_what, status, contentType, body, fault) => {
    const response = {
      status,
      headers: new Headers({ 'content-type': contentType }),
      bytes: Buffer.from(JSON.stringify(body)),
    };
    expect(document.mismatches(operation, response).join()).toMatch(fault);
  });

  test('a described response is accepted', () => {
    for (const [status, contentType, body] of [
      [200, json, project],
      [404, problemJson, problem],
    ] as const) {
      const response = {
        status,
        headers: new Headers({ 'content-type': contentType }),
        bytes: Buffer.from(JSON.stringify(body)),
      };
      expect(document.mismatches(operation, response)).toEqual([]);
    }
  });
});
