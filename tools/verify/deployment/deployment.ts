import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Leftovers } from '../library/leftovers.ts';
import { Difference, NotGiven, type Rule, Stopped } from '../rule.ts';

/** Who calls. A rule whose caller has no token is not probed. */
export type As = 'user' | 'author' | 'noRole' | 'nobody';

export interface DeploymentTarget {
  /** Of the gateway, or of the service itself, without `/api/v1`. */
  readonly baseUrl: string;
  readonly credentials: Readonly<Partial<Record<Exclude<As, 'nobody'>, () => Promise<string>>>>;
  /** Deletes what the service has no operation for: the project's folder in the library, and the letter. */
  readonly removeItem?: (drive: 'library' | 'oneDrive', id: string) => Promise<void>;
  /** Whether API Management is in front, whose limits are lower. */
  readonly hasGateway: boolean;
  /** The service's own address behind the gateway, which must let nobody in. */
  readonly serviceUrl?: string | undefined;
  /** Ends the run in order: from then on, only the removal sends. */
  readonly signal?: AbortSignal;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

export const world = { now: () => performance.now(), wait: (ms: number) => delay(ms) };

export interface Sent {
  readonly as?: As;
  readonly json?: unknown;
  readonly body?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** A rule about a deployment. Nothing is sent but its `requests`, as `METHOD /path/{…}`; `UPLOAD` and `LINK` are the library's URLs. */
export interface DeploymentRule extends Omit<Rule<Deployment>, 'probe'> {
  readonly requests: readonly string[];
  readonly needs?: Exclude<As, 'nobody'>;
  /** @returns what a person should know, such as a version. @throws Difference, NotGiven, NotApplicable */
  readonly run: (deployment: Deployment) => Promise<string | void>;
}

const timeoutMs = 240_000;
const aliveMs = 10_000;

/** The variables of a pipeline; a person signs in instead. */
const whose = {
  user: 'a sign-in, or ACCEPT_TOKEN',
  author: 'a sign-in, or ACCEPT_TOKEN',
  noRole: '--no-role, or ACCEPT_NO_ROLE_TOKEN',
} as const;

/** @throws Difference unless it holds */
export const require = (holds: boolean, says: string): void => {
  if (!holds) throw new Difference(says);
};

export const ruleOf = ({ needs, run, ...rule }: DeploymentRule): Rule<Deployment> => ({
  ...rule,
  async probe(deployment) {
    if (needs !== undefined && deployment.target.credentials[needs] === undefined)
      throw new NotGiven(`needs ${whose[needs]}`);
    deployment.allow(rule.requests);
    const says = await run(deployment);
    return { holds: true, seen: says || 'as expected' };
  },
});

/** The requests of the rules, and what earlier ones have left for later ones. */
export class Deployment {
  readonly target: DeploymentTarget;
  #allowed: readonly RegExp[] = [];
  #isEnding = false;
  /** Whether the service has something of this run. */
  #isUsed = false;
  rootId?: string;
  readonly uploadedIds: string[] = [];
  /** Of all responses of the API so far. */
  readonly headerFaults = new Set<string>();
  readonly leftovers: Leftovers = { removed: [], left: [] };

  constructor(target: DeploymentTarget) {
    this.target = target;
  }

  /** From now on, nothing else is sent. */
  allow(requests: readonly string[]): void {
    this.#allowed = requests.map(patternOf);
  }

  /** Nothing of this run remains, so its end sends nothing. */
  markRemoved(): void {
    this.#isUsed = false;
  }

