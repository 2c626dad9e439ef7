import { DirectUploadError, type Progress, type ResumeOptions } from './direct-upload-error.ts';
import { FragmentReader } from './fragment-reader.ts';
import { fragmentEnd } from './fragments.ts';
import type { StoredDocument } from './stored-document.ts';
import type { Timing } from './timing.ts';
import type { DirectUploadOptions, OpenUpload } from './upload-options.ts';
import { putFragment, sessionStatus, type SessionResult } from './upload-session.ts';
import { UploadRoutes, type Completion } from './upload-routes.ts';

const maxBeginnings = 3;
const maxBeginTries = 5;
// An error that no response explains rarely passes.
const maxUnexplained = 3;
// The library keeps a session without new bytes for this long.
const givesUpAfterMs = 15 * 60_000;
const longestWaitMs = 30_000;
// After this many, the client queries the service whether the upload still exists.
const failuresBeforeCheck = 3;
// What the service returns at the beginning, and the library accepts (drive rule A7), for an upload of an earlier page.
const fragmentMultiple = 320 * 1024;
const maxFragmentBytes = 191 * fragmentMultiple;

/** Where an upload continues: at a byte, behind the last one, or where the library says. */
type Place = number | 'end' | 'unknown';

/** One file on its way. `run` can be called again after it has thrown. */
export class DirectUpload {
  readonly #routes: UploadRoutes;
  readonly #timing: Timing;
  #options: DirectUploadOptions;
  /** What the library keeps; undefined before the beginning. */
  #upload: OpenUpload | undefined;
  /** What this page has read for it. */
  #reader: FragmentReader;
  /** Of the next beginning: repeated with it, a request whose response was lost returns the same upload. */
  #key = crypto.randomUUID();
  #confirmedBytes = 0;
  #sentBytes = 0;
  /** Consecutive failures without a byte in between. */
  #failures = 0;
  #lastProgressAt = 0;

  constructor(options: DirectUploadOptions & { readonly apiBase: string }, timing: Timing) {
    this.#options = options;
    this.#timing = timing;
    this.#upload = options.continues;
    this.#reader = new FragmentReader(options.file);
    this.#routes = new UploadRoutes(options.api, options.apiBase, options.projectId);
  }

  async run(): Promise<StoredDocument> {
    const { signal } = this.#options;
    try {
      signal?.throwIfAborted();
      return await this.#store();
    } catch (error) {
      if (signal?.aborted) {
        await this.#discard();
        throw signal.reason;
      }
      throw this.#makeResumable(error);
    }
  }

