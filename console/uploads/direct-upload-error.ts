/** Why an upload failed. Nothing of it is left in the library. */
export class DirectUploadError extends Error {
  override readonly name = 'DirectUploadError';
  /** A problem code of the API; `unreachable` when service or library did not respond; `ended` when the library discarded the upload. */
  readonly code: string;
  /** If the service named a time. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
