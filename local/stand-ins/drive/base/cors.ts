import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DriveSettings } from './settings.ts';

// A7: reported for the upload host (microsoftgraph/msgraph-sdk-javascript#109; Content-Range since odi#157). A browser
// blocks requests of a page with any other header (msgraph-sdk-javascript#220).
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
 * Sets the CORS headers of the host of upload and download URLs for a page of another origin (A7, A9). The host exposes no
 * header, so a page cannot read `Retry-After`. Whether a page can read an error is unknown, and therefore a setting.
 *
 * @returns whether the request was a preflight, to which this function has responded
 */
export function respondToPreflight(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.method !== 'OPTIONS') return false;
  // A9: download URLs support no preflight, so a page can request them only without custom headers.
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
