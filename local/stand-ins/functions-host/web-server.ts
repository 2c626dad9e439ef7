import type { IncomingMessage } from 'node:http';
import { decodePath } from './request-path.ts';

// Kestrel's defaults, which the Functions host keeps (KestrelServerLimits).
const maxRequestLineBytes = 8192;
const maxHeaderBytes = 32_768;
const maxHeaders = 100;
/** What Node's parser must let through, so that the limits above are the ones that count. */
export const parserHeaderBytes = 128 * 1024;

export interface Target {
  /** Decoded. */
  path: string;
  /** As it came, with its question mark. */
  query: string;
}

/** What the request is for, or the status that Kestrel answers before anything else of the host sees it. */
export function targetOf(request: IncomingMessage): Target | { refusedWith: 400 | 414 | 431 } {
  const { method = '', url = '', rawHeaders } = request;
  if (`${method} ${url} HTTP/1.1\r\n`.length > maxRequestLineBytes) return { refusedWith: 414 };
  // Both are counted in the raw list, where Node keeps each name and each value as one string of Latin-1.
  if (rawHeaders.length / 2 > maxHeaders || headerBytes(rawHeaders) > maxHeaderBytes) {
    return { refusedWith: 431 };
  }
  if (!rawHeaders.every(isUtf8) || !isHost(request)) return { refusedWith: 400 };
  const origin = originForm(url, request.headers.host);
  if (origin === undefined) return { refusedWith: 400 };
  const [rawPath, query] = splitQuery(origin);
  const path = decodePath(rawPath);
  return path === undefined ? { refusedWith: 400 } : { path, query };
}

const headerBytes = (rawHeaders: readonly string[]): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + ': '.length, 0);

function isUtf8(latin1: string): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
    return true;
  } catch {
    return false;
  }
}

/** HTTP/1.1 demands one header `Host`, and it must look like one. */
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

/** What Kestrel answers where the request is no HTTP that Node's parser understands. */
export function unreadableAnswer({ code }: { code?: string | undefined }): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\nDate: ${new Date().toUTCString()}\r\n\r\n`;
}
