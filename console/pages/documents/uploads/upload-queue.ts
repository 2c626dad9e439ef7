import {
  DirectUploadError,
  type StoppedUpload,
  type Progress,
} from '../../../uploads/direct-upload-error.ts';
import { pathOf } from '../project/folders.ts';
import type { FoundFile } from './dropped-files.ts';

export type ConflictBehavior = 'replace' | 'rename' | 'fail';

/** Where the user uploads files to. */
export interface Target {
  readonly projectId: string;
  readonly folderName: string;
  readonly folderPath: string;
  readonly conflictBehavior: ConflictBehavior;
}

/** An own upload that the library keeps, of an earlier page. */
export interface KeptUpload {
  readonly uploadId: string;
  readonly uploadUrl: string;
  readonly folderName: string;
  readonly folderPath: string;
  readonly fileName: string;
  readonly size: number;
}

/** An upload as the page shows it. */
export interface Upload extends Target {
  readonly id: string;
  readonly fileName: string;
  /** The dropped folders that the file was in. */
  readonly inFolder: string;
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly state: 'waiting' | 'running' | 'done' | 'canceled' | 'failed';
  /** Why it waits for the service or the library at present. */
  readonly waitingFor?: Error | undefined;
  readonly error?: Error | undefined;
  /** The own upload that has reserved the name. */
  readonly kept?: KeptUpload | undefined;
}

/** What can be done about a failed upload. */
export type Remedy = 'retry' | 'continue' | 'startAgain' | 'replace' | 'keepBoth' | 'rename' | 'chooseAgain';

/** Another upload of this name has not ended: of the same drop, or of another tab. */
export class NameInUse extends Error {
  override readonly name = 'NameInUse';
}

/** What a file is recognized by after a crash of the page; together with its time, so two states of it are not mixed. */
export interface FileIdentity {
  readonly projectId: string;
  readonly folderName: string;
  readonly folderPath: string;
  readonly fileName: string;
  readonly size: number;
}

export interface QueueParts {
  readonly upload: (
    request: Target & {
      readonly file: File;
      readonly fileName: string;
      readonly signal: AbortSignal;
      readonly onProgress: (progress: Progress) => void;
      readonly continues: KeptUpload | undefined;
    },
  ) => Promise<unknown>;
  /** The user's uploads in the project that the library keeps. */
  readonly keptUploads: (projectId: string) => Promise<readonly KeptUpload[]>;
  readonly discard: (projectId: string, uploadId: string) => Promise<unknown>;
  /** Runs the work unless other work of this key is running, in any tab. @throws NameInUse */
  readonly exclusively: (key: string, work: () => Promise<unknown>) => Promise<unknown>;
  /** When the files of unfinished uploads were last changed. It survives a crash of the page. */
  readonly memory: {
    readonly remember: (identity: FileIdentity, lastModified: number) => void;
    readonly recall: (identity: FileIdentity) => number | undefined;
    readonly forget: (identity: FileIdentity) => void;
  };
  /**
   * Loads the lists of a project again: immediately after its last upload, and after others while more wait or run, at most
   * once in `listsIntervalMs`.
   */
  readonly refreshLists: (projectId: string) => void;
}

interface Entry {
  file: File;
  abort: AbortController;
  /** How it continues: an upload of an earlier page, or one that has stopped here. */
  continues?: KeptUpload | undefined;
  stopped?: StoppedUpload | undefined;
}

/** More concurrent uploads are not faster on one connection. */
const parallel = 2;

/** A call per file would use up what the gateway allows a user when a hundred small files are dropped. */
const listsIntervalMs = 2000;

/** The library compares names without regard to case. */
const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/** One key for all uploads that would get the same name. */
export const uploadKey = ({ projectId, fileName, ...folder }: Omit<FileIdentity, 'size'>): string =>
  JSON.stringify([projectId, foldName(pathOf(folder)), foldName(fileName)]);

const isUnfinished = ({ state }: Upload): boolean => state === 'waiting' || state === 'running';
const hasFailed = ({ state }: Upload): boolean => state === 'failed';

/** Remedies that need nothing but a click, so they can be applied to many uploads together. */
const remediesOfMany = ['retry', 'replace', 'keepBoth'] as const satisfies readonly Remedy[];
type RemedyOfMany = (typeof remediesOfMany)[number];

/** The uploads of a tab: two at a time, in their order, also while other pages are shown. */
export class UploadQueue {
  readonly #parts: QueueParts;
  readonly #listeners = new Set<() => void>();
  readonly #entries = new Map<string, Entry>();
  #uploads: readonly Upload[] = [];
  /** Of each project: when its lists were last refreshed, and the refresh that is planned. */
  readonly #lists = new Map<string, { refreshedAt: number; planned?: ReturnType<typeof setTimeout> }>();
  /** Uploads that wait until what the library has of them is discarded. */
  readonly #discarding = new Set<string>();
  /** Keys of the uploads that run: another one of the same name waits for its turn. */
  readonly #running = new Set<string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  readonly uploads = (): readonly Upload[] => this.#uploads;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether a file would be lost with the tab: it is not stored yet, or its upload has failed and nobody has decided. */
  readonly hasUnstored = (): boolean => this.#uploads.some((each) => isUnfinished(each) || hasFailed(each));

