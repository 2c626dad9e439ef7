import { DirectUploadError } from './direct-upload-error.ts';
import { fragmentEnd } from './fragments.ts';
import { putFragment, sessionStatus, type SessionResult } from './upload-session.ts';
import {
  UploadRoutes,
  type Api,
  type BegunUpload,
  type NewUpload,
  type StoredDocument,
} from './upload-routes.ts';

export type { Api, StoredDocument } from './upload-routes.ts';
export { DirectUploadError } from './direct-upload-error.ts';

export interface Progress {
  /** Bytes that the library has confirmed, plus those of the running fragment; a broken connection may reduce it. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface DirectUploadOptions {
  /** `fetch` with the user's token. */
  readonly api: Api;
  /** `/api/v1` of the page's own origin by default. */
  readonly apiBase?: string;
  readonly file: Blob;
  readonly projectId: string;
  readonly folderName: string;
  readonly fileName: string;
  readonly conflictBehavior?: 'replace' | 'rename' | 'fail' | undefined;
  /** Cancels the upload, also in the library, until the file is being created. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** A multiple of 320 KiB; by default 10 MiB, which the library recommends. */
  readonly fragmentBytes?: number;
}

const maxBeginnings = 3;
const maxBeginTries = 3;
// The library keeps a session without new bytes for this long.
const givesUpAfterMs = 15 * 60_000;
const longestWaitMs = 30_000;
// After this many, the client queries the service whether the upload still exists.
const failuresBeforeCheck = 3;

/**
 * Uploads a file of any size directly to the library; the service only begins the upload and creates the file at its end.
 * Waits for lost connections and busy servers, up to 15 minutes without any progress, and continues at the byte that the
 * library expects. If the library has lost the upload, it begins again.
 *
 * @throws DirectUploadError with a code of the API, `unreachable` or `ended`; the signal's reason when it was aborted.
 * Then the upload is canceled
 */
export async function uploadDirectly(options: DirectUploadOptions): Promise<StoredDocument> {
  const { api, apiBase = '/api/v1', projectId, folderName, fileName, conflictBehavior, file } = options;
  const { signal } = options;
  signal?.throwIfAborted();
  const routes = new UploadRoutes(api, apiBase, projectId);
  for (let beginnings = 1; beginnings <= maxBeginnings; beginnings += 1) {
    const upload = await begun(routes, { folderName, fileName, size: file.size, conflictBehavior }, signal);
    const document = await new RunningUpload(routes, upload, options).run();
    if (document) return document;
  }
  throw new DirectUploadError('ended', 'The library ended the upload repeatedly.');
}

/** If the response is lost, the same key returns the same upload; without it, the name would remain taken. */
async function begun(
  routes: UploadRoutes,
  upload: NewUpload,
  signal: AbortSignal | undefined,
): Promise<BegunUpload> {
  const key = crypto.randomUUID();
  for (let tries = 1; ; tries += 1) {
    try {
      return await routes.begin(upload, key, signal);
    } catch (error) {
      const isLost = error instanceof DirectUploadError && lostResponseCodes.has(error.code);
      if (!isLost || tries === maxBeginTries) throw error;
      await pause(1000 * 2 ** tries * (0.5 + Math.random() / 2), signal);
    }
  }
}

// The second is the code for a gateway's own error page.
const lostResponseCodes: ReadonlySet<string> = new Set(['unreachable', 'unexpected_response']);

class RunningUpload {
  readonly #routes: UploadRoutes;
  readonly #upload: BegunUpload;
  readonly #options: DirectUploadOptions;
  #confirmedBytes = 0;
  /** Consecutive failures without a byte in between. */
  #failures = 0;
  #lastProgressAt = performance.now();

  constructor(routes: UploadRoutes, upload: BegunUpload, options: DirectUploadOptions) {
    this.#routes = routes;
    this.#upload = upload;
    this.#options = options;
  }

  /** Null when the library has lost the upload. */
  async run(): Promise<StoredDocument | null> {
    const { uploadId } = this.#upload;
    // A page that may return from the browser's cache continues then.
    const leave = (event: PageTransitionEvent): void => {
      if (!event.persisted) void this.#routes.cancel(uploadId);
    };
    addEventListener('pagehide', leave);
    try {
      return await this.#sendAndComplete();
    } catch (error) {
      await this.#routes.cancel(uploadId);
      throw error;
    } finally {
      removeEventListener('pagehide', leave);
    }
  }

