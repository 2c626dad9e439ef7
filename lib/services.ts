import { randomBytes } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import { eventLog, type EventLog } from './base/event-log.ts';
import { systemClock } from './contract/clock.ts';
import type { Activities } from './activities/activities.ts';
import type { Secret } from './contract/secret.ts';
import { AgentKeys } from './callers/agent-keys.ts';
import { OnBehalfOf } from './callers/on-behalf-of.ts';
import { UserTokenVerifier } from './callers/user-token.ts';
import { ContactRecords } from './contacts/contact-records.ts';
import { GraphTransport } from './document-library/graph-transport.ts';
import { Graph } from './document-library/graph.ts';
import { Library } from './document-library/library.ts';
import { AgentRegistry } from './folder-requests/agent-registry.ts';
import { FolderRequestQueue } from './folder-requests/folder-request-queue.ts';
import type { Callers } from './http/edge.ts';
import { DocumentRecords } from './project-documents/document-records.ts';
import { connectDocuments, type ProjectDocuments } from './project-documents/documents.ts';
import { UploadKeys } from './project-documents/upload-keys.ts';
import { ProjectRecords } from './projects/project-records.ts';
import type { Settings } from './settings/settings.ts';
import { SealedText } from './storage/sealed-text.ts';
import { type StorageClients, storageClients } from './storage/storage-clients.ts';

/** Everything the operations work with. Parts that may be switched off are functions that throw `not_configured`. */
export interface Services {
  readonly settings: Settings;
  readonly callers: Callers;
  readonly folderRequests: FolderRequestQueue;
  readonly agents: AgentRegistry;
  readonly projects: ProjectRecords;
  readonly contacts: ContactRecords;
  /** Microsoft Graph on behalf of the caller. */
  readonly graph: () => Graph;
  readonly library: () => Library;
  readonly documentRecords: DocumentRecords;
  readonly uploadKeys: UploadKeys;
  readonly documents: () => ProjectDocuments;
  /** Loaded on first use, to keep the AI client and docxtemplater out of the other routes' cold start. */
  activities(): Promise<Activities>;
  /** The tables of the service, for their creation at start and for the health check. */
  readonly tables: readonly TableClient[];
}

/**
 * The only place that constructs clients. Sends no network requests.
 *
 * @param log for events outside of calls
 */
