/** Why an upload did not come to a document. Nothing of it is left in the library. */
export class DirectUploadError extends Error {
  override readonly name = 'DirectUploadError';
  /** A problem code of the API; `unreachable` when service and library did not answer; `ended` when the library gave up. */
  readonly code: string;
  /** Where the service named a time. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
