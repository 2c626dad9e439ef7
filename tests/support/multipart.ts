import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import type { DocumentService } from './document-service.ts';

export interface Part {
  readonly name: string;
  readonly value?: string;
  readonly fileName?: string;
  /** Written unchanged, instead of the value derived from the name. */
  readonly disposition?: string;
  readonly contentType?: string;
  readonly content?: Uint8Array;
}

export interface Form {
  readonly boundary: string;
  /** The complete body. */
  readonly body: Buffer;
}

/** A form as browsers write it, assembled here so that every byte of it can be wrong. */
export function formOf(
  parts: readonly Part[],
  { boundary = `----WebKitFormBoundary${randomBytes(8).toString('hex')}`, ending = '\r\n' } = {},
): Form {
  const pieces = parts.flatMap(({ name, value = '', fileName, disposition, contentType, content }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`;
    const type = contentType ?? (content ? 'application/octet-stream' : undefined);
    const head =
      `--${boundary}\r\nContent-Disposition: ${disposition ?? `form-data; name="${name}"${file}`}\r\n` +
      `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`;
    return [Buffer.from(head), content ?? Buffer.from(value), Buffer.from('\r\n')];
  });
  return { boundary, body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--${ending}`)]) };
}

export const fieldsFor = (folderName: string, conflictBehavior: string): Part[] => [
  { name: 'folderName', value: folderName },
  { name: 'conflictBehavior', value: conflictBehavior },
];

export const filePart = (fileName: string, content: Uint8Array, contentType?: string): Part => ({
  name: 'file',
  fileName,
  content,
  ...(contentType !== undefined && { contentType }),
});

/** How the body is sent: with Content-Length, or chunked. */
export type Transport = 'length' | 'chunked';

export function sendForm(
  service: DocumentService,
  projectId: string,
  { boundary, body }: Form,
  {
    transport = 'length',
    as,
    headers = {},
  }: { transport?: Transport; as?: any; headers?: Record<string, string> } = {},
) {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  return service.call('POST', `/documents/projects/${projectId}/upload`, {
    ...(as && { as }),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    body: transport === 'length' ? body : stream,
  });
}

export interface RawResponse {
  readonly status: number;
  readonly body: any;
}

/** Thrown while a body is written: the client disconnects. */
export class Disconnection extends Error {}

/** Sends a request that fetch cannot send: its headers may be wrong, and its body may end prematurely. */
export async function sendRaw(
  service: DocumentService,
  projectId: string,
  {
    boundary,
    headers,
    write,
  }: {
    boundary: string;
    headers: Record<string, string>;
    /** Writes the body; returning ends it, throwing a Disconnection breaks the connection. */
    write: (send: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
  },
): Promise<RawResponse | 'broken'> {
  const token = await service.token();
  return new Promise((resolve, reject) => {
    const outgoing = request(`${service.origin}/api/v1/documents/projects/${projectId}/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...headers,
      },
    });
    outgoing.on('error', () => resolve('broken'));
    outgoing.on('response', (response: Readable & { statusCode?: number }) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve('broken'));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text });
      });
    });
    // If the service closes the connection, the rest of the body cannot be sent.
    const send = (bytes: Uint8Array) =>
      new Promise<void>((sent, failed) =>
        outgoing.write(bytes, (error) => (error ? failed(new Disconnection()) : sent())),
      );
    write(send).then(
      () => outgoing.end(),
      (error: unknown) => {
        outgoing.destroy();
        if (!(error instanceof Disconnection)) reject(error);
      },
    );
  });
}
