import { request } from 'node:http';
import { request as secureRequest } from 'node:https';

/** Who calls. A step whose caller has no token is skipped. */
export type As = 'user' | 'author' | 'noRole' | 'nobody';

export interface Target {
  /** Of the gateway, or of the service itself, without `/api/v1`. */
  readonly baseUrl: string;
  readonly credentials: Readonly<Partial<Record<Exclude<As, 'nobody'>, string>>>;
  /** Deletes what the service has no operation for: the project's folder in the library, and the letter. */
  readonly removeItem?: (item: { webUrl: string } | { id: string }) => Promise<void>;
  /** Whether API Management is in front, whose limits are lower. */
  readonly hasGateway: boolean;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

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

export interface Step {
  readonly title: string;
  /** Every request that it can send, as `METHOD /path/{…}`; nothing else is sent. `UPLOAD` and `LINK` are the library's URLs. */
  readonly requests: readonly string[];
  readonly needs?: Exclude<As, 'nobody'>;
  /** @returns what a person should know, such as a version. @throws Difference */
  run(acceptance: Acceptance): Promise<string | void>;
}

/** The deployment is not as expected. Its text has no id, address, or name of the target. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** The step does not apply to this deployment. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

export interface StepOutcome {
  readonly title: string;
  readonly result: 'ok' | 'FAILED' | 'skipped';
  readonly says: string;
  readonly seconds: number;
}

const timeoutMs = 240_000;

/** The requests of one step, and what earlier steps have left for later ones. */
export class Acceptance {
  readonly target: Target;
  readonly #allowed: readonly RegExp[];
  readonly shared: Shared;

  constructor(target: Target, step: Step, shared: Shared) {
    this.target = target;
    this.shared = shared;
    this.#allowed = step.requests.map(patternOf);
  }

  /** Sends to the API. */
  async send(
    method: string,
    path: string,
    { as = 'user', json, body, headers }: Sent = {},
  ): Promise<Received> {
    this.#check(`${method} ${path.split('?', 1)[0]}`);
    const isPage = path.startsWith('/api/');
    const response = await fetch(`${this.target.baseUrl}${isPage ? '' : '/api/v1'}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...this.#authorization(as),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body, duplex: 'half' }),
    });
    return received(response);
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
    return received(await fetch(url, { method, signal: AbortSignal.timeout(timeoutMs), ...init }));
  }

  /** The status of a request with these headers and no body. Null if the server does not respond within ten seconds. */
  statusOfHeaders(method: string, path: string, headers: Record<string, string>): Promise<number | null> {
    this.#check(`${method} ${path}`);
    const { baseUrl } = this.target;
    const send = baseUrl.startsWith('https:') ? secureRequest : request;
    return new Promise((resolve) => {
      const outgoing = send(`${baseUrl}/api/v1${path}`, {
        method,
        headers: { ...this.#authorization('user'), ...headers },
        timeout: 10_000,
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

  #authorization(as: As): Record<string, string> {
    const { credentials } = this.target;
    if (as === 'nobody') return {};
    return { authorization: `Bearer ${credentials[as] ?? ''}` };
  }

  #check(requestLine: string): void {
    if (!this.#allowed.some((pattern) => pattern.test(requestLine)))
      throw new Error(`The plan of this step does not list ${requestLine}.`);
  }
}

/** What steps leave for later ones. */
export interface Shared {
  rootId?: string;
  uploadedIds: string[];
}

async function received(response: Response): Promise<Received> {
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

/** Runs every step, also after a failure: what a later one finds is worth knowing, and the last ones remove everything. */
export async function accept(
  steps: readonly Step[],
  target: Target,
  onOutcome: (outcome: StepOutcome) => void,
): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  const shared: Shared = { uploadedIds: [] };
  for (const step of steps) {
    const { title, needs } = step;
    const startedAt = target.now();
    let outcome: Pick<StepOutcome, 'result' | 'says'>;
    if (needs !== undefined && target.credentials[needs] === undefined) {
      outcome = { result: 'skipped', says: `needs ${variableOf[needs]}` };
    } else {
      outcome = await step.run(new Acceptance(target, step, shared)).then(
        (says) => ({ result: 'ok', says: says ?? '' }),
        (error: unknown) => ({
          result: error instanceof NotApplicable ? 'skipped' : 'FAILED',
          says: textOf(error),
        }),
      );
    }
    const done = { title, ...outcome, seconds: (target.now() - startedAt) / 1000 };
    outcomes.push(done);
    onOutcome(done);
  }
  return outcomes;
}

export const variableOf = {
  user: 'ACCEPT_TOKEN',
  author: 'ACCEPT_TOKEN',
  noRole: 'ACCEPT_NO_ROLE_TOKEN',
} as const;

/** Errors of the network without their addresses. */
function textOf(error: unknown): string {
  if (error instanceof Difference || error instanceof NotApplicable) return error.message;
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code === undefined ? (name === 'Error' ? message : name) : `no response (${cause.code})`;
}

export const lineOf = ({ title, result, says, seconds }: StepOutcome): string =>
  `${result.padEnd(8)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${title}${says === '' ? '' : `: ${says}`}`;

/** For the page of a pipeline. */
export function markdownOf(outcomes: readonly StepOutcome[]): string {
  const failed = outcomes.filter(({ result }) => result === 'FAILED').length;
  const rows = outcomes.map(
    ({ title, result, says, seconds }) =>
      `| ${result} | ${title} | ${seconds.toFixed(1)} | ${says.replaceAll('|', '\\|')} |`,
  );
  const verdict = failed === 0 ? 'Accepted' : `Not accepted: ${failed} of ${outcomes.length} steps failed`;
  return [`## ${verdict}`, '', '| | step | s | |', '|---|---|---|---|', ...rows, ''].join('\n');
}
