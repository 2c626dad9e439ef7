import http from 'node:http';
import https from 'node:https';
import { hostname } from 'node:os';
import * as z from 'zod';
import {
  type ClaimRouting,
  type ClaimTurn,
  claimedFolderRequest,
  type FolderRequestHeartbeat,
  type FolderRequestRelease,
  type FolderRequestReport,
} from '../../lib/contract/folder-requests.ts';
import { type ParsedTargetPath, parseTargetPath } from '../../lib/contract/target-path.ts';
import { agentUserAgent } from '../../lib/contract/agent-identity.ts';
import type { Clock } from '../../lib/contract/clock.ts';
import { serviceAgent } from './proxy.ts';
import { valueOfJson } from '../../lib/contract/json.ts';
import { retryAfterMs } from '../../lib/contract/retry.ts';
import { isUnknownAuthority, networkReason, ServiceFailure } from '../base/service-failure.ts';
import type { Secret } from '../../lib/contract/secret.ts';
import type { ServiceSettings } from '../settings/settings.ts';

// With any offset, so that the agent also reads the times of a newer service.
const lease = z.object({ leaseExpiresAt: z.iso.datetime({ offset: true }) });
/** What the agent needs of a claimed folder request; a newer service may change the rest. */
const claimed = claimedFolderRequest
  .pick({ id: true, targetPath: true, attempts: true, requestedByUserId: true, claimToken: true })
  .extend(lease.shape);
const problem = z.object({ code: z.string(), detail: z.string().optional() });
/** Of API Management: its own, or that of another service behind it. */
const gatewayError = z.union([
  z.object({ message: z.string() }),
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error),
]);

/** A claimed folder request, and the time on this machine's clock until which it is certainly this agent's. */
export interface Claim {
  readonly request: z.infer<typeof claimed>;
  /** The request's target path, checked: what the agent works with from here on. */
  readonly target: ParsedTargetPath;
  readonly leaseEndsAtMs: number;
  /** Of the call, as in the logs of gateway and service. */
  readonly requestId: string;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Can shorten the configured timeout, not extend it. */
  readonly timeoutMs?: number | undefined;
  /** No gateway may respond from its cache. */
  readonly fresh?: boolean;
}

interface ServiceResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

interface ResponseOfCall extends ServiceResponse {
  readonly requestId: string;
}

const idOfNoRequest = '00000000-0000-7000-8000-000000000000';
/** UTF-16 units, as the contract counts them. */
const longestReason = 500;
/** Far above any response of the service: a request has at most 4,000 + 8,000 characters of text. */
const longestResponseBytes = 256 * 1024;

/**
 * The service's API for agents. Every call ends within the configured timeout, including reading the response, and either
 * succeeds or throws a `ServiceFailure`. The key is sent in the request header and used nowhere else.
 */
export class ServiceClient {
  readonly #settings: ServiceSettings;
  readonly #userAgent: string;
  readonly #clock: Clock;
  #agent: http.Agent;
  #trustsSystem = false;
  /** How long the last claim would find nothing again, unless something changes; undefined if that is not known. */
  idleMs: number | undefined;

  constructor(settings: ServiceSettings, version: string, clock: Clock) {
    this.#settings = settings;
    this.#userAgent = agentUserAgent({ version, host: hostname(), platform: process.platform });
    this.#clock = clock;
    this.#agent = serviceAgent(settings, this.#trustsSystem);
  }

  /** Claims the oldest request, or returns null. */
  async claim(
    options: CallOptions & { readonly routing?: ClaimRouting; readonly turn?: ClaimTurn } = {},
  ): Promise<Claim | null> {
    const sentAtMs = this.#clock.now();
    const { routing, turn } = options;
    const body = routing || turn ? { ...routing, ...turn } : undefined;
    const response = await this.#call('POST', '/folder-requests/claim', body, options);
    this.idleMs = idleMsOf(response);
    if (response.status === 204) return null;
    const request = parseBody(claimed, response);
    const leaseEndsAtMs = leaseEndMs(sentAtMs, request.leaseExpiresAt, response.headers.date);
    const { requestId } = response;
    return { request, target: parseTargetPath(request.targetPath), leaseEndsAtMs, requestId };
  }

