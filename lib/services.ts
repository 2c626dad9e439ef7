import { randomBytes } from 'node:crypto';
import type { TableClient, TableServiceClientOptions } from '@azure/data-tables';
import { eventLog, type EventLog } from './base/event-log.ts';
import { RecentFailures } from './base/recent-failures.ts';
import { ServiceError } from './base/service-error.ts';
import { systemClock } from './contract/clock.ts';
import type { Activities } from './activities/activities.ts';
import type { Mailbox } from './activities/mail-draft.ts';
import { ModelEnd } from './activities/text/provider/model-end.ts';
import { AgentKeys } from './callers/agent-keys.ts';
import { OnBehalfOf } from './callers/on-behalf-of.ts';
import { UserTokenVerifier } from './callers/user-token.ts';
import { contactKind, type ContactRecords, type NewContact } from './contacts/contact.ts';
import { FolderMemory } from './project-documents/folders/folder-memory.ts';
import { Graph } from './document-library/graph.ts';
import { Library } from './document-library/library.ts';
import { AgentRegistry } from './folder-requests/agent-registry.ts';
import { FolderRequestQueue } from './folder-requests/folder-request-queue.ts';
import { retryDelaysMs } from './folder-requests/table/queue-parts.ts';
import type { Callers } from './http/edge.ts';
import { DocumentRecords } from './project-documents/document-records/document-records.ts';
import { connectDocuments, type ProjectDocuments } from './project-documents/documents.ts';
import { projectKind, type NewProject, type ProjectRecords } from './projects/project.ts';
import { templatePaths } from './settings/word-templates.ts';
import { defaultModel } from './settings/ai-model.ts';
import type { Settings } from './settings/settings.ts';
import { HourlyLimit } from './storage/hourly-limit.ts';
import { IdempotencyKeys } from './storage/idempotency-keys.ts';
import { SealedText } from './storage/sealed-text.ts';
import { RecordSyncs } from './master-data/record-syncs.ts';
import { SearchableRecords } from './master-data/searchable-records.ts';
import type { KeyedResults } from './storage/keyed-results.ts';
import { StorageClock } from './storage/storage-clock.ts';
import { type StorageClients, storageClients } from './storage/storage-clients.ts';
import { TableBackup } from './storage/table-backup.ts';
import { TimerRuns } from './storage/timer-runs.ts';

/** Everything the operations work with. Parts that may be switched off are functions that throw `not_configured`. */
export interface Services {
  readonly settings: Settings;
  readonly callers: Callers;
  readonly folderRequests: FolderRequestQueue;
  readonly agents: AgentRegistry;
  readonly projects: ProjectRecords;
  readonly contacts: ContactRecords;
  readonly projectSyncs: RecordSyncs<NewProject>;
  readonly contactSyncs: RecordSyncs<NewContact>;
  readonly documentRecords: DocumentRecords;
  readonly folderMemory: FolderMemory;
  readonly idempotencyKeys: IdempotencyKeys;
  /** Of generated texts. */
  readonly textLimit: HourlyLimit;
  readonly documents: () => ProjectDocuments;
  /** Of calls with an `Idempotency-Key`. */
  readonly keyedResults: () => KeyedResults;
  /** Loaded on first use, to keep the AI client and the language detector out of the other routes' cold start. */
  activities(): Promise<Activities>;
  /** `null` without an AI provider. */
  readonly modelEnd: () => ModelEnd | null;
  /** What has failed in this instance. */
  readonly failures: RecentFailures;
  /** The time of the storage. */
  readonly clock: StorageClock;
  /** The tables of the service, for their creation at start, the health check, and the backup. */
  readonly tables: readonly TableClient[];
  readonly backup: Pick<TableBackup, 'run'>;
  readonly timerRuns: TimerRuns;
}

/**
 * The only place that constructs clients. Sends no network requests.
 *
 * @param log for events outside of calls
 */