export function connect(settings: Settings, log: EventLog = eventLog(console)): Services {
  const storage = storageClients(settings.storage);
  // The queue retries failed calls itself, see QueueTable.
  const folderRequests = storage.table('FolderRequests', { retryOptions: { maxRetries: 0 } });
  // A failed write of a row needs no retry: a later call of the agent writes it again.
  const agents = storage.table('Agents', { retryOptions: { maxRetries: 0 } });
  const projects = storage.table('Projects');
  const contacts = storage.table('Contacts');
  const documentTable = storage.table('ProjectDocuments');
  const documentRecords = new DocumentRecords(documentTable);
  const uploadKeys = new UploadKeys(documentTable, systemClock);
  const projectRecords = new ProjectRecords(projects);
  const graph = once(() => {
    const { GRAPH_BASE_URL, IDP_AUTHORITY_HOST, ...users } = settings.require('users', 'library');
    const tokens = new OnBehalfOf({
      authorityHost: IDP_AUTHORITY_HOST,
      tenantId: users.IDP_TENANT_ID,
      clientId: users.IDP_API_CLIENT_ID,
      clientSecret: users.IDP_API_CLIENT_SECRET,
      scopes: users.DOCAPI_SCOPES,
    });
    return new Graph(GRAPH_BASE_URL, new GraphTransport(tokens));
  });
  const library = once(() => {
    const { DOCLIB_SITE_ID, DOCLIB_DRIVE_ID } = settings.require('documents');
    return new Library(graph(), { siteId: DOCLIB_SITE_ID, driveId: DOCLIB_DRIVE_ID });
  });
  return {
    settings,
    callers: {
      userTokens: once(() => {
        const values = settings.require('users');
        return new UserTokenVerifier({
          authorityHost: values.IDP_AUTHORITY_HOST,
          tenantId: values.IDP_TENANT_ID,
          clientId: values.IDP_API_CLIENT_ID,
          scope: values.IDP_API_SCOPE,
        });
      }),
      agentKeys: once(() => new AgentKeys(settings.require('agents').FOLDER_AGENT_API_KEYS)),
    },
    folderRequests: new FolderRequestQueue(
      folderRequests,
      {
        shards: settings.values.FOLDER_QUEUE_SHARDS,
        leaseMs: settings.values.FOLDER_REQUEST_LEASE_SECONDS * 1000,
        maxExpiredLeases: settings.values.FOLDER_REQUEST_MAX_ATTEMPTS,
        retentionMs: retentionMs(settings.values.FOLDER_REQUEST_RETENTION_DAYS),
      },
      { clock: systemClock, randomBytes },
    ),
    agents: new AgentRegistry(agents, systemClock, log),
    projects: projectRecords,
    contacts: new ContactRecords(contacts),
    graph,
    library,
    documentRecords,
    uploadKeys,
    documents: once(() => {
      const values = settings.require('library');
      const sealed = new SealedText(values.IDP_API_CLIENT_SECRET, 'upload session');
      const parts = { table: documentTable, keys: uploadKeys, blobs: storage.blobs, sealed };
      const records = { documents: documentRecords, projects: projectRecords };
      return connectDocuments(library(), records, parts, {
        rootPath: values.DOCLIB_PROJECT_ROOT_PATH,
        defaultConflictBehavior: values.DOCLIB_UPLOAD_CONFLICT_BEHAVIOR,
        maxUploadBytes: values.MAX_UPLOAD_BYTES,
        stagingDiskBytes: values.UPLOAD_STAGING_DISK_BYTES,
      });
    }),
    activities: once(() => {
      const values = settings.require('activities');
      return loadActivities(settings, values.AI_API_KEY, { graph, storage });
    }),
    tables: [folderRequests, agents, projects, contacts, documentTable],
  };
}

const retentionMs = (days: number): number => (days === 0 ? Infinity : days * 86_400_000);

async function loadActivities(
  settings: Settings,
  apiKey: Secret,
  { graph, storage }: { graph: () => Graph; storage: StorageClients },
): Promise<Activities> {
  const [{ Activities }, { TextProvider }, { TemplateStore, blobSource, fileSource }] = await Promise.all([
    import('./activities/activities.ts'),
    import('./activities/text/text-provider.ts'),
    import('./activities/letter/template-store.ts'),
  ]);
  const { values } = settings;
  const templates = once(() => {
    const { WORD_TEMPLATE_PATH: path } = settings.require('letters');
    return new TemplateStore(
      /^https?:/i.test(path) ? blobSource(() => storage.blobAt(path)) : fileSource(path),
    );
  });
  return new Activities({
    provider: new TextProvider({
      apiKey,
      baseUrl: values.AI_BASE_URL,
      model: values.AI_MODEL,
      api: values.AI_API,
      timeoutMs: values.AI_TIMEOUT_MS,
      sendsNames: values.AI_SEND_NAMES,
    }),
    letters: () => ({ templates: templates(), graph: graph(), folderPath: values.ACTIVITY_FOLDER }),
    defaultLanguage: values.AI_OUTPUT_LANGUAGE,
    timeZone: values.ACTIVITY_TIME_ZONE,
  });
}

/** Creates the value on the first successful call; a part that is not configured throws on every call. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Creates the tables that are missing; in Azure, Bicep has created them, so each costs one rejected request there. */
export async function ensureTables(services: Services): Promise<void> {
  await Promise.all(services.tables.map((table) => table.createTable()));
}