  /** Extends the claim; returns the new end of the lease on this machine's clock. */
  async heartbeat({ request }: Claim, options: CallOptions = {}): Promise<number> {
    const sentAtMs = this.#clock.now();
    const body: FolderRequestHeartbeat = { claimToken: request.claimToken };
    const response = await this.#call('POST', `/folder-requests/${request.id}/heartbeat`, body, options);
    const { leaseExpiresAt } = parseBody(lease, response);
    return leaseEndMs(sentAtMs, leaseExpiresAt, response.headers.date);
  }

  async report({ request }: Claim, report: FolderRequestReport, options: CallOptions = {}): Promise<void> {
    const body: FolderRequestReport = { ...wellFormed(report), claimToken: request.claimToken };
    const response = await this.#call('PATCH', `/folder-requests/${request.id}/status`, body, options);
    parseBody(z.object({ status: z.literal(report.status) }), response);
  }

  async release({ request }: Claim, reason: string, options: CallOptions = {}): Promise<void> {
    const body: FolderRequestRelease = {
      claimToken: request.claimToken,
      reason: reason.slice(0, longestReason).toWellFormed(),
    };
    await this.#call('POST', `/folder-requests/${request.id}/release`, body, options);
  }

  async health(): Promise<{ version: string }> {
    return parseBody(z.object({ version: z.string() }), await this.#call('GET', '/health', undefined));
  }

  /**
   * Resolves if the service accepts the key. Sends a heartbeat for a request that does not exist: it changes nothing, and
   * the service checks the key before it searches for the request.
   */
  async checkKey(): Promise<void> {
    const body: FolderRequestHeartbeat = { claimToken: 'key-check' };
    try {
      await this.#call('POST', `/folder-requests/${idOfNoRequest}/heartbeat`, body);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.code !== 'folder_request_not_found') throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #call(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body: unknown,
    options: CallOptions = {},
  ): Promise<ResponseOfCall> {
    const requestId = crypto.randomUUID();
    const { signal, timeoutMs = this.#settings.requestTimeoutMs, fresh } = options;
    const limitMs = Math.ceil(Math.min(timeoutMs, this.#settings.requestTimeoutMs));
    const timeout = AbortSignal.timeout(limitMs);
    try {
      const request = {
        method,
        agent: this.#agent,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        headers: {
          ...(fresh && { 'cache-control': 'no-cache' }),
          accept: 'application/json',
          // For so long a claim can be given to this call (RFC 7240, 4.3).
          prefer: `wait=${Math.max(1, Math.floor(limitMs / 1000))}`,
          'user-agent': this.#userAgent,
          'x-request-id': requestId,
          ...(path !== '/health' && { 'x-api-key': this.#settings.key.reveal() }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      };
      const url = `${this.#settings.baseUrl}/api/v1${path}`;
      const response = await send(url, request, body === undefined ? undefined : JSON.stringify(body));
      return { ...(await readResponse(response, this.#settings.key)), requestId };
    } catch (error) {
      if (!this.#trustsSystem && isUnknownAuthority(error)) {
        // Not from the beginning: to read the system's authorities takes 35 ms of processor time.
        this.#trustsSystem = true;
        this.close();
        this.#agent = serviceAgent(this.#settings, true);
        return this.#call(method, path, body, options);
      }
      if (!(error instanceof ServiceFailure) && signal?.aborted) throw signal.reason;
      const failure =
        error instanceof ServiceFailure
          ? error
          : timeout.aborted
            ? new ServiceFailure('unreachable', `no response within ${limitMs} ms`)
            : new ServiceFailure('unreachable', networkReason(error), { cause: error });
      failure.requestId = requestId;
      throw failure;
    }
  }
}

/** Resolves with the head of the response. */
function send(
  url: string,
  options: http.RequestOptions & { readonly signal: AbortSignal },
  body: string | undefined,
): Promise<http.IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    // Node's request ends only when its agent has a connection or fails, which a silent proxy delays.
    options.signal.addEventListener('abort', () => reject(options.signal.reason));
    // Also listens for errors after the head, which reading the body reports as well.
    request(url, options, resolve).on('error', reject).end(body);
  });
}

const origin = 'the response is from a proxy or gateway, not from the service';

/** @throws ServiceFailure for every status but 2xx and for a body that is not JSON */
async function readResponse(response: http.IncomingMessage, key: Secret): Promise<ServiceResponse> {
  const { statusCode: status = 0, headers } = response;
  const text = await readText(response);
  const { date, 'retry-after': retryAfter, 'content-type': type = 'no content type' } = headers;
  const facts = { status, retryAfterMs: retryAfterMs(retryAfter, { date, receivedAtMs: Date.now() }) };
  const isSuccess = status >= 200 && status < 300;
  const body = valueOfJson(text);
  if (body === undefined && !(text === '' && (isSuccess || status >= 400))) {
    // The page is not quoted: it may repeat the key from the request.
    const what = `responded ${status} with ${type} instead of JSON`;
    throw new ServiceFailure('undecodable', `${what}: ${origin}`, facts);
  }
  if (isSuccess) return { status, headers, body };
  const { data } = problem.safeParse(body);
  if (!data) {
    const said = gatewayError.safeParse(body).data?.message.replaceAll(key.reveal(), '…').slice(0, 200);
    throw new ServiceFailure('rejected', `responded ${status}${said ? ` "${said}"` : ''}: ${origin}`, facts);
  }
  const { code, detail } = data;
  const reason = `responded ${status} ${code}${detail ? `: ${detail.slice(0, 500)}` : ''}`;
  throw new ServiceFailure('rejected', reason, { ...facts, code });
}

/** Undefined when the body is longer than any of the service. */
async function readText(response: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longestResponseBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function idleMsOf({ headers }: ServiceResponse): number | undefined {
  const seconds = String(headers['x-idle-seconds']);
  return /^[1-9]\d{0,3}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function parseBody<T>(schema: z.ZodType<T>, { status, body, requestId }: ResponseOfCall): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const at = error.issues[0]?.path.join('.');
  const message = `responded ${status} with an unexpected body (at "${at}")`;
  const failure = new ServiceFailure('undecodable', message, { status });
  failure.requestId = requestId;
  throw failure;
}

/**
 * The end of a lease on this machine's clock, never later than the real end. The clocks of two machines may be minutes
 * apart, so the result is based on how long the lease lasts from the service's response on.
 *
 * @param sentAtMs the time before the call was sent, on this machine's clock
 * @param leaseExpiresAt on the service's clock
 * @param respondedAt the `Date` header of the response, on the service's clock; whole seconds
 */
export function leaseEndMs(
  sentAtMs: number,
  leaseExpiresAt: string,
  respondedAt: string | undefined,
): number {
  const expiresAtMs = Date.parse(leaseExpiresAt);
  const respondedAtMs = Date.parse(respondedAt ?? '');
  if (Number.isNaN(respondedAtMs)) return expiresAtMs;
  // The header truncates the time of the response by up to a second.
  return sentAtMs + (expiresAtMs - (respondedAtMs + 1000));
}

/** Names on a file server can contain half of a surrogate pair, which the service rejects. */
function wellFormed(report: FolderRequestReport): FolderRequestReport {
  if (report.status === 'FULFILLED') return report;
  const { errorMessage, errorParams = {}, ...others } = report;
  const params = Object.entries(errorParams).map(([name, value]) => [name, value.toWellFormed()]);
  return { ...others, errorMessage: errorMessage.toWellFormed(), errorParams: Object.fromEntries(params) };
}
