import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readlink, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { TableClient, TableServiceClient, type TableServiceClientOptions } from '@azure/data-tables';
import { projectKind } from '../../lib/projects/project.ts';
import { SearchableRecords } from '../../lib/master-data/searchable-records.ts';
import { startDrive, type DriveOptions, type RunningDrive } from '../../local/stand-ins/drive/start-drive.ts';
import {
  FunctionsHost,
  type FunctionsHostOptions,
  type LogEntry,
} from '../../local/stand-ins/functions-host/functions-host.ts';
import {
  IdentityProvider,
  people,
  type Person,
} from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { createLocalCa } from '../../local/stand-ins/local-ca.ts';
import { pastGate } from '../../local/stand-ins/tables/loaded-rows.ts';
import { failuresName } from '../../agent/smb/tests/support/run-folder.ts';
import { appDirectory } from './built-functions.ts';
import { sendRequest, type ReceivedResponse, type SentRequest } from './send-request.ts';
import { newStorage } from './shared-azurite.ts';

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or text if it is not JSON. */
  readonly body: any;
}

export interface CallInit {
  readonly as?: Person;
  readonly json?: unknown;
  readonly body?: SentRequest['body'];
  readonly headers?: Record<string, string>;
}

export interface SeenItem {
  readonly id: string;
  readonly path: string;
  readonly kind: 'folder' | 'file';
  readonly size: number;
  readonly driveId: string;
  /** The `oid` of the user who changed it last. */
  readonly modifiedBy: string;
}

export interface OpenFile {
  readonly name: string;
  readonly size: number;
}

export interface SeenRequest {
  readonly host: 'graph' | 'content';
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly userId: string | null;
  readonly inBatch: boolean;
  /** Position in the longest chain of requests that waited for each other, since the last `forgetRequests`. */
  readonly depth: number;
}

/** The built service in the local Functions host, with separate storage, library and identity provider. */
export interface DocumentService {
  readonly origin: string;
  readonly host: Pick<FunctionsHost, 'origin' | 'workerPid' | 'stop'> &
    Partial<Pick<FunctionsHost, 'runTimer' | 'requests'>>;
  readonly drive: RunningDrive;
  readonly idp: IdentityProvider;
  readonly logs: LogEntry[];
  readonly storageConnectionString: string;
  /** A client of the service's storage whose requests no gate holds. */
  readonly table: (name: string) => TableClient;
  /** The uploads at the moment: files without a name that the worker holds open. */
  readonly temporaryFiles: () => Promise<OpenFile[]>;
  call(method: string, path: string, init?: CallInit): Promise<ServiceResponse>;
  /** Starts another instance, on the same storage and library, and stops it with the service. @returns its calls */
  anotherInstance(): Promise<DocumentService['call']>;
  token(person?: Person): Promise<string>;
  /** Stores a new project with a new id, as the service stores it. */
  newProject(name?: string): Promise<{ id: string; number: string; name: string }>;
  /** Controls the library (local/stand-ins/drive/admin.ts). */
  admin: RunningDrive['admin'];
  fault(fault: object, on?: object): Promise<void>;
  /** A token for the library, obtained as the service obtains it. */
  graphToken(person?: Person): Promise<string>;
  /** Calls the library directly, as a person who works in it. */
  library(method: string, path: string, init?: CallInit): Promise<ServiceResponse>;
  /** The current contents of the library. */
  items(): Promise<SeenItem[]>;
  openSessions(): Promise<unknown[]>;
  requests(): Promise<SeenRequest[]>;
  forgetRequests(): Promise<void>;
  stop(): Promise<void>;
}

type Policy = NonNullable<TableServiceClientOptions['additionalPolicies']>[number]['policy'];

/** A copy of the app with changed files. */
async function changedApp(change: (directory: string) => Promise<void>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'document-service-'));
  await cp(await appDirectory(), directory, { recursive: true });
  await change(directory);
  return directory;
}

