import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxErrorMessageLength } from '../../lib/contract/folder-requests.ts';
import { openApiText } from '../../release/generate/generated.ts';
import { people, type Person } from '../../local/stand-ins/identity-provider/people.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { formOf } from '../support/multipart.ts';
import { OpenApiDocument, type DescribedOperation } from '../support/openapi-document.ts';
import { formBoundary, withKnown } from '../support/openapi-requests.ts';
import { textPlaces, type RequestWithText } from '../support/openapi-texts.ts';
import { newStorage } from '../support/shared-azurite.ts';
import { World } from './activities/world.ts';

const agentKey = 'k'.repeat(32);
const document = new OpenApiDocument(JSON.parse(openApiText()));
let storage: Awaited<ReturnType<typeof newStorage>>;
let world: World;
let api: Api;
let services: Awaited<ReturnType<World['service']>>['services'];
const known = { projectId: 'p', contactId: randomUUID(), documentId: randomUUID(), uploadId: randomUUID() };

beforeAll(async () => {
  storage = await newStorage();
  world = await World.start(storage.connectionString);
  ({ services } = await world.service({
    FOLDER_AGENT_API_KEYS: `berlin:${agentKey}`,
    DOCLIB_SITE_ID: world.drive.siteId,
    DOCLIB_DRIVE_ID: world.drive.driveId,
    WORD_TEMPLATE_PATH: join(import.meta.dirname, '../../tools/letter-template/Briefvorlage.docx'),
  }));
  api = new Api(services);
  await services.projects.put(known.projectId, { number: '1', name: 'Neubau', externalId: null });
});
afterAll(async () => {
  await world.close();
  await storage.stop();
});

const callers = { administrator: people.administrator, activityAuthor: people.activityAuthor };

const tokens = new Map<Person, Promise<string>>();
function tokenOf(person: Person): Promise<string> {
  const token = tokens.get(person) ?? world.identity.accessToken(person);
  tokens.set(person, token);
  return token;
}

const hostile: Readonly<Record<string, string>> = {
  'half of a pair': 'a\ud800b',
  'the other half of a pair': '\udc00',
  'the parent folder': '..',
  'the folder itself': '.',
  nothing: '',
  'a control character': 'a\u0001b',
  'a line separator': 'a\u2028b',
  'a direction mark': 'a\u202eb',
  'decomposed letters': 'A\u0308nderung',
  '10,000 characters': 'x'.repeat(10_000),
};

/** Sends the request with what exists in the place of the placeholders. */
async function send(
  { operationId, method, path }: DescribedOperation,
  { caller, params, query, headers, body, isForm }: RequestWithText,
): Promise<ApiResponse> {
  const values: Record<string, string> = {
    ...known,
    id: randomUUID(),
    syncId: randomUUID(),
    claimToken: 't',
  };
  if (path.startsWith('/folder-requests/{id}')) {
    const server = randomUUID();
    const targetPath = `\\\\${server}\\projects\\Ordner`;
    const token = await tokenOf(people.administrator);
    const { body: entry } = await api.call('POST', '/folder-requests', { token, body: { targetPath } });
    values['id'] = entry.id;
    if (caller === 'agent') {
      const claim = { agentKey, body: { servers: [server] } };
      values['claimToken'] = (await api.call('POST', '/folder-requests/claim', claim)).body.claimToken;
    }
  }
  if (operationId === 'change-agent') values['id'] = 'berlin';
  const filled = (text: string) => withKnown(text, (name) => values[name] ?? 'none');
  const at = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(filled(params[name] ?? '')),
  );
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, filled(value)]));
  const person = callers[caller as keyof typeof callers];
  const form = isForm ? formFor(body as Record<string, string>) : undefined;
  return api.call(method, `${at}?${search.toString()}`, {
    ...(caller === 'agent' ? { agentKey } : person && { token: await tokenOf(person) }),
    headers: {
      ...headers,
      ...(isForm && { 'content-type': `multipart/form-data; boundary=${formBoundary}` }),
    },
    ...(body !== undefined && { body: form ?? filled(JSON.stringify(body)) }),
  });
}

const formFor = (fields: Readonly<Record<string, string>>): Uint8Array =>
  formOf(
    [
      ...Object.entries({ folderName: '07_Protokolle', ...fields })
        .filter(([name]) => name !== 'file')
        .map(([name, value]) => ({ name, value })),
      { name: 'file', fileName: 'Plan.pdf', content: Buffer.from('x') },
    ],
    { boundary: formBoundary },
  ).body;

/** The report of an agent matters more than its form (docs/http-contract.md, "Everywhere"). */
function keptAs(field: string, text: string): string {
  if (field === 'report-folder-request errorCode') return 'other';
  if (field === 'report-folder-request errorMessage' && text.length > maxErrorMessageLength)
    return `${text.slice(0, maxErrorMessageLength - 1)}…`;
  return field === 'report-folder-request errorMessage'
    ? text.replaceAll('\u2028', '\n')
    : text.normalize('NFC');
}

/** Faults of the request, and of the item of a batch. */
const faultsIn = ({ body }: ApiResponse): readonly { path: string }[] => [
  ...(body?.errors ?? []),
  ...(body?.items ?? []).flatMap((item: any) => item.errors ?? []),
];

describe('a text of a caller is rejected with the name of its field, or it is kept', () => {
  const places = document.operations.flatMap((operation) =>
    textPlaces(document, operation).map(
      (place) => [operation.operationId, place.path, operation, place] as const,
    ),
  );

  test('there are such places in the path, the query, the headers, and the body', () => {
    const kinds = new Set(places.map(([, path]) => path.split('.')[0]));
    expect(kinds).toEqual(new Set(['params', 'query', 'headers', 'body']));
  });

  test.each(places)('%s: %s', async (id, path, operation, place) => {
    for (const [what, text] of Object.entries(hostile)) {
      const request = place.request(text);
      if (request === null) continue;
      const response = await send(operation, request);
      const details = `${what}: ${response.status} ${JSON.stringify(response.body)}`;
      expect(response.status, details).toBeLessThan(500);
      const isNamed = faultsIn(response).some((fault) => fault.path.startsWith(path));
      // UTF-8, which a form is sent in, has no half pairs: Node sends U+FFFD in their place.
      const sent = request.isForm ? text.toWellFormed() : text;
      if (!sent.isWellFormed()) expect(isNamed, details).toBe(true);
      if (response.status >= 400 && !isNamed)
        expect([403, 404, 409, 416, 422, 429], details).toContain(response.status);
      // What is not rejected is in the response as it was sent.
      const name = path.split('.').at(-1)!;
      const echoed = (response.body?.items?.[1] ?? response.body)?.[name];
      if (response.status < 300 && typeof echoed === 'string' && !isNamed)
        expect(echoed, details).toBe(keptAs(`${id} ${name}`, sent));
      for (const neighbor of [0, 2]) {
        const { outcome } = response.body?.items?.[neighbor] ?? {};
        if (path.startsWith('body.items.1')) expect(['created', 'existing'], details).toContain(outcome);
      }
    }
  });
});
