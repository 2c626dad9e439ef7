import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer as createHttpServer,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import {
  type ClaimedFolderRequest,
  type ClaimRouting,
  claimBody,
  type ClaimTurn,
  type FolderRequest,
  folderRequestHeartbeat,
  folderRequestRelease,
  folderRequestReport,
  routingOf,
  turnOf,
} from '../../lib/contract/folder-requests.ts';
import { serves } from '../../lib/folder-requests/requests/routing.ts';
import { agentIdentityOf } from '../../lib/contract/agent-identity.ts';

export type Route = 'claim' | 'heartbeat' | 'report' | 'release' | 'health';
/** Handles a call in place of the service, or returns `respond` to let the service respond. */
export type Misbehavior = (request: IncomingMessage, response: ServerResponse) => void | 'respond';

export interface Call {
  readonly route: Route;
  readonly atMs: number;
  readonly status: number;
}

interface Entry {
  request: FolderRequest;
  claimToken: string | undefined;
  leaseEndsAtMs: number;
  turn?: ClaimTurn | undefined;
}

export interface FakeFolderServiceOptions {
  readonly key?: string;
  readonly leaseMs?: number;
  /** How far its clock is wrong. */
  readonly clockSkewMs?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/**
 * The agent routes of docs/http-contract.md over real HTTP, as strict as the service: a wrong key, body, header or
 * state is rejected with the contract's problem. Tests make it fail with `misbehave`, `goDown` and
 * `expireLease`.
 */
export class FakeFolderService {
  readonly key: string;
  readonly calls: Call[] = [];
  readonly routings: ClaimRouting[] = [];
  readonly turns: ClaimTurn[] = [];
  /** For each claim, whether it must not be answered from a cache. */
  readonly freshness: boolean[] = [];
  /** Of each call. */
  readonly requestIds: unknown[] = [];
  /** How long empty claims are valid. */
  idleSeconds: number | undefined;
  /** Behaves like a service that hands out every entry to every agent. */
  isRoutingUnknown = false;
  readonly releases: { readonly id: string; readonly reason: string }[] = [];
  /** With a smaller value, the agent sends heartbeats sooner. */
  leaseMs: number;
  readonly #options: FakeFolderServiceOptions;
  readonly #entries: Entry[] = [];
  readonly #misbehaviors = new Map<Route, Misbehavior[]>();
  readonly #sockets = new Set<Socket>();
  readonly #watchers = new Set<() => void>();
  #server: Server | undefined;
  #port = 0;
  #isDown = false;

  private constructor(options: FakeFolderServiceOptions) {
    this.#options = options;
    this.key = options.key ?? `agent-key-${randomUUID()}`;
    this.leaseMs = options.leaseMs ?? 300_000;
  }

