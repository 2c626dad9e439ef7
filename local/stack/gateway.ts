import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { valueOfJson } from '../../lib/contract/json.ts';
import { problems, type ProblemCode } from '../../lib/base/service-error.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

/** Gives responses to pages their headers, or responds itself and returns true. */
export type Gateway = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Rejection {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly params?: { readonly max: number };
  readonly retryAfterSeconds?: number;
}

/**
 * What a page of these origins meets in production: CORS, the largest upload, and the calls of one user in a minute. The
 * gateway's policy and its template are the source of the lists and numbers. Requests of other programs pass.
 */
export async function gatewayOf(
  origins: readonly string[],
  now: () => number = () => performance.now(),
): Promise<Gateway> {
  const [policy, template] = await Promise.all(
    // Named from the root: npm run test:changed finds them by that.
    ['bicep/policies/api.xml', 'bicep/api.bicep'].map((file) => readFile(join(repositoryRoot, file), 'utf8')),
  );
  const headers = corsIn(policy!);
  const boundBytes = numberIn(template!, /^param gatewayUploadBoundMiB int = (\d+)$/m) * 1024 * 1024;
  const callsOfUser = new Calls(numberIn(policy!, /calls="(\d+)"[^>]*counter-key="@\("user:"/), now);

  const rejectionOf = (request: IncomingMessage): Rejection | undefined => {
    const { url = '', headers: sent } = request;
    const length = Number(sent['content-length'] ?? 0);
    if (/^\/api\/v1\/documents\/projects\/[^/]+\/upload$/.test(url) && length > boundBytes) {
      const detail = `The upload has ${length} bytes, more than the ${boundBytes} that the gateway accepts.`;
      return { code: 'file_too_large', detail, params: { max: boundBytes } };
    }
    const retryAfterSeconds = callsOfUser.waitOf(sent.authorization ?? '');
    if (retryAfterSeconds === 0) return undefined;
    return {
      code: 'rate_limited',
      detail: 'Wait for the number of seconds in Retry-After.',
      retryAfterSeconds,
    };
  };

  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'Origin');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      response.writeHead(200, headers.preflight).end();
      return true;
    }
    response.setHeader('access-control-expose-headers', headers.exposed);
    const rejection = rejectionOf(request);
    if (rejection) reject(request, response, rejection);
    return rejection !== undefined;
  };
}

function reject(request: IncomingMessage, response: ServerResponse, rejection: Rejection): void {
  const { code, retryAfterSeconds, ...facts } = rejection;
  const [status, title] = problems[code];
  const requestId = randomUUID();
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(
    JSON.stringify({ type: `urn:problem-type:${code}`, title, status, code, requestId, ...facts }),
  );
  // A browser shows the response only after it has sent the body.
  request.resume();
}

/** The calls of each user, in windows of a minute from the first one. */
class Calls {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, { readonly endsAt: number; calls: number }>();

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts a call. @returns 0, or the seconds after which the user can call again */
  waitOf(authorization: string): number {
    const now = this.#now();
    const user = userOf(authorization);
    let window = this.#windows.get(user);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + 60_000, calls: 0 };
      this.#windows.set(user, window);
    }
    window.calls += 1;
    return window.calls <= this.#limit ? 0 : Math.ceil((window.endsAt - now) / 1000);
  }
}

function userOf(authorization: string): string {
  const [, claims = ''] = authorization.split('.');
  const { data } = z
    .object({ oid: z.string() })
    .safeParse(valueOfJson(Buffer.from(claims, 'base64url').toString()));
  return data?.oid ?? 'unknown';
}

function corsIn(policy: string): { preflight: Record<string, string>; exposed: string } {
  const listed = (list: string, item: string): string => {
    const [, section = ''] = new RegExp(`<${list}[^>]*>([^]*?)</${list}>`).exec(policy) ?? [];
    return [...section.matchAll(new RegExp(`<${item}>([^<]+)</${item}>`, 'g'))]
      .map(([, name]) => name)
      .join(', ');
  };
  const preflight = {
    'access-control-allow-methods': listed('allowed-methods', 'method'),
    'access-control-allow-headers': listed('allowed-headers', 'header'),
    'access-control-max-age': String(numberIn(policy, /preflight-result-max-age="(\d+)"/)),
  };
  return { preflight, exposed: listed('expose-headers', 'header') };
}

function numberIn(text: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(text) ?? [];
  if (digits === undefined) throw new Error(`The gateway's files have no ${pattern}.`);
  return Number(digits);
}
