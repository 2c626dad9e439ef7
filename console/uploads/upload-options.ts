import type { ResumeOptions } from './direct-upload-error.ts';
import type { FolderName } from './stored-document.ts';

/** Sends a request to the service as the signed-in user: `fetch` with the token. */
export type Api = (request: Request) => Promise<Response>;

/** An upload that the library keeps, as the service returns it at the beginning or lists it. */
export interface OpenUpload {
  readonly uploadId: string;
  /** Pre-authenticated: a secret. */
  readonly uploadUrl: string;
  readonly maxFragmentBytes?: number;
  /** As announced. */
  readonly size?: number;
}

export interface DirectUploadOptions extends ResumeOptions {
  /** `fetch` with the user's token. */
  readonly api: Api;
  /** `/api/v1` of the page's own origin by default. Outside a page, an absolute URL is required. */
  readonly apiBase?: string;
  readonly file: Blob;
  readonly projectId: string;
  readonly folderName: FolderName;
  /** Of folders below it, separated by `/`; those that do not exist are created. */
  readonly folderPath?: string | undefined;
  readonly fileName: string;
  readonly conflictBehavior?: 'replace' | 'rename' | 'fail' | undefined;
  /** Cancels the upload, also in the library, until the file is being created. */
  readonly signal?: AbortSignal | undefined;
  /** A multiple of 320 KiB; by default 10 MiB, which the library recommends. */
  readonly fragmentBytes?: number;
  /** An upload of the same file that an earlier page has begun: an item of `GET …/uploads`. */
  readonly continues?: OpenUpload | undefined;
}