export function connect(settings: Settings, log: EventLog = eventLog(console)): Services {
  const storage = storageClients(settings.values);
  const clock = new StorageClock(log);
  const table = (name: string, options?: TableServiceClientOptions): TableClient =>
    storage.table(name, { ...options, additionalPolicies: clock.policies });
  // The queue retries failed calls itself, see QueueTable.
  const folderRequests = table('FolderRequests', { retryOptions: { maxRetries: 0 } });
  // A failed write of a row needs no retry: a later call of the agent writes it again.
  const agents = table('Agents', { retryOptions: { maxRetries: 0 } });
  const projects = table('Projects');
  const contacts = table('Contacts');
  const documentTable = table('ProjectDocuments');
  const documentRecords = new DocumentRecords(documentTable, clock);
  const folderMemory = new FolderMemory(documentTable);
  const idempotencyKeys = new IdempotencyKeys(documentTable, clock);
  const projectRecords = new SearchableRecords(projects, projectKind, clock);
  const contactRecords = new SearchableRecords(contacts, contactKind, clock);
  const maxMissingPercent = settings.values.RECORDS_SYNC_MAX_MISSING_PERCENT;
  const syncOptions = { maxMissingPercent, removalsPerStep: 2_000, clock };
  const onBehalfOf = (...scopes: readonly string[]): { graph: Graph; tokens: OnBehalfOf } => {
    const { GRAPH_BASE_URL, IDP_AUTHORITY_HOST, ...users } = settings.require('users', 'library');
    const tokens = new OnBehalfOf({
      authorityHost: IDP_AUTHORITY_HOST,
      tenantId: users.IDP_TENANT_ID,
      clientId: users.IDP_API_CLIENT_ID,
      clientSecret: users.IDP_API_CLIENT_SECRET,
      scopes,
    });
    return { graph: new Graph(GRAPH_BASE_URL, tokens), tokens };
  };
  const graph = once(() => onBehalfOf(...settings.require('library').DOCAPI_SCOPES).graph);
  const mailbox = once((): Mailbox => {
    if (!settings.values.MAIL_DRAFTS) {
      throw new ServiceError('not_configured', {
        detail: 'Drafts are switched off: MAIL_DRAFTS is not true.',
      });
    }
    const { graph, tokens } = onBehalfOf('Mail.ReadWrite');
    return { graph, signIn: (user) => tokens.tokenFor(user) };
  });
  const tables = [folderRequests, agents, projects, contacts, documentTable];
  return {
    settings,
    callers: {
      userTokens: once(() => {
        const values = settings.require('users');
        const tokens = {
          authorityHost: values.IDP_AUTHORITY_HOST,
          tenantId: values.IDP_TENANT_ID,
          clientId: values.IDP_API_CLIENT_ID,
          scope: values.IDP_API_SCOPE,
          clients: values.IDP_TOKEN_CLIENT_IDS,
          applications: values.RECORDS_SYNC_CLIENT_IDS,
        };
        return new UserTokenVerifier(tokens, systemClock, log);
      }),
      agentKeys: once(() => new AgentKeys(settings.require('agents').FOLDER_AGENT_API_KEYS)),
      cursors: once(() => new SealedText(settings.require('lists').IDP_API_CLIENT_SECRET, 'cursors')),
    },
    folderRequests: new FolderRequestQueue(
      folderRequests,
      {
        shards: settings.values.FOLDER_QUEUE_SHARDS,
        leaseMs: settings.values.FOLDER_REQUEST_LEASE_SECONDS * 1000,
        maxExpiredLeases: settings.values.FOLDER_REQUEST_MAX_ATTEMPTS,
        retryDelaysMs: settings.values.FOLDER_REQUEST_RETRY ? retryDelaysMs : [],
        retentionMs: retentionMs(settings.values.FOLDER_REQUEST_RETENTION_DAYS),
      },
      { clock, randomBytes },
    ),
    agents: new AgentRegistry(agents, clock, log),
    projects: projectRecords,
    contacts: contactRecords,
    projectSyncs: new RecordSyncs(projects, projectRecords, {
      ...syncOptions,
      isKept: (id) => documentRecords.hasAnything(id),
    }),
    contactSyncs: new RecordSyncs(contacts, contactRecords, syncOptions),
    documentRecords,
    folderMemory,
    idempotencyKeys,
    textLimit: new HourlyLimit(documentTable, clock, {
      what: 'texts',
      max: settings.values.AI_MAX_TEXTS_PER_HOUR,
    }),
    documents: once(() => {
      const values = settings.require('library', 'documents');
      const ids = { siteId: values.DOCLIB_SITE_ID, driveId: values.DOCLIB_DRIVE_ID };
      return connectDocuments({
        libraryOf: (user) => new Library(graph(), user, ids),
        records: documentRecords,
        projects: projectRecords,
        memory: folderMemory,
        table: documentTable,
        keys: idempotencyKeys,
        sealed: new SealedText(values.IDP_API_CLIENT_SECRET, 'upload session'),
        clock,
        rootPath: values.DOCLIB_PROJECT_ROOT_PATH,
        defaultConflictBehavior: values.DOCLIB_UPLOAD_CONFLICT_BEHAVIOR,
        // A larger file would be 503 for ever.
        maxBytes: Math.min(values.MAX_UPLOAD_BYTES, values.UPLOAD_DISK_BYTES),
        uploadDiskBytes: values.UPLOAD_DISK_BYTES,
      });
    }),
    keyedResults: once(() => {
      const { IDP_API_CLIENT_SECRET } = settings.require('library');
      const sealed = new SealedText(IDP_API_CLIENT_SECRET, 'keyed result');
      return { keys: idempotencyKeys, sealed, clock };
    }),
    modelEnd: once(() => {
      const apiKey = settings.values.AI_API_KEY;
      return apiKey === undefined ? null : new ModelEnd({ apiKey, ...modelOf(settings) }, systemClock);
    }),
    activities: once(() => loadActivities(settings, { graph, mailbox, storage })),
    failures: new RecentFailures(systemClock),
    clock,
    tables,
    backup: new TableBackup({ tables, blobs: storage.blobs, clock: systemClock }),
    timerRuns: new TimerRuns(documentTable, clock),
  };
}

