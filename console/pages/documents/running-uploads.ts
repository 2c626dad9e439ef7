import type { Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { keepTabOpenWhile } from '../../parts/unsaved.ts';
import { sessionFetch } from '../../api/session-fetch.ts';
import { uploadDirectly } from '../../uploads/upload-directly.ts';
import type { FolderName } from './folders.ts';
import { documentsKey } from './use-project.ts';

export type ConflictBehavior = NonNullable<Schemas['NewDirectUpload']['conflictBehavior']>;

/** An upload as the page shows it. */
export interface Upload {
  readonly id: string;
  readonly projectId: string;
  readonly folderName: FolderName;
  readonly fileName: string;
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly state: 'waiting' | 'running' | 'done' | 'canceled' | 'failed';
  readonly error?: Error;
}

interface NewUpload {
  readonly projectId: string;
  readonly folderName: FolderName;
  readonly conflictBehavior: ConflictBehavior;
}

/** More concurrent uploads are not faster on one connection. */
const parallel = 2;

let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();
const aborts = new Map<string, AbortController>();
const waiting: { id: string; file: File; facts: NewUpload }[] = [];
let running = 0;

export const currentUploads = (): readonly Upload[] => uploads;

export function onUploadsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Uploads two files at a time, in their order. Uploads continue while other pages are shown. */
export function startUploads(files: readonly File[], facts: NewUpload): void {
  for (const file of files) {
    const id = crypto.randomUUID();
    const { projectId, folderName } = facts;
    const { name: fileName, size: totalBytes } = file;
    aborts.set(id, new AbortController());
    waiting.push({ id, file, facts });
    set([...uploads, { id, projectId, folderName, fileName, totalBytes, sentBytes: 0, state: 'waiting' }]);
  }
  startNext();
}

export function cancelUpload(id: string): void {
  aborts.get(id)?.abort();
  const place = waiting.findIndex((upload) => upload.id === id);
  if (place === -1) return;
  // It has not begun, so nothing else detects the abort until it is next.
  waiting.splice(place, 1);
  aborts.delete(id);
  change(id, { state: 'canceled' });
}

export function clearEnded(): void {
  set(uploads.filter(({ state }) => state === 'waiting' || state === 'running'));
}

function startNext(): void {
  while (running < parallel) {
    const next = waiting.shift();
    if (!next) return;
    running += 1;
    void run(next).finally(() => {
      running -= 1;
      startNext();
    });
  }
}

async function run({ id, file, facts }: (typeof waiting)[number]): Promise<void> {
  const { signal } = aborts.get(id)!;
  try {
    change(id, { state: 'running' });
    await uploadDirectly({
      api: sessionFetch,
      file,
      fileName: file.name,
      ...facts,
      signal,
      onProgress: ({ sentBytes }) => change(id, { sentBytes }),
    });
    change(id, { state: 'done', sentBytes: file.size });
    await queryClient.invalidateQueries({ queryKey: documentsKey(facts.projectId) });
  } catch (error) {
    change(id, signal.aborted ? { state: 'canceled' } : { state: 'failed', error: error as Error });
  } finally {
    aborts.delete(id);
  }
}

function change(id: string, changed: Partial<Upload>): void {
  set(uploads.map((upload) => (upload.id === id ? { ...upload, ...changed } : upload)));
}

function set(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

keepTabOpenWhile(() => running > 0);
