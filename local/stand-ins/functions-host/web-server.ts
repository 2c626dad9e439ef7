import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { decodePath } from './request-path.ts';

// Kestrel's defaults, which the Functions host does not change (KestrelServerLimits).
const maxRequestLineBytes = 8192;
const maxHeaderBytes = 32_768;
const maxHeaders = 100;
/** The limit for Node's parser, large enough that only the limits above take effect. */
export const parserHeaderBytes = 128 * 1024;

export interface Target {
  /** Decoded. */
  path: string;
  /** Unchanged, with its question mark. */
  query: string;
}

/** The target of the request, or the status with which Kestrel rejects it before the rest of the host receives it. */
export function targetOf(request: IncomingMessage): Target | { rejectedWith: 400 | 414 | 431 } {
  const { method = '', url = '', rawHeaders } = request;
  if (`${method} ${url} HTTP/1.1\r\n`.length > maxRequestLineBytes) return { rejectedWith: 414 };
  // Both are counted in the raw list, where Node keeps each name and each value as a Latin-1 string.
  if (rawHeaders.length / 2 > maxHeaders || headerBytes(rawHeaders) > maxHeaderBytes) {
    return { rejectedWith: 431 };
  }
  if (!isUtf8(Buffer.from(rawHeaders.join('\n'), 'latin1')) || !isHost(request)) return { rejectedWith: 400 };
  const origin = originForm(url, request.headers.host);
  if (origin === undefined) return { rejectedWith: 400 };
  const [rawPath, query] = splitQuery(origin);
  const path = decodePath(rawPath);
  return path === undefined ? { rejectedWith: 400 } : { path, query };
}

const headerBytes = (rawHeaders: readonly string[]): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + ': '.length, 0);

/** HTTP/1.1 requires exactly one header `Host` with a valid value. */
function isHost({ httpVersion, headersDistinct }: IncomingMessage): boolean {
  const [host, ...others] = headersDistinct['host'] ?? [];
  if (host === undefined) return httpVersion !== '1.1';
  return others.length === 0 && /^[\w.\-~%!$&'()*+,;=:[\]]*$/.test(host);
}

/** The path and query of an absolute target, if it names this host. */
function originForm(url: string, host: string | undefined): string | undefined {
  if (url.startsWith('/') || url === '*') return url;
  const [, authority, rest] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() !== host?.toLowerCase()) return undefined;
  return rest!.startsWith('/') ? rest : `/${rest}`;
}

function splitQuery(target: string): [path: string, query: string] {
  const index = target.indexOf('?');
  return index === -1 ? [target, ''] : [target.slice(0, index), target.slice(index)];
}

/** Kestrel's response to a request that Node's parser rejects as invalid HTTP. */
export function parseErrorResponse({ code }: { code?: string | undefined }): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\nDate: ${new Date().toUTCString()}\r\n\r\n`;
}
