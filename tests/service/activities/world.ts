import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpRequest, type HttpResponseInit, InvocationContext } from '@azure/functions';
import { operations } from '../../../functions/operations.ts';
import type { NewContact } from '../../../lib/contacts/contact.ts';
import { handlerFor } from '../../../lib/http/edge.ts';
import { connect, ensureTables, type Services } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import {
  type AiProvider,
  type RecordedRequest,
  startAiProvider,
} from '../../../local/stand-ins/ai-provider/ai-provider.ts';
import { call, startTestDrive, type TestDrive } from '../../support/test-drive.ts';
import type {
  IdentityProvider,
  Person,
} from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { startTestIdentityProvider } from '../../support/identity.ts';

export const joerg: Person = {
  oid: randomUUID(),
  name: 'Jörg Schäfer',
  givenName: 'Jörg',
  familyName: 'Schäfer',
  email: 'joerg.schaefer@firma.example',
  roles: ['canCreateActivities', 'BackOffice'],
};

const profile = {
  id: joerg.oid,
  displayName: 'Jörg Schäfer',
  givenName: 'Jörg',
  surname: 'Schäfer',
  mail: 'j.schaefer@firma.example',
  userPrincipalName: 'joerg@firma.onmicrosoft.com',
  businessPhones: ['+49 431 123456'],
  faxNumber: '+49 431 123457',
  companyName: 'Schäfer & Partner Ingenieure',
  streetAddress: 'Am Kai 5',
  postalCode: '24105',
  city: 'Kiel',
};

const anna: NewContact = {
  externalId: null,
  company: 'Bau & Söhne GmbH',
  title: 'Frau Dr.',
  firstName: 'Anna',
  lastName: 'Weber',
  street: 'Hauptstraße',
  houseNumber: '12a',
  zip: '24103',
  city: 'Kiel',
  email: 'anna.weber@bau-söhne.de',
};

/** The route over HTTP, with a stand-in for every foreign system. */
export class World {
  readonly folder: string;
  readonly ai: AiProvider;
  readonly drive: TestDrive;
  readonly identity: IdentityProvider;
  /** Log lines of the service. */
  readonly lines: string[] = [];
  readonly #storage: string;
  readonly #servers: Server[] = [];

  private constructor(
    folder: string,
    storage: string,
    parts: { ai: AiProvider; drive: TestDrive; identity: IdentityProvider },
  ) {
    this.folder = folder;
    this.#storage = storage;
    this.ai = parts.ai;
    this.drive = parts.drive;
    this.identity = parts.identity;
  }

  /** @param storage connection string of Azurite */
  static async start(storage: string): Promise<World> {
    const identity = await startTestIdentityProvider();
    const [drive, ai, folder] = await Promise.all([
      startTestDrive({ users: [profile], verifyToken: (token) => identity.verifyGraphToken(token) }),
      startAiProvider({ apiKey: 'sk-world' }),
      mkdtemp(join(tmpdir(), 'activities-')),
    ]);
    return new World(folder, storage, { ai, drive, identity });
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    await Promise.all([this.ai.close(), this.drive.close(), this.identity.stop()]);
  }