export async function startDocumentService({
  settings = {},
  storage: givenStorage,
  drive: driveOptions = {},
  storageFor = async (connectionString) => connectionString,
  changeApp,
  maxCrashes,
  folder = tmpdir(),
  startHost = (options) => FunctionsHost.start(options),
}: {
  settings?: Record<string, string>;
  /** Stopped with the service; by default, an account of the Azurite that the files of a run share. */
  storage?: Awaited<ReturnType<typeof newStorage>>;
  drive?: Partial<DriveOptions>;
  /** The connection string for the service, for tests that put a server between it and the storage. */
  storageFor?: (connectionString: string) => Promise<string>;
  /** Changes the app's files before the host starts. */
  changeApp?: (directory: string) => Promise<void>;
  /** For tests that kill the worker. */
  maxCrashes?: number;
  /** For the certificate of the library; by default, that of the test file. */
  folder?: string;
  /** Starts the Functions host, if it does not run in this process. */
  startHost?: (options: FunctionsHostOptions) => Promise<DocumentService['host']>;
} = {}): Promise<DocumentService> {
  // The code under test is the code that is deployed.
  const directory = await (changeApp ? changedApp(changeApp) : appDirectory());
  const ca = await createLocalCa(await mkdtemp(join(folder, 'document-service-')));
  const tls = await ca.issue('localhost', '127.0.0.1');
  setDefaultCACertificates([...getCACertificates(), ca.certificate]);
  const [storage, idp] = await Promise.all([givenStorage ?? newStorage(), IdentityProvider.start({ tls })]);
  const drive = await startDrive({
    tls,
    verifyToken: (token) => idp.verifyGraphToken(token),
    ...driveOptions,
  });
  const logs: LogEntry[] = [];
  const { tenantId, clientId, clientSecret } = idp.registration;
  const hostOptions: FunctionsHostOptions = {
    appDirectory: directory,
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: ca.certificatePath,
      FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: String(300 * 1024 * 1024),
      STORAGE_CONNECTION_STRING: await storageFor(storage.connectionString),
      IDP_TENANT_ID: tenantId,
      IDP_API_CLIENT_ID: clientId,
      IDP_API_CLIENT_SECRET: clientSecret,
      IDP_AUTHORITY_HOST: idp.url,
      GRAPH_BASE_URL: `${drive.url}/v1.0`,
      DOCAPI_SCOPES: 'Files.ReadWrite.All Sites.Read.All User.Read',
      DOCLIB_SITE_ID: drive.siteId,
      DOCLIB_DRIVE_ID: drive.driveId,
      ...settings,
    },
    onLog: (entry) => logs.push(entry),
    ...(maxCrashes !== undefined && { maxCrashes }),
  };
  const host = await startHost(hostOptions);
  const otherHosts: DocumentService['host'][] = [];
  const origin = host.origin;
  const token = (person: Person = people.projectManager) => idp.accessToken(person);
  // Reused, as in a front end: a new token for every call would cost an exchange for the library each time.
  const callerToken = held(token);
  const callsOf =
    (origin: string): DocumentService['call'] =>
    async (method, path, { as = people.projectManager, json, body, headers = {} } = {}) => {
      const response = await sendRequest(`${origin}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await callerToken(as)}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: json === undefined ? body : JSON.stringify(json),
      });
      return parsed(response);
    };
  const call = callsOf(origin);
  const graphToken = async (person: Person = people.backOffice): Promise<string> => {
    const response = await fetch(`${idp.url}/${tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        client_id: clientId,
        client_secret: clientSecret,
        assertion: await token(person),
        scope: 'Files.ReadWrite.All Sites.Read.All',
        requested_token_use: 'on_behalf_of',
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  // Tests put thousands of files directly; an exchange for each would take longer than everything else.
  const libraryToken = held(graphToken);
  const library: DocumentService['library'] = async (
    method,
    path,
    { as = people.backOffice, json, body = json === undefined ? undefined : JSON.stringify(json) } = {},
  ) => {
    const url = `${drive.url}/v1.0/drives/${drive.driveId}${path}`;
    const authorization = `Bearer ${await libraryToken(as)}`;
    const headers = { authorization, ...(json !== undefined && { 'content-type': 'application/json' }) };
    return parsed(await sendRequest(url, { method, headers, body }));
  };
  const { admin } = drive;
  const table = (name: string): TableClient =>
    TableClient.fromConnectionString(storage.connectionString, name, {
      allowInsecureConnection: true,
      additionalPolicies: [{ position: 'perCall', policy: passGates }],
    });
  return {
    origin,
    host,
    drive,
    idp,
    logs,
    token,
    call,
    async anotherInstance() {
      const other = await startHost(hostOptions);
      otherHosts.push(other);
      return callsOf(other.origin);
    },
    admin,
    storageConnectionString: storage.connectionString,
    table,
    temporaryFiles: () => unlinkedFiles(host.workerPid, 'upload-'),
    async newProject(name = 'Neubau Brücke') {
      const id = randomUUID();
      const number = `P-${id.slice(0, 8)}`;
      await new SearchableRecords(table('Projects'), projectKind).put(id, { number, name, externalId: null });
      return { id, number, name };
    },
    fault: (fault, on = {}) => admin('POST', '/faults', { fault, on }),
    library,
    graphToken,
    items: () => admin('GET', '/items'),
    openSessions: () => admin('GET', '/sessions'),
    requests: () => admin('GET', '/requests'),
    async forgetRequests() {
      await admin('DELETE', '/requests');
    },
    async stop() {
      await Promise.all([host, ...otherHosts].map((each) => each.stop()));
      if (existsSync(join(tmpdir(), failuresName))) {
        const kept = await mkdtemp(join(tmpdir(), 'document-service-'));
        const lines = logs.map((entry) => JSON.stringify(entry));
        await writeFile(join(kept, 'service.log'), lines.join('\n'));
        await saveTables(storage.connectionString, join(kept, 'tables.json'));
      }
      await Promise.all([storage.stop(), idp.stop(), drive.close()]);
    },
  };
}

const passGates: Policy = {
  name: 'passGates',
  sendRequest(request, next) {
    request.headers.set(pastGate, 'true');
    return next(request);
  },
};

/** Requests a token for each person only once. */
function held(request: (person: Person) => Promise<string>): (person: Person) => Promise<string> {
  const tokens = new Map<string, Promise<string>>();
  return (person) => {
    const token = tokens.get(person.oid) ?? request(person);
    tokens.set(person.oid, token);
    return token;
  };
}

function parsed({ status, headers, bytes }: ReceivedResponse): ServiceResponse {
  const text = bytes.toString();
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '');
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

/** Files that a process holds open although they no longer have a name (proc(5), fd). */
async function unlinkedFiles(pid: number, prefix: string): Promise<OpenFile[]> {
  const directory = `/proc/${pid}/fd`;
  const found: OpenFile[] = [];
  for (const fd of await readdir(directory)) {
    // A handle may be closed between the two calls.
    const target = await readlink(join(directory, fd)).catch(() => '');
    const name = basename(target);
    if (!name.startsWith(prefix) || !name.endsWith(' (deleted)')) continue;
    const size = await stat(join(directory, fd)).then(
      ({ size }) => size,
      () => 0,
    );
    found.push({ name, size });
  }
  return found;
}

/** Saves all rows of an account, for diagnosis. */
async function saveTables(connectionString: string, file: string): Promise<void> {
  const options = { allowInsecureConnection: true };
  const account = TableServiceClient.fromConnectionString(connectionString, options);
  const tables: Record<string, unknown[]> = {};
  for await (const { name = '' } of account.listTables()) {
    const table = TableClient.fromConnectionString(connectionString, name, options);
    tables[name] = await Array.fromAsync(table.listEntities());
  }
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  await writeFile(file, JSON.stringify(tables, text, 2));
}

/** The items below a project's root folder. */
export const below = (items: readonly SeenItem[], project: { number: string }): SeenItem[] =>
  items.filter(({ path }) => path.includes(`/${project.number}_`));

export { people };