const modelOf = ({ values }: Settings): { baseUrl: string; model: string } => ({
  baseUrl: values.AI_BASE_URL,
  model: values.AI_MODEL ?? defaultModel,
});

const retentionMs = (days: number): number => (days === 0 ? Infinity : days * 86_400_000);

async function loadActivities(
  settings: Settings,
  { graph, mailbox, storage }: { graph: () => Graph; mailbox: () => Mailbox; storage: StorageClients },
): Promise<Activities> {
  const [{ Activities }, { OpenAiTextProvider }, { blobSource, fileSource, Templates }] = await Promise.all([
    import('./activities/activities.ts'),
    import('./activities/text/provider/openai-text-provider.ts'),
    import('./activities/letter/templates.ts'),
  ]);
  const { values } = settings;
  const templates = once(() => {
    const { WORD_TEMPLATE_PATH: path, WORD_TEMPLATES: others = new Map() } = settings.require('letters');
    return new Templates(templatePaths(path, others), (path) =>
      /^https?:/i.test(path) ? blobSource(() => storage.blobAt(path)) : fileSource(path),
    );
  });
  return new Activities({
    provider: once(
      () =>
        new OpenAiTextProvider({
          apiKey: settings.require('activities').AI_API_KEY,
          ...modelOf(settings),
          timeoutMs: values.AI_TIMEOUT_MS,
          maxOutputTokens: values.AI_MAX_OUTPUT_TOKENS,
          sendsNames: values.AI_SEND_NAMES,
        }),
    ),
    letters: () => ({ templates: templates(), graph: graph(), folderPath: values.ACTIVITY_FOLDER }),
    mailbox,
    emailProfile: () => (values.EMAIL_SIGNATURE === 'full' ? graph() : null),
    defaultLanguage: values.AI_OUTPUT_LANGUAGE,
    houseStyle: values.AI_HOUSE_STYLE ?? '',
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