  static async start(options: FakeFolderServiceOptions = {}): Promise<FakeFolderService> {
    const service = new FakeFolderService(options);
    await service.#listen();
    return service;
  }

  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  async #listen(): Promise<void> {
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      void this.#respond(request, response);
    this.#server = this.#options.tls
      ? createHttpsServer(this.#options.tls, handle)
      : createHttpServer(handle);
    this.#server.on('connection', (socket: Socket) => {
      if (this.#isDown) return void socket.resetAndDestroy();
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /**
   * Resets every connection, and every new one until `goUp`. The port is kept, because another process might otherwise
   * use it.
   */
  goDown(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  goUp(): void {
    this.#isDown = false;
  }

  add(targetPath: string): string {
    const now = this.#timestamp();
    const id = randomUUID();
    this.#entries.push({
      request: {
        id,
        targetPath,
        requestedByUserId: null,
        requestedByName: null,
        agentId: null,
        status: 'PENDING',
        errorMessage: null,
        attempts: 0,
        createdAt: now,
        updatedAt: now,
        processedAt: null,
      },
      claimToken: undefined,
      leaseEndsAtMs: 0,
    });
    this.#changed();
    return id;
  }

  get(id: string): FolderRequest {
    return this.#entry(id).request;
  }

  /** Gives the claim to another agent: the response to every call with the old claim token is `claim_lost`. */
  giveToOther(id: string): void {
    const entry = this.#entry(id);
    entry.claimToken = randomUUID();
    entry.leaseEndsAtMs = Infinity;
    entry.request = { ...entry.request, agentId: 'other', attempts: entry.request.attempts + 1 };
  }

  expireLease(id: string): void {
    this.#entry(id).leaseEndsAtMs = 0;
  }

  /** The next calls of this route are handled by these, one each. */
  misbehave(route: Route, ...how: readonly Misbehavior[]): void {
    this.#misbehaviors.set(route, [...(this.#misbehaviors.get(route) ?? []), ...how]);
  }

  count(route: Route): number {
    return this.calls.filter((call) => call.route === route).length;
  }

  /** Resolves when `condition` holds; it is checked again after every call and change. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  /** Resolves with the entry when it is FULFILLED or FAILED. */
  async finished(id: string): Promise<FolderRequest> {
    await this.until(() => ['FULFILLED', 'FAILED'].includes(this.get(id).status));
    return this.get(id);
  }

  async stop(): Promise<void> {
    this.goDown();
    if (!this.#server?.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { route, id } = routeOf(request);
    if (route === undefined) {
      this.#problem(response, 404, 'not_found', 'no such route');
      return;
    }
    response.once('close', () => {
      this.calls.push({ route, atMs: Date.now(), status: response.statusCode });
      this.#changed();
    });
    this.requestIds.push(request.headers['x-request-id']);
    if (route === 'claim') this.freshness.push(request.headers['cache-control'] === 'no-cache');
    const misbehavior = this.#misbehaviors.get(route)?.shift();
    if (misbehavior && misbehavior(request, response) !== 'respond') return;
    const fault = headerFault(request, this.key, route);
    if (fault) this.#problem(response, fault.status, fault.code, fault.detail);
    else this.#handle(route, id, Buffer.concat(chunks).toString('utf8'), response);
  }

  #handle(route: Route, id: string, text: string, response: ServerResponse): void {
    if (route === 'health') this.#json(response, { status: 'ok', version: 'fake' });
    else if (route === 'claim') this.#claim(text, response);
    else if (route === 'heartbeat') this.#heartbeat(id, text, response);
    else if (route === 'release') this.#release(id, text, response);
    else this.#report(id, text, response);
  }

  #claim(text: string, response: ServerResponse): void {
    const body = text === '' ? undefined : claimBody.safeParse(parsed(text));
    if (body?.success === false) return this.#problem(response, 400, 'invalid_request', 'body');
    const routing = body && routingOf(body.data);
    const turn = body && turnOf(body.data);
    if (routing) this.routings.push(routing);
    if (turn) this.turns.push(turn);
    const now = this.#now();
    const held = this.#entries.find(
      ({ request, leaseEndsAtMs, ...entry }) =>
        turn && isDeepStrictEqual(entry.turn, turn) && request.status === 'PROCESSING' && leaseEndsAtMs > now,
    );
    if (held) return this.#json(response, claimOf(held));
    const entry = this.#entries.find(
      ({ request, leaseEndsAtMs }) =>
        (this.isRoutingUnknown || serves(routing, request.targetPath)) &&
        (request.status === 'PENDING' || (request.status === 'PROCESSING' && leaseEndsAtMs <= now)),
    );
    if (!entry) {
      const headers = this.idleSeconds === undefined ? {} : { 'x-idle-seconds': this.idleSeconds };
      return void response.writeHead(204, headers).end();
    }
    entry.claimToken = randomUUID();
    entry.leaseEndsAtMs = now + this.leaseMs;
    const attempts = entry.request.attempts + 1;
    entry.request = { ...entry.request, status: 'PROCESSING', agentId: 'agent', attempts };
    entry.turn = turn;
    this.#json(response, claimOf(entry));
  }

  #heartbeat(id: string, text: string, response: ServerResponse): void {
    const body = folderRequestHeartbeat.safeParse(parsed(text));
    if (!body.success) return this.#problem(response, 400, 'invalid_request', 'body');
    const entry = this.#entries.find(({ request }) => request.id === id);
    if (!entry) return this.#problem(response, 404, 'folder_request_not_found', 'no such folder request');
    if (entry.request.status !== 'PROCESSING' || entry.claimToken !== body.data.claimToken) {
      return this.#problem(response, 409, 'claim_lost', 'the claim is held by another agent');
    }
    entry.leaseEndsAtMs = this.#now() + this.leaseMs;
    this.#json(response, { leaseExpiresAt: new Date(entry.leaseEndsAtMs).toISOString() });
  }

  #release(id: string, text: string, response: ServerResponse): void {
    const body = folderRequestRelease.safeParse(parsed(text));
    if (!body.success) return this.#problem(response, 400, 'invalid_request', 'body');
    const entry = this.#entries.find(({ request }) => request.id === id);
    if (!entry) return this.#problem(response, 404, 'folder_request_not_found', 'no such folder request');
    if (entry.request.status !== 'PROCESSING' || entry.claimToken !== body.data.claimToken) {
      return this.#problem(response, 409, 'claim_lost', 'the claim is held by another agent');
    }
    entry.claimToken = undefined;
    entry.request = { ...entry.request, status: 'PENDING', agentId: null };
    this.releases.push({ id, reason: body.data.reason });
    this.#json(response, entry.request);
  }

  #report(id: string, text: string, response: ServerResponse): void {
    const body = folderRequestReport.safeParse(parsed(text));
    if (!body.success) return this.#problem(response, 400, 'invalid_request', 'body');
    const entry = this.#entries.find(({ request }) => request.id === id);
    if (!entry) return this.#problem(response, 404, 'folder_request_not_found', 'no such folder request');
    const { status } = body.data;
    if (entry.claimToken !== body.data.claimToken) {
      return this.#problem(response, 409, 'claim_lost', 'the claim is held by another agent');
    }
    if (entry.request.status === status) return this.#json(response, entry.request);
    if (entry.request.status !== 'PROCESSING') return this.#problem(response, 409, 'not_processing', 'done');
    const errorMessage = body.data.status === 'FAILED' ? body.data.errorMessage : null;
    entry.request = { ...entry.request, status, errorMessage, processedAt: this.#timestamp() };
    this.#json(response, entry.request);
  }

  #json(response: ServerResponse, body: unknown): void {
    response.writeHead(200, { ...this.#headers(), 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  #problem(response: ServerResponse, status: number, code: string, detail: string): void {
    response.writeHead(status, { ...this.#headers(), 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: 'about:blank', title: code, status, detail, code, requestId: 'x' }));
  }

  #headers(): Record<string, string> {
    return { date: new Date(this.#now()).toUTCString(), 'cache-control': 'no-store' };
  }

  #entry(id: string): Entry {
    const entry = this.#entries.find(({ request }) => request.id === id);
    if (!entry) throw new Error(`no folder request ${id}`);
    return entry;
  }

  #now(): number {
    return Date.now() + (this.#options.clockSkewMs ?? 0);
  }

  #timestamp(): string {
    return new Date(this.#now()).toISOString();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

const claimOf = ({ request, claimToken = '', leaseEndsAtMs }: Entry): ClaimedFolderRequest => ({
  ...request,
  claimToken,
  leaseExpiresAt: new Date(leaseEndsAtMs).toISOString(),
});

function routeOf({ method, url }: IncomingMessage): { route: Route | undefined; id: string } {
  if (method === 'GET' && url === '/api/v1/health') return { route: 'health', id: '' };
  if (method === 'POST' && url === '/api/v1/folder-requests/claim') return { route: 'claim', id: '' };
  const [, id = '', action] =
    /^\/api\/v1\/folder-requests\/([0-9a-f-]{36})\/(heartbeat|release|status)$/.exec(url ?? '') ?? [];
  if (method === 'POST' && action === 'heartbeat') return { route: 'heartbeat', id };
  if (method === 'POST' && action === 'release') return { route: 'release', id };
  if (method === 'PATCH' && action === 'status') return { route: 'report', id };
  return { route: undefined, id };
}

function headerFault({ headers }: IncomingMessage, key: string, route: Route) {
  const fault = (status: number, code: string, detail: string) => ({ status, code, detail });
  if (headers.authorization !== undefined)
    return fault(400, 'invalid_request', 'agents send no bearer token');
  if (typeof agentIdentityOf(headers['user-agent'] ?? null)?.host !== 'string')
    return fault(400, 'invalid_request', `the agent says it is ${headers['user-agent']}`);
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(String(headers['x-request-id']))) {
    return fault(400, 'invalid_request', 'x-request-id');
  }
  if (route === 'health') {
    return headers['x-api-key'] === undefined
      ? undefined
      : fault(400, 'invalid_request', 'health needs no key');
  }
  if (headers['x-api-key'] !== key) return fault(401, 'invalid_agent_key', 'unknown agent key');
  const hasBody = route !== 'claim' || headers['content-length'] !== '0';
  if (hasBody && headers['content-type'] !== 'application/json') {
    return fault(415, 'unsupported_media_type', 'expected application/json');
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const misbehaviors = {
  htmlPage:
    (status: number): Misbehavior =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<html><body><h1>Proxy error</h1></body></html>');
    },
  retryAfter:
    (status: number, seconds: number): Misbehavior =>
    (_request, response) => {
      const problem = {
        type: 'about:blank',
        title: 'busy',
        status,
        code: 'storage_unavailable',
        requestId: 'x',
      };
      response.writeHead(status, {
        'content-type': 'application/problem+json',
        'retry-after': String(seconds),
      });
      response.end(JSON.stringify(problem));
    },
  json:
    (status: number, body: unknown): Misbehavior =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    },
  /** The call arrives and never gets a response. */
  silence: (): Misbehavior => () => undefined,
  reset: (): Misbehavior => (request) => void request.socket.destroy(),
  /** The service carries out the call; the response is lost. */
  lostResponse: (): Misbehavior => (request, response) => {
    response.end = (() => {
      request.socket.destroy();
      return response;
    }) as ServerResponse['end'];
    response.writeHead = () => response;
    return 'respond';
  },
};