  /** At the end of a run, also after that of its signal: what its last rule did not remove, and what could not be. */
  async remove(removal: Pick<DeploymentRule, 'requests' | 'run'>): Promise<void> {
    if (!this.#isUsed) return;
    this.#isEnding = true;
    this.allow(removal.requests);
    try {
      await removal.run(this);
    } catch (error) {
      const { name, message, cause } = error as Error & { cause?: { code?: string } };
      const isOurs = error instanceof Difference || error instanceof Stopped;
      const reason = isOurs ? message : `no response (${cause?.code ?? name})`;
      this.leftovers.left.push(`what this run made in the service (${reason}); the next run removes it`);
    }
  }

  /** Whether anything responds at all. @throws Error of the network */
  async requireService(): Promise<void> {
    await fetch(`${this.target.baseUrl}/api/v1/health`, { signal: AbortSignal.timeout(aliveMs) });
  }

  /** Sends to the API. */
  async send(
    method: string,
    path: string,
    { as = 'user', json, body, headers }: Sent = {},
  ): Promise<Received> {
    this.#check(`${method} ${path.split('?', 1)[0]}`);
    const isPage = path.startsWith('/api/');
    if (as !== 'nobody' && method !== 'GET') this.#isUsed = true;
    const response = await fetch(`${this.target.baseUrl}${isPage ? '' : '/api/v1'}${path}`, {
      method,
      redirect: 'manual',
      signal: this.#signal,
      headers: {
        ...(await this.#authorization(as)),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body, duplex: 'half' }),
    });
    if (response.status === 401 && as !== 'nobody') {
      throw new Stopped(
        `the service does not accept the token of ${whose[as]}, or no longer (401): sign in again.`,
      );
    }
    if (!isPage) this.#watchHeaders(response);
    return receive(response);
  }

  /** The service's own address, without the gateway. */
  async toService(method: string, path: string): Promise<number> {
    this.#check(`SERVICE ${method} ${path}`);
    const url = `${this.target.serviceUrl ?? ''}${path}`;
    return (await fetch(url, { method, redirect: 'manual', signal: this.#signal })).status;
  }

  #watchHeaders({ headers, status }: Response): void {
    const { headerFaults } = this;
    if (headers.get('x-request-id') === null) headerFaults.add(`no x-request-id (${status})`);
    const caching = headers.get('cache-control') ?? '';
    if (!/\bno-store\b|\bprivate\b/.test(caching)) {
      headerFaults.add(`Cache-Control ${caching === '' ? 'is missing' : `is "${caching}"`} (${status})`);
    }
  }

  get #signal(): AbortSignal {
    const limit = AbortSignal.timeout(timeoutMs);
    const { signal } = this.target;
    return signal && !this.#isEnding ? AbortSignal.any([limit, signal]) : limit;
  }

  /** Expects a status, and the code of a problem if it is one. @throws Difference */
  async expect(
    status: number,
    method: string,
    path: string,
    sent: Sent & { code?: string } = {},
  ): Promise<Received> {
    const response = await this.send(method, path, sent);
    const seen = [response.status, response.body?.code].filter(Boolean).join(' ');
    if (response.status !== status || (sent.code !== undefined && response.body?.code !== sent.code)) {
      throw new Difference(
        `${method} returned ${seen}, expected ${[status, sent.code].filter(Boolean).join(' ')}`,
      );
    }
    return response;
  }

  /** Sends to a URL of the library, which has its own token. */
  async toLibrary(
    kind: 'UPLOAD' | 'LINK',
    method: string,
    url: string,
    init: RequestInit = {},
  ): Promise<Received> {
    this.#check(`${kind} ${method}`);
    return receive(await fetch(url, { method, signal: this.#signal, ...init }));
  }

  /** The status of a request with these headers and no body. Null if the server does not respond within ten seconds. */
  async statusOfHeaders(
    method: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<number | null> {
    this.#check(`${method} ${path}`);
    const { baseUrl } = this.target;
    const authorization = await this.#authorization('user');
    const send = baseUrl.startsWith('https:') ? secureRequest : request;
    return new Promise((resolve) => {
      const outgoing = send(`${baseUrl}/api/v1${path}`, {
        method,
        headers: { ...authorization, ...headers },
        timeout: aliveMs,
      });
      outgoing.on('response', (response) => {
        resolve(response.statusCode ?? null);
        outgoing.destroy();
      });
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('close', () => resolve(null));
      outgoing.on('error', () => resolve(null));
      outgoing.flushHeaders();
    });
  }

  async #authorization(as: As): Promise<Record<string, string>> {
    const { credentials } = this.target;
    if (as === 'nobody') return {};
    return { authorization: `Bearer ${(await credentials[as]?.()) ?? ''}` };
  }

  #check(requestLine: string): void {
    if (!this.#allowed.some((pattern) => pattern.test(requestLine)))
      throw new Stopped(`the plan of this rule does not list ${requestLine}.`);
  }
}

async function receive(response: Response): Promise<Received> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const body: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : bytes;
  return { status: response.status, headers: response.headers, body };
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split(/\{[^}]*\}/)
      .map((part) => RegExp.escape(part))
      .join('[^/]+')}$`,
  );