  async #sendAndComplete(): Promise<StoredDocument | null> {
    const { size } = this.#options.file;
    let next: number | null = size === 0 ? null : 0;
    for (;;) {
      if (next === null) {
        this.#reportProgress(size);
        const completion = await this.#routes.complete(this.#upload.uploadId).catch(busyIfUnreachable);
        if (completion.state === 'done') return completion.document;
        if (completion.state === 'gone') return null;
        if (completion.state === 'busy')
          await this.#wait(completion.error.retryAfterSeconds, completion.error);
      }
      const current = next === null ? await this.#status() : await this.#sendFrom(next);
      if (current.state === 'gone') return null;
      if (current.state === 'open') {
        this.#confirmed(current.next ?? size);
        ({ next } = current);
        continue;
      }
      const settled = await this.#afterFailure(current.retryAfterSeconds);
      if (settled === 'gone') return null;
      if (settled !== 'open') return settled;
      const status = await this.#status();
      if (status.state === 'gone') return null;
      if (status.state === 'open') {
        this.#confirmed(status.next ?? size);
        ({ next } = status);
      }
    }
  }

  #sendFrom(start: number): Promise<SessionResult> {
    const { file, signal, fragmentBytes = 32 * this.#upload.fragmentMultiple } = this.#options;
    const bytes = Math.min(fragmentBytes, this.#upload.maxFragmentBytes);
    return putFragment(
      this.#upload.uploadUrl,
      file,
      { start, end: fragmentEnd(start, file.size, bytes) },
      { signal, onProgress: (sentBytes) => this.#reportProgress(start + sentBytes) },
    );
  }

  #status(): Promise<SessionResult> {
    return this.#options.file.size === 0
      ? Promise.resolve({ state: 'open', next: null })
      : sessionStatus(this.#upload.uploadUrl, this.#options.signal);
  }

  /**
   * The library hides its rejections from a page, so an ended session is indistinguishable from a broken connection. After
   * some failures, the client therefore queries the service, which can distinguish them; it may also find that all bytes
   * have arrived.
   */
  async #afterFailure(retryAfterSeconds: number | undefined): Promise<StoredDocument | 'open' | 'gone'> {
    await this.#wait(retryAfterSeconds, new DirectUploadError('unreachable', 'The library did not respond.'));
    if (this.#failures < failuresBeforeCheck) return 'open';
    const completion = await this.#routes.complete(this.#upload.uploadId).catch(busyIfUnreachable);
    if (completion.state === 'done') return completion.document;
    return completion.state === 'gone' ? 'gone' : 'open';
  }

  /** @throws `error` when there was no progress for too long */
  async #wait(retryAfterSeconds: number | undefined, error: DirectUploadError): Promise<void> {
    this.#failures += 1;
    const backoffMs = Math.min(longestWaitMs, 1000 * 2 ** (this.#failures - 1)) * (0.5 + Math.random() / 2);
    const waitMs = Math.max(backoffMs, (retryAfterSeconds ?? 0) * 1000);
    if (performance.now() + waitMs - this.#lastProgressAt > givesUpAfterMs) throw error;
    await pause(waitMs, this.#options.signal);
  }

  #confirmed(bytes: number): void {
    if (bytes > this.#confirmedBytes) {
      this.#failures = 0;
      this.#lastProgressAt = performance.now();
    }
    this.#confirmedBytes = bytes;
    this.#reportProgress(bytes);
  }

  #reportProgress(sentBytes: number): void {
    this.#options.onProgress?.({ sentBytes, totalBytes: this.#options.file.size });
  }
}

function busyIfUnreachable(error: unknown): { state: 'busy'; error: DirectUploadError } {
  if (error instanceof DirectUploadError && error.code === 'unreachable') return { state: 'busy', error };
  throw error;
}

/** Ends early when the browser is online again. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      removeEventListener('online', settle);
      signal?.removeEventListener('abort', settle);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(settle, ms);
    addEventListener('online', settle);
    signal?.addEventListener('abort', settle);
    if (signal?.aborted) settle();
  });
}