  /** Of files with the same name, from several folders of a drop, the first is uploaded; the others need a decision. */
  add(files: readonly FoundFile[], target: Target): void {
    const names = new Set<string>();
    const added = files.map(({ file, inFolder }) => {
      const upload = this.#enter(file, { ...target, fileName: file.name }, inFolder);
      const isFirst = !names.has(foldName(file.name));
      names.add(foldName(file.name));
      return isFirst ? upload : { ...upload, state: 'failed' as const, error: new NameInUse() };
    });
    this.#set([...this.#uploads, ...added]);
    this.#startNext();
  }

  /** Continues an upload of an earlier page with its file. */
  continue(kept: KeptUpload, projectId: string, file: File): void {
    const { folderName, folderPath, fileName } = kept;
    const target = { projectId, folderName, folderPath, fileName, conflictBehavior: 'fail' as const };
    const upload = this.#enter(file, target, '');
    this.#entries.get(upload.id)!.continues = kept;
    this.#set([...this.#uploads, upload]);
    this.#startNext();
  }

  /** Whether the library has a part of this very file, as far as this browser remembers. */
  isSameFile(kept: KeptUpload, projectId: string, file: File): boolean {
    const { folderName, folderPath, fileName, size } = kept;
    const remembered = this.#parts.memory.recall({ projectId, folderName, folderPath, fileName, size });
    return file.size === size && file.lastModified === remembered;
  }

  cancel(id: string): void {
    this.#entries.get(id)?.abort.abort();
    // It has not begun, so nothing else detects the abort until it is next.
    const upload = this.#find(id);
    if (upload?.state !== 'waiting') return;
    this.#change(id, { state: 'canceled' });
    this.#refreshLists(upload.projectId);
  }

  /** What helps a failed upload, the most likely first. */
  remedies({ id, projectId, error, kept }: Upload): readonly Remedy[] {
    if (error instanceof NameInUse) return ['keepBoth', 'rename'];
    const code = error instanceof DirectUploadError ? error.code : undefined;
    if (code === 'file_exists') return ['replace', 'keepBoth', 'rename'];
    if (code === 'file_changed') return ['chooseAgain'];
    if (code === 'invalid_request') return ['rename'];
    if (code !== 'upload_in_progress') return ['retry'];
    const { file } = this.#entries.get(id) ?? {};
    if (!kept || !file) return ['retry', 'rename'];
    return this.isSameFile(kept, projectId, file)
      ? ['continue', 'startAgain', 'rename']
      : ['startAgain', 'rename'];
  }

