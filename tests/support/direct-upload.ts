import type { Person } from '../../local/stand-ins/identity-provider/identity-provider.ts';
import type { ServiceResponse, DocumentService } from './document-service.ts';
import { putFragment, type DriveResponse } from './test-drive.ts';

export interface DirectUploadOptions {
  readonly fileName?: string;
  readonly folderName?: string;
  readonly folderPath?: string;
  readonly conflictBehavior?: string | undefined;
  readonly size?: number;
  readonly as?: Person | undefined;
  /** The `Idempotency-Key`. */
  readonly key?: string;
}

/** Columns of an intent as if its session had expired a minute ago, and the library had said so half a minute ago. */
export const endSeen = () => ({
  sessionExpiresAt: new Date(Date.now() - 60_000),
  sessionEndSeenAt: new Date(Date.now() - 30_000),
});

/** Direct uploads to a project, as made by a program that sends the bytes itself. */
export class DirectUploader {
  readonly #service: Pick<DocumentService, 'call'>;
  readonly #uploads: string;

  constructor(service: Pick<DocumentService, 'call'>, projectId: string) {
    this.#service = service;
    this.#uploads = `/documents/projects/${projectId}/uploads`;
  }

  begin({
    fileName = 'Plan.bin',
    folderName = '01_Angebote',
    folderPath,
    conflictBehavior,
    size = 10,
    as,
    key,
  }: DirectUploadOptions = {}): Promise<ServiceResponse> {
    const given = { folderPath, conflictBehavior };
    const json = { folderName, fileName, size, ...given };
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return this.#service.call('POST', this.#uploads, { json, headers, ...(as && { as }) });
  }

  complete(uploadId: string, as?: Person): Promise<ServiceResponse> {
    return this.#service.call('POST', `${this.#uploads}/${uploadId}/complete`, as && { as });
  }

  cancel(uploadId: string, as?: Person): Promise<ServiceResponse> {
    return this.#service.call('DELETE', `${this.#uploads}/${uploadId}`, as && { as });
  }

  /** Begins an upload and sends all bytes; returns the id of the upload. */
  async sent(content: Uint8Array<ArrayBuffer>, options: DirectUploadOptions = {}): Promise<string> {
    const { status, body } = await this.begin({ ...options, size: content.length });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    await sendAll(body.uploadUrl, content);
    return body.uploadId as string;
  }
}

/** Sends all bytes in fragments of 5 MiB; returns the response to the last one. */
export async function sendAll(
  uploadUrl: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<DriveResponse | null> {
  const fragmentBytes = 16 * 327_680;
  let response: DriveResponse | null = null;
  for (let start = 0; start < content.length; start += fragmentBytes) {
    response = await putFragment(uploadUrl, content, start, Math.min(start + fragmentBytes, content.length));
    if (response.status !== 202) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  }
  return response;
}
