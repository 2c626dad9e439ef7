import { DirectUploadError, type Fault } from './direct-upload-error.ts';
import type { FolderName, StoredDocument } from './stored-document.ts';
import type { Api, OpenUpload } from './upload-options.ts';

export interface NewUpload {
  readonly folderName: FolderName;
  readonly folderPath?: string | undefined;
  readonly fileName: string;
  readonly size: number;
  readonly conflictBehavior?: string | undefined;
}

/** The service's result for the completion of an upload. */
export type Completion =
  | { readonly state: 'done'; readonly document: StoredDocument }
  | { readonly state: 'gone' }
  /**
   * `incomplete`: the library does not have all bytes, or too many. `busy`: not now, because the service or the library is
   * busy or unreachable, or another request is completing it.
   */
  | { readonly state: 'incomplete' | 'busy'; readonly error: DirectUploadError };

/** The three routes of a direct upload (docs/uploads.md, "Direct uploads"). */
export class UploadRoutes {
  readonly #api: Api;
  readonly #uploads: string;

  /** @param apiBase base URL of the API, for example `/api/v1` */
  constructor(api: Api, apiBase: string, projectId: string) {
    this.#api = api;
    this.#uploads = `${apiBase}/documents/projects/${encodeURIComponent(projectId)}/uploads`;
  }

  /**
   * @param key the `Idempotency-Key`: repeated with it, the request returns the same upload
   * @throws DirectUploadError with the service's code
   */
  async begin(upload: NewUpload, key: string, signal: AbortSignal | undefined): Promise<OpenUpload> {
    const response = await this.#send('POST', '', {
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(upload),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    return (await response.json()) as OpenUpload;
  }

  /** @throws DirectUploadError what no repetition alone changes */
  async complete(uploadId: string): Promise<Completion> {
    try {
      const response = await this.#send('POST', `/${uploadId}/complete`);
      if (response.ok) return { state: 'done', document: (await response.json()) as StoredDocument };
      throw await errorOf(response);
    } catch (error) {
      if (!(error instanceof DirectUploadError)) throw error;
      if (error.code === 'upload_incomplete') return { state: 'incomplete', error };
      if (error.code === 'upload_not_found') return { state: 'gone' };
      if (error.mayPass) return { state: 'busy', error };
      throw error;
    }
  }

  /** Never throws: uploads that are not canceled expire. */
  async cancel(uploadId: string): Promise<void> {
    await this.#send('DELETE', `/${uploadId}`).catch(() => undefined);
  }

  async #send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    // Relative URLs are relative to the page.
    const request = new Request(this.#uploads + path, { ...init, method });
    try {
      return await this.#api(request);
    } catch (error) {
      // fetch throws it when there is no response.
      if (error instanceof TypeError) throw unreachable('The service did not respond.', error);
      const message = error instanceof Error ? error.message : String(error);
      throw new DirectUploadError('not_sent', message, { cause: error });
    }
  }
}

export const unreachable = (
  message: string,
  cause?: unknown,
  retryAfterSeconds?: number,
): DirectUploadError => new DirectUploadError('unreachable', message, { cause, retryAfterSeconds });

async function errorOf(response: Response): Promise<DirectUploadError> {
  const { status, headers } = response;
  const problem = (await response.json().catch(() => ({}))) as Partial<{
    code: string;
    detail: string;
    title: string;
    requestId: string;
    params: Fault['params'];
    errors: Fault[];
  }>;
  const { code = 'unexpected_response', title = `The service responded with ${status}.` } = problem;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new DirectUploadError(code, problem.detail ?? title, {
    status,
    requestId: problem.requestId ?? headers.get('x-request-id') ?? undefined,
    params: problem.params,
    errors: problem.errors,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
