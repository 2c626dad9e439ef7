import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openApiText } from '../../../release/generate/generated.ts';
import { call } from '../../../local/stack/call.ts';
import type { Stack } from '../../support/stack.ts';
import {
  begunSync,
  claimed,
  failed,
  newContact,
  newDirectUpload,
  newDocument,
  newFolderRequest,
  newProject,
} from '../../support/api-entities.ts';
import {
  OpenApiDocument,
  type DescribedOperation,
  type SeenResponse,
} from '../../support/openapi-document.ts';
import { changedRequests } from '../../support/openapi-changes.ts';
import {
  formBoundary,
  requestsFor,
  withKnown,
  type KnownName,
  type MadeUpRequest,
} from '../../support/openapi-requests.ts';

// A different seed generates different requests; a failure prints its seed with the request.
const seed = 20_261_122;
/**
 * The more values an operation has, the more of their mixtures. Of 13 planted faults that need two or three values together,
 * they find about three in a run, and 60 of each operation find ten.
 */
const mixturesFor = (values: number): number => Math.min(10, Math.ceil(values * 0.2));

const document = new OpenApiDocument(JSON.parse(openApiText()));
interface Received extends SeenResponse {
  readonly details: string;
}

/** The service accepts the facts of a failure that a newer agent reports. */
const isTolerated = (operationId: string, { what }: MadeUpRequest): boolean =>
  operationId === 'report-folder-request' && /errorCode|errorParams/.test(what);

/** A batch rejects only the items that have faults. */
const isRejected = ({ status, bytes }: Received): boolean =>
  status >= 400 || /"outcome":"fault"/.test(bytes.toString());

