import { DirectUploadError } from './direct-upload-error.ts';

/** Sends a request to the service as the signed-in user: `fetch` with the token. */
export type Api = (request: Request) => Promise<Response>;

export interface StoredDocument {
  readonly id: string;
  readonly projectId: string;
  readonly folderName: string;
  readonly fileName: string;
  readonly size: number;
  readonly contentType: string;
  readonly webUrl: string;
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
  readonly uploadedAt: string;
  readonly replacedUnrecorded?: true;
}

export interface NewUpload {
  readonly folderName: string;
  readonly fileName: string;
  readonly size: number;
  readonly conflictBehavior?: string | undefined;
}

export interface BegunUpload {
  readonly uploadId: string;
  /** Pre-authenticated: a secret. */
  readonly uploadUrl: string;
  readonly fragmentMultiple: number;
  readonly maxFragmentBytes: number;
}

/** The service's result for the completion of an upload. */
export type Completion =
  | { readonly state: 'done'; readonly document: StoredDocument }
  | { readonly state: 'incomplete' | 'gone' }
  /** Not now: the service or the library is busy, or another request is completing it. */
  | { readonly state: 'busy'; readonly error: DirectUploadError };

/** The three routes of a direct upload (docs/http-contract.md, "Direct uploads"). */
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
  async begin(upload: NewUpload, key: string, signal: AbortSignal | undefined): Promise<BegunUpload> {
    const response = await this.#send('POST', '', {
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(upload),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    return (await response.json()) as BegunUpload;
  }

  /** @throws DirectUploadError what no repetition changes */
  async complete(uploadId: string): Promise<Completion> {
    const response = await this.#send('POST', `/${uploadId}/complete`);
    if (response.ok) return { state: 'done', document: (await response.json()) as StoredDocument };
    const error = await errorOf(response);
    if (error.code === 'upload_incomplete') return { state: 'incomplete' };
    if (error.code === 'upload_not_found') return { state: 'gone' };
    if (error.code === 'upload_in_progress' || [429, 502, 503, 504].includes(response.status)) {
      return { state: 'busy', error };
    }
    throw error;
  }

  /** Works while the page is being closed, too. Never throws: uploads that are not canceled expire. */
  async cancel(uploadId: string): Promise<void> {
    await this.#send('DELETE', `/${uploadId}`, { keepalive: true }).catch(() => undefined);
  }

  async #send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const { signal } = init;
    try {
      // Relative URLs are relative to the page.
      return await this.#api(new Request(this.#uploads + path, { ...init, method }));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!(error instanceof TypeError)) throw error;
      throw new DirectUploadError('unreachable', 'The service did not respond.');
    }
  }
}

async function errorOf(response: Response): Promise<DirectUploadError> {
  const problem = (await response.json().catch(() => ({}))) as {
    code?: string;
    detail?: string;
    title?: string;
  };
  const { code = 'unexpected_response', title = `The service responded with ${response.status}.` } = problem;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new DirectUploadError(
    code,
    problem.detail ?? title,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}
