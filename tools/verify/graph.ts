import { setTimeout as delay } from 'node:timers/promises';
import { Stopped } from './rule.ts';

export interface GraphResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, else the bytes as text. */
  readonly body: any;
  /** The code of the error and those nested in it, outermost first. */
  readonly codes: readonly string[];
}

export interface Sent {
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Without the user's token, as upload and download URLs require it. */
  readonly isAnonymous?: boolean;
}

const maxThrottled = 5;
const timeoutMs = 120_000;
/** Where a throttled response does not say how long to wait. */
const defaultWaitSeconds = 10;

export interface GraphUserOptions {
  readonly onRequest?: (method: string, url: string) => void;
  /** Ends the run: from then on, only DELETE is sent, because nothing may remain. */
  readonly signal?: AbortSignal;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Requests of one user to Graph, or to the host of its upload and download URLs. Redirects are not followed. */
export class GraphUser {
  readonly #root: string;
  readonly #token: () => Promise<string>;
  readonly #options: GraphUserOptions;
  throttled = 0;
  /** Of the throttled responses, those that said how long to wait. */
  throttledWithTime = 0;
  /** Names of headers with limits that any response had. */
  readonly limitHeaders = new Set<string>();

  /** @param root up to and including `/v1.0` */
  constructor(root: string, token: string | (() => Promise<string>), options: GraphUserOptions = {}) {
    this.#root = root;
    this.#token = typeof token === 'string' ? () => Promise.resolve(token) : token;
    this.#options = options;
  }

  get hostname(): string {
    return new URL(this.#root).hostname;
  }

  /**
   * Waits and repeats a throttled request, at most five times.
   * @throws Stopped if the target keeps throttling, or no longer accepts the token
   */
  async send(method: string, address: string, sent: Sent = {}): Promise<GraphResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#sendOnce(method, address, sent);
      if (response.status === 401 && address.startsWith('/') && !sent.isAnonymous) {
        throw new Stopped(
          `Graph does not accept the token, or no longer (${describeResponse(response)}): sign in again.`,
        );
      }
      if (response.status !== 429) return response;
      this.throttled += 1;
      const seconds = Number(response.headers.get('retry-after'));
      if (seconds > 0) this.throttledWithTime += 1;
      if (attempt === maxThrottled) throw new Stopped('The target keeps throttling; try again in an hour.');
      await (this.#options.wait ?? delay)((seconds || defaultWaitSeconds) * 1000);
    }
  }

  async #sendOnce(
    method: string,
    address: string,
    { headers, json, bytes, isAnonymous }: Sent,
  ): Promise<GraphResponse> {
    const { onRequest, signal } = this.#options;
    const url = address.startsWith('/') ? this.#root + address : address;
    onRequest?.(method, url);
    const body = bytes ?? (json === undefined ? undefined : JSON.stringify(json));
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: signal && method !== 'DELETE' ? AbortSignal.any([limit, signal]) : limit,
      headers: {
        ...(!isAnonymous && { authorization: `Bearer ${await this.#token()}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    for (const name of response.headers.keys()) {
      if (name.startsWith('ratelimit')) this.limitHeaders.add(name);
    }
    const text = await response.text();
    const parsed = text.startsWith('{') && isJson(response) ? JSON.parse(text) : text;
    return {
      status: response.status,
      headers: response.headers,
      body: parsed,
      codes: [...codesOf(parsed?.error)],
    };
  }
}

const isJson = ({ headers }: Response): boolean => /\bjson\b/.test(headers.get('content-type') ?? '');

interface GraphFault {
  readonly code?: unknown;
  readonly innerError?: GraphFault;
  readonly innererror?: GraphFault;
}

function* codesOf(fault: GraphFault | undefined): Iterable<string> {
  for (let inner = fault; inner; inner = inner.innerError ?? inner.innererror) {
    if (typeof inner.code === 'string') yield inner.code;
  }
}

/** What a report may say of a response. */
export const describeResponse = ({ status, codes }: GraphResponse): string => [status, ...codes].join(' ');
