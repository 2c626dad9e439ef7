import { DirectUpload } from './direct-upload.ts';
import type { StoredDocument } from './stored-document.ts';
import { realTiming, type Timing } from './timing.ts';
import type { DirectUploadOptions } from './upload-options.ts';

export type { StoredDocument } from './stored-document.ts';
export type { Api, DirectUploadOptions, OpenUpload } from './upload-options.ts';
export {
  DirectUploadError,
  type Fault,
  type Progress,
  type ResumeOptions,
  type StoppedUpload,
} from './direct-upload-error.ts';

/**
 * Uploads a file of any size directly to the library; the service only begins the upload and creates the file at its end.
 * Waits for lost connections and busy servers, up to 15 minutes without any progress, and continues at the byte that the
 * library expects. If the library has lost the upload, it begins again. What has been transferred is never deleted, except
 * by `signal` and `discard`.
 *
 * @throws DirectUploadError, whose `upload` continues or discards the upload; the signal's reason when it was aborted: then
 * the upload is canceled. TypeError when the options cannot work here
 */
export async function uploadDirectly(
  options: DirectUploadOptions,
  timing: Timing = realTiming,
): Promise<StoredDocument> {
  const { apiBase = '/api/v1' } = options;
  if (!('location' in globalThis) && !/^https?:/i.test(apiBase)) {
    throw new TypeError('apiBase: outside a page, an absolute URL is required, like https://host/api/v1');
  }
  return new DirectUpload({ ...options, apiBase }, timing).run();
}
