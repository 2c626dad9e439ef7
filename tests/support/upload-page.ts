import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';

const client = join(import.meta.dirname, '../../console/uploads/upload-directly.ts');
let bundled: Promise<string> | undefined;

export interface PageUpload {
  readonly token: string;
  readonly projectId: string;
  readonly bytes: number;
  readonly fileName?: string;
  readonly conflictBehavior?: string;
  /** An upload of the same bytes that another page has begun. */
  readonly continues?: object;
  /** Uploads the file that was chosen in the page, as `chosen`. */
  readonly isChosen?: boolean;
  /** The bytes depend on this only; random unless given. */
  readonly fill?: number;
  /** Aborts when this many bytes have been sent. */
  readonly abortAt?: number;
}

export interface PageOutcome {
  readonly document?: any;
  readonly error?: {
    name: string;
    code?: string;
    message: string;
    status?: number;
    requestId?: string;
    errors?: any[];
    /** Of the upload that the library keeps. */
    uploadId?: string;
  };
  /** SHA-256 of the file, hex. */
  readonly digest: string;
  readonly progress: readonly number[];
}

/** A page on a separate origin with the client for direct uploads; `/api` is the service, as behind the gateway. */
export interface UploadPage {
  readonly page: Page;
  upload(options: PageUpload): Promise<PageOutcome>;
  /** Continues the upload that the last error has stopped. */
  resume(): Promise<PageOutcome>;
  /** The bytes that the page sent to its own origin. */
  readonly apiBytes: () => number;
  close(): Promise<void>;
}

export async function openUploadPage(browser: Browser, serviceOrigin: string): Promise<UploadPage> {
  const script = await (bundled ??= bundledClient());
  let apiBytes = 0;
  const server = createServer((incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    if (!url.startsWith('/api/')) {
      const isScript = url === '/client.js';
      outgoing.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      outgoing.end(isScript ? script : '<!doctype html><link rel="icon" href="data:," />');
      return;
    }
    incoming.on('data', (chunk: Buffer) => (apiBytes += chunk.length));
    const onward = request(new URL(url, serviceOrigin), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  await page.evaluate(inPage);
  return {
    page,
    upload: (options) => page.evaluate<PageOutcome>(`uploadOf(${JSON.stringify(options)})`),
    resume: () => page.evaluate<PageOutcome>('outcomeOf(() => stopped.resume())'),
    apiBytes: () => apiBytes,
    async close() {
      await page.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bundledClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [client],
    bundle: true,
    format: 'esm',
    write: false,
    target: 'es2022',
  });
  return outputFiles[0]!.text;
}

// A string, because it runs in the browser and this file is checked against Node's types.
const inPage = `globalThis.uploadOf = async ({ token, bytes, fill, isChosen, abortAt = Infinity, ...options }) => {
  const { uploadDirectly } = await import('/client.js');
  const content = new Uint8Array(bytes).fill(fill ?? 0);
  for (let at = 0; fill === undefined && at < bytes; at += 65536) crypto.getRandomValues(content.subarray(at, at + 65536));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  globalThis.digest = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  globalThis.progress = [];
  const controller = new AbortController();
  const api = (request) => {
    request.headers.set('authorization', 'Bearer ' + token);
    return fetch(request);
  };
  const onProgress = ({ sentBytes }) => {
    progress.push(sentBytes);
    if (sentBytes >= abortAt) controller.abort();
  };
  const file = isChosen ? chosen : new File([content], 'Plan.bin', { type: 'application/x-plan' });
  const common = { api, file, folderName: '01_Angebote', fileName: file.name, signal: controller.signal, onProgress };
  return outcomeOf(() => uploadDirectly({ ...common, ...options }));
};
globalThis.outcomeOf = async (run) => {
  try {
    return { document: await run(), digest, progress };
  } catch ({ name, code, message, status, requestId, errors, upload }) {
    globalThis.stopped = upload;
    return { error: { name, code, message, status, requestId, errors, uploadId: upload?.uploadId }, digest, progress };
  }
};`;
