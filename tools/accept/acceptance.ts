import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { Stopped } from '../verify/rule.ts';

/** Who calls. A step whose caller has no token is skipped. */
export type As = 'user' | 'author' | 'noRole' | 'nobody';

export interface Target {
  /** Of the gateway, or of the service itself, without `/api/v1`. */
  readonly baseUrl: string;
  readonly credentials: Readonly<Partial<Record<Exclude<As, 'nobody'>, () => Promise<string>>>>;
  /** Deletes what the service has no operation for: the project's folder in the library, and the letter. */
  readonly removeItem?: (drive: 'library' | 'oneDrive', id: string) => Promise<void>;
  /** Whether API Management is in front, whose limits are lower. */
  readonly hasGateway: boolean;
  /** The service's own address behind the gateway, which must let nobody in. */
  readonly serviceUrl?: string | undefined;
  /** Ends the run in order. */
  readonly signal?: AbortSignal;
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

/** The deployment has not what the step is about, for example no console. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** The step needs something that this run was not given, such as a token. */
export class NotGiven extends Error {
  override readonly name = 'NotGiven';
}

export interface StepOutcome {
  readonly title: string;
  readonly result: 'ok' | 'FAILED' | 'skipped' | 'not here';
  readonly says: string;
  readonly seconds: number;
}

export interface AcceptanceRun {
  readonly outcomes: readonly StepOutcome[];
  /** Of the plan, not of those that ran. */
  readonly steps: number;
  readonly stopped?: { readonly at: string; readonly reason: string };
  /** What a run that was stopped could not remove. */
  readonly left?: string;
}

const timeoutMs = 240_000;

/** The requests of one step, and what earlier steps have left for later ones. */
export class Acceptance {
  readonly target: Target;
  readonly #allowed: readonly RegExp[];
  readonly #outlivesSignal: boolean;
  readonly shared: Shared;

  constructor(target: Target, step: Step, shared: Shared, outlivesSignal = false) {
    this.target = target;
    this.shared = shared;
    this.#outlivesSignal = outlivesSignal;
    this.#allowed = step.requests.map(patternOf);
  }

  /** Sends to the API. */
  async send(
    method: string,
    path: string,
    { as = 'user', json, body, headers }: Sent = {},
  ): Promise<Received> {
    const line = `${method} ${path.split('?', 1)[0]}`;
    this.#check(line);
    const isPage = path.startsWith('/api/');
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
    const { headerFaults } = this.shared;
    if (headers.get('x-request-id') === null) headerFaults.add(`no x-request-id (${status})`);
    const caching = headers.get('cache-control') ?? '';
    if (!/\bno-store\b|\bprivate\b/.test(caching)) {
      headerFaults.add(`Cache-Control ${caching === '' ? 'is missing' : `is "${caching}"`} (${status})`);
    }
  }

  /** Of one request. After the end of the run's signal, only the removal still sends. */
  get #signal(): AbortSignal {
    const limit = AbortSignal.timeout(timeoutMs);
    const { signal } = this.target;
    return signal && !this.#outlivesSignal ? AbortSignal.any([limit, signal]) : limit;
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