  /** Starts the service. Settings that are not given have working values; `undefined` removes a setting. */
  async service(changes: Record<string, string | undefined> = {}): Promise<TestService> {
    const { tenantId, clientId, clientSecret } = this.identity.registration;
    const env = {
      STORAGE_CONNECTION_STRING: this.#storage,
      IDP_TENANT_ID: tenantId,
      IDP_API_CLIENT_ID: clientId,
      IDP_API_CLIENT_SECRET: clientSecret,
      IDP_AUTHORITY_HOST: this.identity.url,
      DOCAPI_SCOPES: 'Files.ReadWrite.All Sites.Read.All User.Read',
      GRAPH_BASE_URL: `${this.drive.url}/v1.0`,
      AI_API_KEY: 'sk-world',
      AI_BASE_URL: this.ai.url,
      AI_MODEL: 'local',
      AI_TIMEOUT_MS: '20000',
      WORD_TEMPLATE_PATH: join(import.meta.dirname, '../../../tools/letter-template/Briefvorlage.docx'),
      ...changes,
    };
    const services = connect(readSettings(env));
    await ensureTables(services);
    const server = serve(services, this.lines);
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestService(this, services, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /** Writes a template and returns its path. */
  async template(content: Buffer | string): Promise<string> {
    const path = join(this.folder, `${randomUUID()}.docx`);
    await writeFile(path, content);
    return path;
  }

  async next(outcomes: string[] | { always: string }): Promise<void> {
    await call(`${this.ai.adminUrl}/next`, { method: 'PUT', body: JSON.stringify(outcomes) });
  }

  async write(text: { subject: string; content: string } | null): Promise<void> {
    await call(`${this.ai.adminUrl}/text`, { method: 'PUT', body: JSON.stringify(text) });
  }

  async prompts(): Promise<RecordedRequest[]> {
    return (await call(`${this.ai.adminUrl}/requests`)).body as RecordedRequest[];
  }
}

export class TestService {
  readonly #world: World;
  readonly services: Services;
  readonly url: string;

  constructor(world: World, services: Services, url: string) {
    this.#world = world;
    this.services = services;
    this.url = url;
  }

  async contact(changes: Partial<NewContact> = {}): Promise<string> {
    const id = randomUUID();
    await this.services.contacts.put(id, { ...anna, ...changes });
    return id;
  }

  async project(number: string, name: string): Promise<string> {
    const id = randomUUID();
    await this.services.projects.put(id, { number, name, externalId: null });
    return id;
  }

  generate(body: unknown, user?: Person | null): ReturnType<typeof call> {
    return this.request('generate', body, user);
  }

  /** A route of activities: a POST with a body, otherwise a GET. */
  async request(
    name: string,
    body?: unknown,
    user: Person | null = joerg,
    headers: Record<string, string> = {},
  ): ReturnType<typeof call> {
    const authorization =
      user === null ? {} : { authorization: `Bearer ${await this.#world.identity.accessToken(user)}` };
    const response = await call(`${this.url}/api/v1/activities/${name}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return typeof response.body === 'string' ? { ...response, body: JSON.parse(response.body) } : response;
  }

  async email(changes: Record<string, unknown> = {}): ReturnType<typeof call> {
    const contactId = changes['contactId'] ?? (await this.contact());
    return this.generate({
      activityType: 'Email',
      contactId,
      description: 'Wir verschieben die Abnahme.',
      ...changes,
    });
  }

  async letter(changes: Record<string, unknown> = {}, user?: Person): ReturnType<typeof call> {
    const contactId = changes['contactId'] ?? (await this.contact());
    return this.generate(
      { activityType: 'Document', contactId, description: 'Wir verschieben die Abnahme.', ...changes },
      user,
    );
  }
}

/** Serves the activities as the Functions host does. */
function serve(services: Services, lines: string[]): Server {
  const handlers = new Map(
    operations(services, '1.0.0')
      .filter(({ tag }) => tag === 'activities')
      .map((each) => [
        `${each.method} /api/${each.route}`,
        handlerFor(each, services.callers, { failures: services.failures }),
      ]),
  );
  const context = new InvocationContext({
    functionName: 'activities',
    logHandler: (_level, ...parts) => void lines.push(parts.map(String).join(' ')),
  });
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>);
    const request = new HttpRequest({
      method: incoming.method ?? 'GET',
      url: `http://127.0.0.1${incoming.url}`,
      headers: incoming.headers as Record<string, string>,
      ...(chunks.length > 0 && { body: { bytes: Buffer.concat(chunks) } }),
    });
    const {
      status = 200,
      headers,
      body,
      jsonBody,
    } = (await handlers.get(`${incoming.method} ${incoming.url}`)!(request, context)) as HttpResponseInit;
    const all = new Headers(headers);
    if (jsonBody !== undefined) all.set('content-type', 'application/json');
    outgoing.writeHead(status, Object.fromEntries(all));
    outgoing.end(jsonBody === undefined ? (body as string) : JSON.stringify(jsonBody));
  };
  return createServer((incoming, outgoing) => void respond(incoming, outgoing));
}
