import { createHash, randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { subfolders, type Subfolder } from '../../../../lib/contract/subfolders.ts';
import { FolderMemory } from '../../../../lib/project-documents/folders/folder-memory.ts';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { rootFolderName } from '../../../../lib/project-documents/folders/root-folder-name.ts';
import { failuresName, runFolder } from '../../../../agent/smb/tests/support/run-folder.ts';
import { until } from '../../../../agent/smb/tests/support/until.ts';
import { DirectUploader } from '../../../support/direct-upload.ts';
import {
  below,
  people,
  startDocumentService,
  type DocumentService,
  type SeenItem,
} from '../../../support/document-service.ts';
import { fieldsFor, filePart, formOf, sendForm, type Transport } from '../../../support/multipart.ts';
import { sendRequest } from '../../../support/send-request.ts';
import { setGate } from '../../../support/shared-azurite.ts';
import { startStorageGate, type StorageGate, type TableCall } from '../../../support/storage-gate.ts';

type Person = (typeof people)[keyof typeof people];

export interface Sent {
  readonly name?: string;
  readonly folder?: string;
  readonly behavior?: string;
  readonly contentType?: string | undefined;
  readonly as?: Person;
  readonly transport?: Transport;
  readonly headers?: Record<string, string>;
}

/** The row of an upload's intent. */
export interface IntentRow {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** JSON */
  readonly intent: string;
  readonly [column: string]: unknown;
}

export const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const KiB = 1024;
const MiB = 1024 * KiB;

/** A fragment has 10 MiB. */
export const twoFragments = 11 * MiB;

/** The largest file that the services without options accept. */
export const maxUploadBytes = twoFragments + 64 * KiB;
const uploadDiskBytes = 3 * maxUploadBytes;
const sharedSettings = {
  MAX_UPLOAD_BYTES: String(maxUploadBytes),
  UPLOAD_DISK_BYTES: String(uploadDiskBytes),
  FOLDER_AGENT_API_KEYS: 'berlin:key-of-berlin-0123456789',
};

/** Applies a fault to a fragment of an upload. */
export const fragment = { host: 'content', method: 'PUT' };

/** Whether a table call is the transaction that writes a record. */
export const isRecord = ({ url, body }: TableCall): boolean =>
  url.includes('$batch') && body.includes('file-');

/** Whether a table call writes the intent of an upload: after the creation of its session, and before its first byte. */
export const isNewIntent = ({ url, body, method }: TableCall): boolean =>
  method === 'POST' && !url.includes('$batch') && body.includes('"folderId');

interface AddedFolder {
  readonly id: string;
  readonly path: string;
  readonly webUrl: string;
}

interface Running {
  readonly service: DocumentService;
  readonly gate: StorageGate;
}

type Options = Parameters<typeof startDocumentService>[0];

async function start(options: Options): Promise<Running> {
  const service = await startDocumentService(options);
  return { service, gate: await startStorageGate(service.storageConnectionString) };
}

/**
 * The service of this process for the files without options: a start and the first requests cost two seconds of processor
 * time. It ends with the process.
 */
let shared: Running | undefined;

/** Removes the data of an earlier file. */
async function empty({ service }: Running): Promise<void> {
  for (const what of ['sessions', 'requests', 'clock']) await service.admin('DELETE', `/${what}`);
  const inRoot = (await service.items()).filter(({ path }) => path.split('/').filter(Boolean).length === 1);
  for (const { id } of inRoot) await service.admin('DELETE', `/items/${id}`);
  // A search reads 100 projects for a page.
  for (const name of ['ProjectDocuments', 'Projects']) {
    await service.table(name).deleteTable();
    await service.table(name).createTable();
  }
  service.idp.recover();
  service.logs.length = 0;
}

/** A folder that ends with the process, as its services do; that of a file ends with the file. */
async function folderOfProcess(): Promise<string> {
  const folder = await mkdtemp(join(runFolder(), 'shared-service-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** If set, the clock of the shared service's library is stopped at this time. */
let libraryTimeMs: number | undefined;

/** Stops the clock of the shared service's library until the test has finished. */
export function stopLibraryClock(timeMs: number): void {
  libraryTimeMs = timeMs;
  onTestFinished(() => void (libraryTimeMs = undefined));
}

/** Where the shared service stages files on its disk. */
export const temporaryFolder = (): string => temporaryPath;
let temporaryPath: string;

async function sharedOptions(): Promise<Options> {
  const folder = await folderOfProcess();
  temporaryPath = await mkdtemp(join(folder, 'uploads-'));
  return {
    folder,
    settings: { ...sharedSettings, TMPDIR: temporaryPath },
    drive: { now: () => libraryTimeMs ?? Date.now() },
  };
}

/** @returns the service for a file, and what ends its use */
async function serviceFor(options: Options | undefined) {
  const earlier = options ? undefined : shared;
  if (earlier) await empty(earlier);
  const running = earlier ?? (await start(options ?? (await sharedOptions())));
  if (!options) shared = running;
  const end = async (): Promise<void> => {
    // What a failed test leaves behind does not reach the next file.
    if (!options && !existsSync(join(tmpdir(), failuresName))) return;
    if (!options) shared = undefined;
    await running.service.stop();
    await running.gate.stop();
  };
  return { running, end };
}

/**
 * A service for the tests of a file: one of its own with these options, or, without options, one that the files of the
 * process use one after the other. Call this function at the top of the file. Each test starts with a library without faults
 * and with default settings. After the test, every fault must have occurred: a test whose fault never occurred has proved
 * nothing.
 */
export function useDocuments(options?: Options) {
  return documentsOf(options).documents;
}

function documentsOf(options: Options | undefined) {
  let used: Awaited<ReturnType<typeof serviceFor>> | undefined;
  beforeAll(async () => {
    used = await serviceFor(options);
  });
  afterAll(() => used?.end());
  const service = new Proxy({} as DocumentService, {
    get: (_, name) => Reflect.get(used!.running.service, name) as unknown,
  });
  beforeEach(async () => {
    for (const what of ['faults', 'settings']) await service.admin('DELETE', `/${what}`);
  });
  afterEach(async () => {
    const unmet = (await service.admin('DELETE', '/faults')) as { on: { times: number | null } }[];
    expect(unmet.filter(({ on }) => on.times !== null)).toEqual([]);
  });
  return { documents: { service, ...toolsOf(service) }, gate: () => used!.running.gate };
}

/** Like {@link useDocuments}, with a gate in front of the tables that a test can close. */
export function useGatedDocuments() {
  const { documents, gate } = documentsOf(undefined);
  const { service } = documents;
  let isClosed = false;
  /** Lets all table calls pass. */
  const openGate = (): void => {
    gate().onCall = async () => undefined;
  };
  /** Until the end of the test. The calls of `service.table` pass. */
  const onCall = async (react: StorageGate['onCall']): Promise<void> => {
    gate().onCall = react;
    if (isClosed) return;
    isClosed = true;
    await setGate(service.storageConnectionString, gate().port);
  };
  afterEach(async () => {
    if (!isClosed) return;
    isClosed = false;
    openGate();
    await setGate(service.storageConnectionString, null);
  });
  /** Holds the first matching table call of the service; `resume` forwards it, or rejects it with a status. */
  const held = async (isHeld: (call: TableCall) => boolean) => {
    const reached = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<number | undefined>();
    await onCall(async (call) => {
      if (!isHeld(call)) return undefined;
      openGate();
      reached.resolve();
      return resumed.promise;
    });
    return { reached: reached.promise, resume: (status?: number) => resumed.resolve(status) };
  };
  /**
   * From now on, the matching table calls of a project get no response until the worker is killed, beside those of other
   * projects.
   *
   * @param isWritten whether they reach the storage
   * @returns `reached` resolves when there is one
   */
  const stuckUntilKilled = async (
    projectId: string,
    isStep: (call: TableCall) => boolean,
    isWritten: boolean,
  ): Promise<{ readonly reached: Promise<void> }> => {
    const reached = Promise.withResolvers<void>();
    const names = [projectId, partitionOf(projectId)];
    const isReached = (call: TableCall): boolean =>
      isStep(call) && names.some((name) => `${call.url} ${call.body}`.includes(name));
    const earlier = gate().onCall;
    await onCall(async (call) => {
      if (!isReached(call)) return earlier(call);
      reached.resolve();
      return isWritten ? 'no response' : Promise.withResolvers<undefined>().promise;
    });
    return { reached: reached.promise };
  };
  const killed = async (): Promise<void> => {
    await documents.killed();
    openGate();
  };
  return { ...documents, onCall, openGate, held, stuckUntilKilled, killed };
}

function toolsOf(service: DocumentService) {
  const provision = (projectId: string, as = people.projectManager) =>
    service.call('POST', `/documents/projects/${projectId}/provision`, { as });
  const table = () => service.table('ProjectDocuments');
  async function rowsOf(partition: string, from: string, to: string): Promise<IntentRow[]> {
    const filter = `PartitionKey eq '${partition}' and RowKey ge '${from}' and RowKey lt '${to}'`;
    const rows = table().listEntities<IntentRow>({ queryOptions: { filter } });
    return Array.fromAsync(rows) as Promise<IntentRow[]>;
  }
  const intentsOf = (projectId: string) => rowsOf(partitionOf(projectId), 'upload-', 'upload.');
  const keys = () => rowsOf('upload-keys', '', 'g');
  async function allIntents(): Promise<unknown[]> {
    const filter = "RowKey gt 'upload-' and RowKey lt 'upload.'";
    return Array.fromAsync(table().listEntities({ queryOptions: { filter } }));
  }
  const filesOf = async (project: { number: string }): Promise<SeenItem[]> =>
    below(await service.items(), project).filter(({ kind }) => kind === 'file');
  /** The documents of a project, as the service lists them. */
  const list = async (projectId: string): Promise<any[]> =>
    (await service.call('GET', `/documents/projects/${projectId}`)).body.items;

  /** Adds folders to a folder of the library, without its rules. */
  const addFolders = (parentId: string, names: readonly string[]): Promise<AddedFolder[]> =>
    service.admin('POST', `/items/${parentId}`, { names, kind: 'folder' });

  /** Searched once, because the library may have thousands of items. */
  let projectsFolderId: Promise<string> | undefined;
  async function findProjectsFolder(): Promise<string> {
    const items = await service.items();
    const [root, folder] = ['/', '/Projekte'].map((path) => items.find((each) => each.path === path));
    return folder?.id ?? (await addFolders(root!.id, ['Projekte']))[0]!.id;
  }

  /**
   * A project whose folders exist, so a fault applies only to later requests. It is stored as the service stores it after
   * PUT and provision, which take four times the processor time.
   */
  const warmProject = async () => {
    const project = await service.newProject();
    const { id } = project;
    const addRoot = async (): Promise<AddedFolder[]> => {
      projectsFolderId ??= findProjectsFolder();
      return addFolders(await projectsFolderId, [rootFolderName(project)]);
    };
    const [root] = await addRoot().catch(() => {
      // A test has deleted it.
      projectsFolderId = undefined;
      return addRoot();
    });
    const added = await addFolders(root!.id, subfolders);
    const folders = subfolders.map((name, at) => ({ name, ...added[at]! }));
    const ids = Object.fromEntries(folders.map(({ name, id }) => [name, id])) as Record<Subfolder, string>;
    const memory = new FolderMemory(table());
    await memory.claimRoot(id, root!.id, () => Promise.resolve(true));
    await memory.remember(id, {
      rootId: root!.id,
      subfolderIds: ids,
      webUrls: {
        root: { webUrl: root!.webUrl },
        folders: folders.map(({ name, webUrl }) => ({ name, webUrl })),
      },
    });
    const folder = (name: string): string => ids[name as Subfolder];
    const uploads = new DirectUploader(service, id);
    return {
      ...project,
      folderId: folder('01_Angebote'),
      folder,
      root: { id: root!.id, name: rootFolderName(project), path: root!.path },
      uploads,
    };
  };

  const refresh = (projectId: string, as: Person = people.projectManager) =>
    service.call('POST', `/documents/projects/${projectId}/refresh`, { as });

  /** Stores a file in SharePoint itself. @returns the item */
  const putByHand = async (
    folderId: string,
    name: string,
    body = 'by hand',
    as: Person = people.backOffice,
  ): Promise<any> => {
    const path = `/items/${folderId}:/${encodeURIComponent(name)}:/content`;
    const put = await service.library('PUT', path, { as, body });
    expect([200, 201]).toContain(put.status);
    return put.body;
  };

  const upload = (projectId: string, content: Uint8Array, sent: Sent = {}) => {
    const { name = 'Plan.bin', folder = '01_Angebote', behavior = 'replace', contentType, ...how } = sent;
    const form = formOf([...fieldsFor(folder, behavior), filePart(name, content, contentType)]);
    return sendForm(service, projectId, form, how);
  };

  const contentOf = async (documentId: string): Promise<Uint8Array> => {
    const { status, bytes } = await sendRequest(`${service.origin}/api/v1/documents/${documentId}/download`, {
      headers: { authorization: `Bearer ${await service.token()}` },
    });
    expect(status).toBe(200);
    return bytes;
  };

  /** Expects one file with one record, which is the document. */
  const expectOnly = async (project: { id: string; number: string }, document: any): Promise<void> => {
    const files = await filesOf(project);
    expect(files.map(({ path, size }) => [path.split('/').at(-1), size])).toEqual([
      [document.fileName, document.size],
    ]);
    expect(await list(project.id)).toEqual([document]);
    expect(await intentsOf(project.id)).toEqual([]);
  };

  /** What must not remain after uploads have ended: sessions, staged files, intents. */
  const leftOpen = async (): Promise<unknown[]> =>
    [await service.openSessions(), await service.temporaryFiles(), await allIntents()].flat();

  /** Everything that an upload may leave behind. */
  const left = async (project: { id: string; number: string }): Promise<unknown[]> =>
    [await filesOf(project), await list(project.id), await leftOpen()].flat();

  /** Simulates that minutes have passed: an intent is not touched while its upload may still be running. */
  const age = async (projectId: string, minutes: number): Promise<void> => {
    for (const { partitionKey, rowKey, intent } of await intentsOf(projectId)) {
      const read = JSON.parse(intent) as { startedAt: string };
      const startedAt = new Date(Date.parse(read.startedAt) - minutes * 60_000).toISOString();
      const row = { partitionKey, rowKey, intent: JSON.stringify({ ...read, startedAt }) };
      await table().updateEntity(row, 'Merge');
    }
  };

  /** Inserts the intent of an upload in another process. */
  const insertIntent = async (
    { id, folderId }: { id: string; folderId: string },
    intent: { fileName: string; size: number; startedAt: Date; before: object; conflictBehavior: string },
  ): Promise<void> => {
    await table().createEntity({
      partitionKey: partitionOf(id),
      rowKey: `upload-${randomUUID()}`,
      intent: JSON.stringify({
        projectId: id,
        folderName: '01_Angebote',
        folderId,
        contentType: 'text/x-never',
        uploadedByUserId: people.projectManager.oid,
        uploadedByName: null,
        ...intent,
      }),
    });
  };

  /** Changes the columns of all intents of a project. */
  const changeIntents = async (projectId: string, change: object): Promise<void> => {
    for (const { partitionKey, rowKey } of await intentsOf(projectId)) {
      await table().updateEntity({ partitionKey, rowKey, ...change }, 'Merge');
    }
  };

  /** Moves the last heartbeat of the project's uploads, and of their keys, into the past. */
  const lastHeartbeat = async (projectId: string, secondsAgo: number, nowMs = Date.now()): Promise<void> => {
    const aliveAt = new Date(nowMs - secondsAgo * 1000);
    const intents = await intentsOf(projectId);
    const keyIds = new Set(intents.map(({ intent }) => (JSON.parse(intent) as { keyId?: string }).keyId));
    const sent = [...intents, ...(await keys()).filter(({ rowKey }) => keyIds.has(rowKey))];
    expect(sent).toEqual(sent.map(() => expect.objectContaining({ aliveAt: expect.any(Date) })));
    for (const { partitionKey, rowKey } of sent) {
      await table().updateEntity({ partitionKey, rowKey, aliveAt }, 'Merge');
    }
  };

  /** Kills the worker, and waits until another one responds. */
  const killed = async (): Promise<void> => {
    process.kill(service.host.workerPid, 'SIGKILL');
    await service.admin('DELETE', '/faults');
    await until(
      'the health of another worker',
      () => service.call('GET', '/health'),
      ({ status }) => status === 200,
    );
  };

  return {
    provision,
    warmProject,
    upload,
    filesOf,
    list,
    expectOnly,
    contentOf,
    refresh,
    putByHand,
    intentsOf,
    changeIntents,
    keys,
    leftOpen,
    left,
    insertIntent,
    age,
    lastHeartbeat,
    killed,
  };
}
