import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DriveSettings } from './settings.ts';

// A7: reported of the upload host (microsoftgraph/msgraph-sdk-javascript#109; Content-Range since odi#157). A page that
// sends any other header is refused by its browser (msgraph-sdk-javascript#220).
const allowedHeaders = [
  'Accept',
  'Application',
  'Authorization',
  'Content-Range',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'Overwrite',
  'Prefer',
  'Range',
  'X-HTTP-Method-Override',
  'X-RequestStats',
  'X-TransactionId',
  'X-Upload-Content-Length',
  'MS-CV',
  'RequestFacts',
].join(', ');

/**
 * What the host of upload and download URLs tells a page of another origin (A7, A9). It exposes no header, so that a
 * page never reads a `Retry-After`; whether a page can read an error is not known, and a setting.
 *
 * @returns whether the request was a preflight, which has its answer now
 */
export function answerPreflight(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.method !== 'OPTIONS') return false;
  // A9: download URLs know no preflight: a page gets them only without headers of its own.
  if (!isUploadUrl(req)) {
    res.writeHead(405).end();
    return true;
  }
  res.writeHead(200, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, PUT, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': allowedHeaders,
    'Content-Length': 0,
  });
  res.end();
  return true;
}

export function shareWithPages(res: ServerResponse, status: number, settings: DriveSettings): void {
  if (status < 400 || settings.errorsToPages === 'readable') {
    res.setHeader('Access-Control-Allow-Origin', '*');
  }
}

const isUploadUrl = ({ url = '' }: IncomingMessage): boolean =>
  url.split('?', 1)[0]?.endsWith('/uploadSession') ?? false;
