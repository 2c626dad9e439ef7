import type { components } from '../openapi/openapi-types.ts';
import type { StoredDocument } from './stored-document.ts';

export type Fault = components['schemas']['Fault'];
type Params = Fault['params'];

interface Facts {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly params?: Params | undefined;
  readonly errors?: readonly Fault[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** How an upload that has stopped continues. */
export interface StoppedUpload {
  /** The id if the library keeps what it has received, about 15 minutes from the last fragment. */
  readonly uploadId: string | undefined;
  /** Continues at the first byte that the library lacks, or begins again if it has nothing. The options can be replaced. */
  resume(changed?: ResumeOptions): Promise<StoredDocument>;
  /** Deletes what the library has received and releases the name. Without it, both expire. */
  discard(): Promise<void>;
}

export interface ResumeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  /** Bytes that the library has confirmed, plus those of the running fragment; a broken connection may reduce it. */
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Why the upload waits at present. It continues by itself. */
  readonly waitingFor?: DirectUploadError;
}

/** Why an upload has stopped. What the library has received is kept. */
export class DirectUploadError extends Error {
  override readonly name = 'DirectUploadError';
  /** HTTP status of the service's response; 0 if there was none. */
  readonly status: number;
  /**
   * A problem code of the API, `unexpected_response` for an intermediary's, or a code of this client: `unreachable` when
   * service or library did not respond, `file_changed` when the file can no longer be read as it was, `ended` when the
   * library repeatedly discarded the upload, `not_sent` when `api` threw (`cause` has its error).
   */
  readonly code: string;
  readonly requestId: string | undefined;
  /** The facts of the code. */
  readonly params: Params | undefined;
  /** The faults of a rejected request. */
  readonly errors: readonly Fault[];
  /** If the service named a time. */
  readonly retryAfterSeconds: number | undefined;
  /** Absent from `Progress.waitingFor`: that upload continues by itself. */
  upload: StoppedUpload | undefined;

  constructor(code: string, message: string, facts: Facts = {}) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.params = facts.params;
    this.errors = facts.errors ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  /** Whether the same request may succeed later without anybody's doing. */
  get mayPass(): boolean {
    const { code, status } = this;
    if (code === 'unreachable' || code === 'upload_in_progress') return true;
    if (code === 'too_many_uploads') return false;
    return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 507);
  }
}