  #makeResumable(error: unknown): unknown {
    if (!(error instanceof DirectUploadError)) return error;
    error.upload = {
      uploadId: this.#upload?.uploadId,
      resume: (changed: ResumeOptions = {}) => {
        this.#options = { ...this.#options, ...changed };
        return this.run();
      },
      discard: () => this.#discard(),
    };
    return error;
  }

  async #discard(): Promise<void> {
    const { uploadId } = this.#upload ?? {};
    this.#upload = undefined;
    if (uploadId !== undefined) await this.#routes.cancel(uploadId);
  }

  async #store(): Promise<StoredDocument> {
    const { file } = this.#options;
    this.#failures = 0;
    this.#lastProgressAt = this.#timing.now();
    if (this.#upload && (this.#upload.size ?? file.size) !== file.size) {
      throw new DirectUploadError(
        'file_changed',
        'The file has another size than the upload that it continues.',
      );
    }
    for (let beginnings = 1; beginnings <= maxBeginnings; beginnings += 1) {
      const isNew = this.#upload === undefined;
      if (isNew) this.#reader = new FragmentReader(file);
      const upload = (this.#upload ??= await this.#begin());
      const document = await this.#sendAndComplete(upload, isNew);
      this.#upload = undefined;
      this.#key = crypto.randomUUID();
      if (document) return document;
    }
    throw new DirectUploadError('ended', 'The library ended the upload repeatedly.');
  }

  async #begin(): Promise<OpenUpload> {
    const { file, folderName, folderPath, fileName, conflictBehavior, signal } = this.#options;
    const facts = { folderName, folderPath, fileName, size: file.size, conflictBehavior };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#routes.begin(facts, this.#key, signal);
      } catch (error) {
        // The name is taken, by a person or another tab, until somebody ends it.
        const isTaken = error instanceof DirectUploadError && error.code === 'upload_in_progress';
        if (!(error instanceof DirectUploadError) || !error.mayPass || isTaken) throw error;
        if (tries === maxBeginTries) throw error;
        await this.#wait(error);
      }
    }
  }

  /** Null when the library has lost the upload. */
  async #sendAndComplete(upload: OpenUpload, isNew: boolean): Promise<StoredDocument | null> {
    const { size } = this.#options.file;
    let place: Place = isNew ? 0 : 'unknown';
    if (size === 0) place = 'end';
    this.#confirmedBytes = 0;
    for (;;) {
      if (place === 'end') {
        this.#report(size);
        const completion = await this.#complete(upload);
        if (completion.state === 'done') return completion.document;
        if (completion.state === 'gone') return null;
        // Not complete, and yet nothing is missing: the library does not have the announced size.
        await this.#afterCompletion(completion, upload);
      }
      const current: SessionResult =
        typeof place === 'number' ? await this.#sendFrom(upload, place) : await this.#status(upload);
      if (current.state === 'gone') return null;
      if (current.state === 'open') {
        this.#confirm(current.next ?? size);
        place = current.next ?? 'end';
        continue;
      }
      // The library hides its rejections from a page, so an ended session is indistinguishable from a broken connection. The
      // service can distinguish them; it may also find that all bytes have arrived. Before the pause: after it, the network
      // may be back, and the library says itself what it has.
      if (this.#failures + 1 >= failuresBeforeCheck) {
        const completion = await this.#complete(upload);
        if (completion.state === 'done') return completion.document;
        if (completion.state === 'gone') return null;
      }
      await this.#wait(current.error);
      place = 'unknown';
    }
  }

  /** @throws DirectUploadError `file_changed` */
  async #complete({ uploadId }: OpenUpload): Promise<Completion> {
    await this.#reader.requireUnchanged(this.#options.signal);
    return this.#routes.complete(uploadId);
  }

  async #afterCompletion(
    completion: Extract<Completion, { error: unknown }>,
    upload: OpenUpload,
  ): Promise<void> {
    const { state, error } = completion;
    if (state === 'incomplete') {
      const status = await this.#status(upload);
      if (status.state !== 'open' || status.next !== null) return;
    }
    const isExplained = state === 'busy' && error.status !== 500 && error.status !== 502;
    if (!isExplained && this.#failures + 1 >= maxUnexplained) throw error;
    await this.#wait(error);
  }

  async #sendFrom(upload: OpenUpload, start: number): Promise<SessionResult> {
    const { file, signal, fragmentBytes = 32 * fragmentMultiple } = this.#options;
    const bytes = Math.min(fragmentBytes, upload.maxFragmentBytes ?? maxFragmentBytes);
    const fragment = await this.#reader.read(start, fragmentEnd(start, file.size, bytes), signal);
    return putFragment(upload.uploadUrl, fragment, {
      signal,
      onProgress: (sentBytes) => this.#report(start + sentBytes),
    });
  }

  #status({ uploadUrl }: OpenUpload): Promise<SessionResult> {
    return this.#options.file.size === 0
      ? Promise.resolve({ state: 'open', next: null })
      : sessionStatus(uploadUrl, this.#options.signal);
  }

  /** @throws `error` when there was no progress for too long */
  async #wait(error: DirectUploadError): Promise<void> {
    const { pause: paused, now, random } = this.#timing;
    this.#failures += 1;
    const backoffMs = Math.min(longestWaitMs, 1000 * 2 ** (this.#failures - 1)) * (0.5 + random() / 2);
    const waitMs = Math.max(backoffMs, (error.retryAfterSeconds ?? 0) * 1000);
    if (now() + waitMs - this.#lastProgressAt > givesUpAfterMs) throw error;
    this.#report(this.#sentBytes, error);
    await paused(waitMs, this.#options.signal);
  }

  #confirm(bytes: number): void {
    if (bytes > this.#confirmedBytes) {
      this.#failures = 0;
      this.#lastProgressAt = this.#timing.now();
    }
    this.#confirmedBytes = bytes;
    this.#report(bytes);
  }

  #report(sentBytes: number, waitingFor?: DirectUploadError): void {
    this.#sentBytes = sentBytes;
    const progress: Progress = { sentBytes, totalBytes: this.#options.file.size };
    this.#options.onProgress?.(waitingFor ? { ...progress, waitingFor } : progress);
  }
}