  async #authorization(as: As): Promise<Record<string, string>> {
    const { credentials } = this.target;
    if (as === 'nobody') return {};
    return { authorization: `Bearer ${(await credentials[as]?.()) ?? ''}` };
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
  /** Of all responses of the API so far. */
  readonly headerFaults: Set<string>;
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

/**
 * Runs every step, also after a failure: what a later one finds is worth knowing, and the last one removes everything. A run
 * ends early if the service is no longer there, a token has ended, or the signal says so; then only the last step still runs.
 */
export async function accept(
  steps: readonly Step[],
  target: Target,
  onOutcome: (outcome: StepOutcome) => void,
): Promise<AcceptanceRun> {
  const outcomes: StepOutcome[] = [];
  const shared: Shared = { uploadedIds: [], headerFaults: new Set() };
  for (const step of steps) {
    const startedAt = target.now();
    const result = await resultOf(step, target, shared);
    if (result instanceof Stopped) {
      const stopped = { at: step.title, reason: result.message };
      return { outcomes, steps: steps.length, stopped, ...(await removeWhatIsLeft(steps, target, shared)) };
    }
    const done = { title: step.title, ...result, seconds: (target.now() - startedAt) / 1000 };
    outcomes.push(done);
    onOutcome(done);
  }
  return { outcomes, steps: steps.length };
}

async function resultOf(
  step: Step,
  target: Target,
  shared: Shared,
): Promise<Pick<StepOutcome, 'result' | 'says'> | Stopped> {
  const { needs } = step;
  const { signal } = target;
  if (signal?.aborted) return new Stopped(String(signal.reason));
  if (needs !== undefined && target.credentials[needs] === undefined) {
    return { result: 'skipped', says: `needs ${whose[needs]}` };
  }
  try {
    return { result: 'ok', says: (await step.run(new Acceptance(target, step, shared))) ?? '' };
  } catch (error) {
    if (signal?.aborted) return new Stopped(String(signal.reason));
    if (error instanceof Stopped) return error;
    if (error instanceof NotApplicable) return { result: 'not here', says: error.message };
    if (error instanceof NotGiven) return { result: 'skipped', says: error.message };
    if (!(error instanceof Difference) && !(await isThere(target))) return new Stopped(textOf(error));
    return { result: 'FAILED', says: textOf(error) };
  }
}

/** Whether the service responds at all, so that a lost connection is a difference of one step. */
async function isThere({ baseUrl }: Target): Promise<boolean> {
  const response = fetch(`${baseUrl}/api/v1/health`, { signal: AbortSignal.timeout(10_000) });
  return response.then(
    () => true,
    () => false,
  );
}

/** The last step, after the end of the run. */
async function removeWhatIsLeft(
  steps: readonly Step[],
  target: Target,
  shared: Shared,
): Promise<{ left?: string }> {
  const last = steps.at(-1);
  if (last?.needs === undefined || target.credentials[last.needs] === undefined) return {};
  try {
    await last.run(new Acceptance(target, last, shared, true));
    return {};
  } catch (error) {
    return { left: `what this run made could not be removed (${textOf(error)}); the next run removes it` };
  }
}

/** The variables of a pipeline; a person signs in instead. */
const whose = {
  user: 'a sign-in, or ACCEPT_TOKEN',
  author: 'a sign-in, or ACCEPT_TOKEN',
  noRole: '--no-role, or ACCEPT_NO_ROLE_TOKEN',
} as const;

/** Errors of the network without their addresses. */
function textOf(error: unknown): string {
  if (error instanceof Difference || error instanceof Stopped) return error.message;
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code === undefined ? (name === 'Error' ? message : name) : `no response (${cause.code})`;
}

export const lineOf = ({ title, result, says, seconds }: StepOutcome): string =>
  `${result.padEnd(8)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${title}${says === '' ? '' : `: ${says}`}`;

/** "Accepted" only if every step was tried that this deployment can have. */
export function headlineOf({ outcomes, steps, stopped, left }: AcceptanceRun): string {
  const count = (result: StepOutcome['result']) => outcomes.filter((each) => each.result === result).length;
  const checked = `${count('ok') + count('FAILED')} of ${steps} checked`;
  const failed = count('FAILED') === 0 ? '' : `, ${count('FAILED')} failed`;
  if (stopped) {
    return `Stopped at "${stopped.at}": ${stopped.reason} (${checked}${failed})${left === undefined ? '' : `; ${left}`}`;
  }
  if (failed !== '') return `Not accepted: ${checked}${failed}`;
  if (count('skipped') > 0) return checked;
  return count('not here') === 0 ? 'Accepted' : `Accepted: ${checked}, the others do not apply here`;
}

/** For the page of a pipeline. */
export function markdownOf(run: AcceptanceRun): string {
  const rows = run.outcomes.map(
    ({ title, result, says, seconds }) =>
      `| ${result} | ${title} | ${seconds.toFixed(1)} | ${says.replaceAll('|', '\\|')} |`,
  );
  return [`## ${headlineOf(run)}`, '', '| | step | s | |', '|---|---|---|---|', ...rows, ''].join('\n');
}