  /** @param given a name for 'rename', a file for 'chooseAgain' */
  async apply(id: string, remedy: Remedy, given: { name?: string; file?: File } = {}): Promise<void> {
    const upload = this.#find(id);
    const entry = this.#entries.get(id);
    if (upload?.state !== 'failed' || !entry) return;
    const { kept, error, projectId } = upload;
    const stopped = error instanceof DirectUploadError ? error.upload : undefined;
    const { file = entry.file } = given;
    this.#change(id, {
      state: 'waiting',
      error: undefined,
      kept: undefined,
      ...(remedy === 'replace' && { conflictBehavior: 'replace' }),
      ...(remedy === 'keepBoth' && { conflictBehavior: 'rename' }),
      ...(given.name !== undefined && { fileName: given.name }),
      ...(given.file && { fileName: file.name, totalBytes: file.size, sentBytes: 0 }),
    });
    this.#entries.set(id, {
      file,
      abort: new AbortController(),
      continues: remedy === 'continue' ? kept : undefined,
      stopped: remedy === 'retry' ? stopped : undefined,
    });
    // Not before: another upload may end meanwhile, and what is discarded still has the name.
    this.#discarding.add(id);
    try {
      // What the library has is of no use for another name, file or behavior.
      if (remedy !== 'retry' && remedy !== 'continue') await stopped?.discard();
      if (remedy === 'startAgain' && kept) await this.#parts.discard(projectId, kept.uploadId);
    } catch (failure) {
      this.#change(id, { state: 'failed', error: failure as Error, kept });
      return this.#refreshLists(projectId);
    } finally {
      this.#discarding.delete(id);
    }
    this.#startNext();
  }

  /** How many failed uploads each of these would help, if several. */
  get remediesOfMany(): readonly { readonly remedy: RemedyOfMany; readonly count: number }[] {
    const offered = this.#uploads.filter(hasFailed).map((each) => this.remedies(each));
    return remediesOfMany
      .map((remedy) => ({ remedy, count: offered.filter((each) => each.includes(remedy)).length }))
      .filter(({ count }) => count > 1);
  }

  /** To every failed upload that it helps. */
  async applyToMany(remedy: RemedyOfMany): Promise<void> {
    const helped = this.#uploads.filter((each) => hasFailed(each) && this.remedies(each).includes(remedy));
    await Promise.all(helped.map(({ id }) => this.apply(id, remedy)));
  }

  /** Takes what is stored or canceled off the list. What has failed stays: its file is nowhere else in the page. */
  clearEnded(): void {
    this.#keep((upload) => isUnfinished(upload) || hasFailed(upload));
  }

  clearFailed(): void {
    this.#keep((upload) => !hasFailed(upload));
  }

  /** Takes an upload that has ended off the list. */
  remove(id: string): void {
    this.#keep((upload) => upload.id !== id);
  }

  #enter(file: File, target: Target & { fileName: string }, inFolder: string): Upload {
    const id = crypto.randomUUID();
    this.#entries.set(id, { file, abort: new AbortController() });
    return { ...target, id, inFolder, totalBytes: file.size, sentBytes: 0, state: 'waiting' };
  }

  #startNext(): void {
    while (this.#running.size < parallel) {
      const next = this.#uploads.find(
        (each) =>
          each.state === 'waiting' && !this.#discarding.has(each.id) && !this.#running.has(uploadKey(each)),
      );
      if (!next) return;
      this.#running.add(uploadKey(next));
      void this.#run(next).finally(() => {
        this.#running.delete(uploadKey(next));
        this.#startNext();
        this.#refreshLists(next.projectId);
      });
    }
  }

  #refreshLists(projectId: string): void {
    const goesOn = this.#uploads.some((each) => each.projectId === projectId && isUnfinished(each));
    const now = performance.now();
    const { refreshedAt = -Infinity, planned } = this.#lists.get(projectId) ?? {};
    clearTimeout(planned);
    const remainingMs = refreshedAt + listsIntervalMs - now;
    if (goesOn && remainingMs > 0) {
      const later = setTimeout(() => this.#refreshLists(projectId), remainingMs);
      this.#lists.set(projectId, { refreshedAt, planned: later });
    } else {
      this.#lists.set(projectId, { refreshedAt: now });
      this.#parts.refreshLists(projectId);
    }
  }

  async #run(upload: Upload): Promise<void> {
    const { id, projectId, folderName, folderPath, fileName, conflictBehavior } = upload;
    const { memory } = this.#parts;
    const { file, abort, continues, stopped } = this.#entries.get(id)!;
    const { signal } = abort;
    const identity = { projectId, folderName, folderPath, fileName, size: file.size };
    const onProgress = ({ sentBytes, waitingFor }: Progress): void => {
      // Not earlier: until the library has accepted it, another file may have reserved the name.
      if (sentBytes > 0) memory.remember(identity, file.lastModified);
      this.#change(id, { sentBytes, waitingFor });
    };
    this.#change(id, { state: 'running' });
    try {
      await this.#parts.exclusively(uploadKey(upload), () =>
        stopped
          ? stopped.resume({ signal, onProgress })
          : this.#parts.upload({
              projectId,
              folderName,
              folderPath,
              fileName,
              conflictBehavior,
              file,
              signal,
              onProgress,
              continues,
            }),
      );
      memory.forget(identity);
      this.#change(id, { state: 'done', sentBytes: file.size, waitingFor: undefined });
      this.#entries.delete(id);
    } catch (error) {
      if (signal.aborted) {
        memory.forget(identity);
        this.#change(id, { state: 'canceled', waitingFor: undefined });
      } else {
        await this.#fail(upload, error as Error);
      }
    }
  }

  async #fail(upload: Upload, error: Error): Promise<void> {
    const { id, projectId } = upload;
    const code = error instanceof DirectUploadError ? error.code : undefined;
    // Nobody can send the rest of it.
    if (code === 'file_changed') await (error as DirectUploadError).upload?.discard();
    const kept =
      code === 'upload_in_progress' ? await this.#parts.keptUploads(projectId).catch(() => []) : [];
    const own = kept.find((each) => uploadKey({ ...each, projectId }) === uploadKey(upload));
    this.#change(id, { state: 'failed', error, waitingFor: undefined, kept: own });
  }

  #find(id: string): Upload | undefined {
    return this.#uploads.find((upload) => upload.id === id);
  }

  #change(id: string, changed: Partial<Upload>): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...changed } : upload)));
  }

  #keep(isKept: (upload: Upload) => boolean): void {
    const kept = this.#uploads.filter(isKept);
    for (const id of this.#entries.keys())
      if (!kept.some((upload) => upload.id === id)) this.#entries.delete(id);
    this.#set(kept);
  }

  #set(next: readonly Upload[]): void {
    this.#uploads = next;
    for (const listener of this.#listeners) listener();
  }
}