/** Sends what the document of the API allows and rules out. */
export function openApiStories(stack: () => Stack): void {
  /** Existing IDs for each parameter name. */
  const known: Record<KnownName, string[]> = {
    projectId: [],
    contactId: [],
    documentId: [],
    uploadId: [],
    // Of each file that was stored once.
    versionId: ['1.0'],
    syncId: [],
    id: [],
    claimToken: [],
    template: [],
    cursor: [],
  };
  const seen = new Map<string, number[]>();

  const asAdministrator = <T>(method: string, path: string, body?: object): Promise<T> =>
    call(stack().description, 'administrator', method, path, body);

  function callerHeaders(caller: string): Record<string, string> {
    const { tokens, agents } = stack().description;
    if (caller === 'agent') return { 'x-api-key': agents[1]!.key };
    if (caller === 'garbage') return { authorization: 'Bearer garbage', 'x-api-key': 'garbage' };
    const token = tokens[caller as keyof typeof tokens] as string | undefined;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async function send(
    { operationId, method, path, requestBody }: DescribedOperation,
    made: MadeUpRequest,
  ): Promise<Received> {
    const filled = (text: string) =>
      withKnown(text, (name, index) =>
        // Not the agent that claims: it would be paused.
        operationId === 'change-agent'
          ? stack().description.agents[0]!.id
          : (known[name][index % known[name].length] ?? 'none'),
      );
    const url = new URL(`${stack().description.baseUrl}/api/v1`);
    url.pathname += path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(filled(made.params[name] ?? '')),
    );
    for (const [name, value] of made.query) url.searchParams.append(name, filled(value));
    const isForm = requestBody?.content['multipart/form-data'] !== undefined;
    const { body, encoding } = made;
    const response = await fetch(url, {
      method,
      headers: {
        ...callerHeaders(made.caller),
        ...(isForm && { 'content-type': `multipart/form-data; boundary=${formBoundary}` }),
        ...made.headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' ? Buffer.from(filled(body), encoding) : Buffer.from(body),
      }),
    });
    const { status, headers } = response;
    const bytes = Buffer.from(await response.arrayBuffer());
    const details = `${made.what}: ${method} ${url.href}\n${status} ${bytes.toString('utf8', 0, 2000)}`;
    return { status, headers, bytes, details };
  }

  /** Fails if the response is a 5xx, or not as described. */
  async function expectDescribed(operation: DescribedOperation, made: MadeUpRequest): Promise<Received> {
    const response = await send(operation, made);
    const { status, headers, details } = response;
    expect(status, details).toBeLessThan(500);
    expect(document.mismatches(operation, response), details).toEqual([]);
    expect(headers.get('x-request-id'), details).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(headers.get('cache-control'), details).toBe('no-store');
    return response;
  }

  /** A user has at most 50 open direct uploads. */
  async function cancelOpenUploads(): Promise<void> {
    for (const projectId of known.projectId) {
      const uploads = `documents/projects/${projectId}/uploads`;
      // A request may have deleted the project.
      const open = await fetch(`${stack().description.baseUrl}/api/v1/${uploads}`, {
        headers: callerHeaders('administrator'),
      });
      const { items = [] } = (await open.json()) as { items?: { uploadId: string }[] };
      for (const { uploadId } of items) await asAdministrator('DELETE', `${uploads}/${uploadId}`);
    }
  }

  // Few of each, so that a request is likely to combine those that belong together.

  async function makeDocuments(): Promise<void> {
    const { description } = stack();
    await cancelOpenUploads();
    const { id } = await newProject(description);
    known.projectId = [id, ...known.projectId.slice(0, 1)];
    const documents = ['a.txt', 'b.txt'].map((name) => newDocument(description, id, name));
    known.documentId = (await Promise.all(documents)).map((document) => document.id);
    const begun = ['c.txt', 'd.txt'].map((name) => newDirectUpload(description, id, name));
    known.uploadId = (await Promise.all(begun)).map(({ uploadId }) => uploadId);
  }

  /** In this order: two are processing, one has failed, two are pending. */
  async function makeFolderRequests(): Promise<void> {
    const { description } = stack();
    const processing = [await claimed(description), await claimed(description)];
    const claims = [...processing, await failed(description)];
    const pending = [await newFolderRequest(description), await newFolderRequest(description)];
    known.id = [...claims, ...pending].map((each) => each.id);
    known.claimToken = [...claims, ...processing].map((claim) => claim.claimToken);
    // An agent exists once it has called.
    await call(description, description.agents[0]!, 'POST', 'folder-requests/claim', {
      servers: ['nowhere'],
    });
    const list = await asAdministrator<{ nextCursor: string }>('GET', 'folder-requests?limit=1');
    known.cursor = [list.nextCursor];
  }

  async function makeContacts(): Promise<void> {
    const { description } = stack();
    const contactId = randomUUID();
    await asAdministrator('PUT', `contacts/${contactId}`, { lastName: 'Ohne Adresse' });
    known.contactId = [(await newContact(description)).id, contactId];
    const templates = 'activities/templates';
    const { items } = await call<{ items: { name: string }[] }>(
      description,
      'activityAuthor',
      'GET',
      templates,
    );
    known.template = [items[0]!.name];
  }

  async function makeSync(kind: 'projects' | 'contacts'): Promise<void> {
    known.syncId = [await begunSync(stack().description, kind)];
  }

  const ofReaders = [makeDocuments, makeFolderRequests, makeContacts];
  /** What operations that use entities up need, by the first name of their path. */
  const needs: Readonly<Record<string, readonly (() => Promise<void>)[]>> = {
    documents: [makeDocuments],
    'folder-requests': [makeFolderRequests],
    agents: [makeFolderRequests],
    projects: [makeDocuments, () => makeSync('projects')],
    contacts: [makeContacts, () => makeSync('contacts')],
  };

  describe('for requests generated from the document, no response is a 5xx, and the document describes every response', () => {
    // Operations that use nothing up run first because they can share the same entities.
    const usesUp = ({ method, path }: DescribedOperation) =>
      method !== 'GET' && !path.startsWith('/activities');
    const readersFirst = document.operations.toSorted((a, b) => Number(usesUp(a)) - Number(usesUp(b)));
    test.each(readersFirst.map((operation) => [operation.operationId, operation] as const))(
      '%s',
      async (operationId, operation) => {
        const isFirst = known.projectId.length === 0;
        const ofPath = usesUp(operation) ? needs[operation.path.split('/')[1]!]! : [];
        for (const make of [...(isFirst ? ofReaders : []), ...ofPath]) await make();
        const statuses: number[] = [];
        seen.set(operationId, statuses);
        const changed = changedRequests(document, operation);
        for (const made of changed) {
          const response = await expectDescribed(operation, made);
          statuses.push(response.status);
          if (!made.isAllowed && !isTolerated(operationId, made))
            expect(isRejected(response), response.details).toBe(true);
        }
        await fc.assert(
          fc.asyncProperty(requestsFor(document, operation), async (made) => {
            statuses.push((await expectDescribed(operation, made)).status);
          }),
          // Not shrunk because requests depend on the state that earlier requests leave.
          { seed, numRuns: mixturesFor(changed.length), endOnFailure: true },
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
      expect(await readFile(stack().logs.functions, 'utf8')).not.toMatch(
        /"request_crashed"|"request_failed"/,
      );
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
}
