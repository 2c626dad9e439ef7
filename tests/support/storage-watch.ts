import { RestError, type TableServiceClientOptions } from '@azure/data-tables';
import { CredentialUnavailableError } from '@azure/identity';

type Policies = NonNullable<TableServiceClientOptions['additionalPolicies']>;
type SendRequest = Policies[number]['policy']['sendRequest'];

export type StorageCallKind = 'transaction' | 'query' | 'point read' | 'write';

export interface StorageCall {
  readonly kind: StorageCallKind;
  /** 0 for the first call since the watch was last reset. */
  readonly index: number;
  readonly partition: string | undefined;
}

/**
 * How a call fails. `reset` does not reach the storage; `timeout` is what a caller sees that has waited long enough; `lost response` is executed, but the caller receives a reset; a
 * status is a rejection without any effect; `empty page` responds to a query with only a continuation, as the service does
 * when it crosses a partition or a time limit; `busy` and `being deleted` ask for 2 and 7 s of patience; `no token` is a failure of the managed identity.
 */
export type Fault =
  | 'reset'
  | 'timeout'
  | 'busy'
  | 'being deleted'
  | 'no token'
  | 'lost response'
  | 'empty page'
  | 404
  | 409
  | 412
  | 413
  | 500
  | 503;

/** Counts the HTTP requests of its clients, and makes them fail on demand. */
export class StorageWatch {
  calls: StorageCall[] = [];
  /** Length of the longest chain of requests that each waited for an earlier response. */
  roundTrips = 0;
  /** Requests whose response was a conflict: transactions that lost a race. */
  conflicts = 0;
  /** Entities that the queries returned. */
  rowsRead = 0;
  /** Entities that the transactions were about. */
  rowsWritten = 0;
  fault: (call: StorageCall) => Fault | undefined = () => undefined;
  /** Runs before the request is sent; a test stops a client here. */
  gate: (call: StorageCall) => Promise<void> | undefined = () => undefined;
  /**
   * Whether responses are delivered together, once the storage has responded to all requests in progress. `roundTrips` is exact
   * then. Otherwise a request also counts as later than a response of another chain that a busy machine delivers before it.
   */
  inLockStep = false;
  #completed = 0;
  #open = 0;
  #inProgress = 0;
  #round = Promise.withResolvers<void>();

  reset(): void {
    this.calls = [];
    this.roundTrips = 0;
    this.conflicts = 0;
    this.rowsRead = 0;
    this.rowsWritten = 0;
    this.#completed = 0;
  }

  /** Resolves when no request is in progress, also of those for which no call waits. */
  async untilIdle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#open > 0);
  }

  async #delivered<T>(sent: Promise<T>): Promise<T> {
    if (!this.inLockStep) return sent;
    this.#inProgress += 1;
    const { promise } = this.#round;
    try {
      return await sent;
    } finally {
      this.#inProgress -= 1;
      if (this.#inProgress === 0) {
        this.#round.resolve();
        this.#round = Promise.withResolvers();
      }
      await promise;
    }
  }

  readonly policies: Policies = [
    {
      position: 'perRetry',
      policy: {
        name: 'storageWatch',
        sendRequest: async (request, next) => {
          this.#open += 1;
          try {
            return await this.#send(request, next);
          } finally {
            this.#open -= 1;
          }
        },
      },
    },
  ];

  readonly #send: SendRequest = async (request, next) => {
    const call = {
      kind: kindOf(request.method, request.url),
      index: this.calls.length,
      partition: partitionIn(request.url + (typeof request.body === 'string' ? request.body : '')),
    };
    this.calls.push(call);
    // Each action is an HTTP request within the body.
    if (call.kind === 'transaction')
      this.rowsWritten += (request.body as string).match(/ HTTP\/1\.1\r?$/gm)?.length ?? 0;
    const depth = this.#completed + 1;
    this.roundTrips = Math.max(this.roundTrips, depth);
    await this.gate(call);
    const fault = this.fault(call);
    if (fault === 'empty page' && call.kind === 'query') {
      // The service has no page size of 0, so the continuation leads back to the start of the query.
      const response = await next(request);
      response.bodyAsText = JSON.stringify({ value: [] });
      const { partition, row } = startOf(request.url);
      response.headers.set('x-ms-continuation-nextpartitionkey', partition);
      response.headers.set('x-ms-continuation-nextrowkey', row);
      this.#completed = Math.max(this.#completed, depth);
      return response;
    }
    if (fault === 'reset') throw new RestError('socket hang up', { code: 'ECONNRESET' });
    if (fault === 'timeout') throw new DOMException('injected', 'TimeoutError');
    if (fault === 'busy') throw rejection(request, 503, 'ServerBusy', 2);
    if (fault === 'being deleted') throw rejection(request, 409, 'TableBeingDeleted', 7);
    if (fault === 'no token') throw new CredentialUnavailableError('injected: network unreachable');
    if (typeof fault === 'number') {
      if (fault === 404 || fault === 409 || fault === 412) this.conflicts += 1;
      const code = codes[fault];
      throw new RestError(`0:injected ${fault}`, { statusCode: fault, ...(code !== undefined && { code }) });
    }
    const response = await this.#delivered(next(request));
    this.#completed = Math.max(this.#completed, depth);
    if (/HTTP\/1.1 4(04|09|12)/.test(response.bodyAsText ?? '')) this.conflicts += 1;
    if (call.kind === 'query') {
      this.rowsRead += (JSON.parse(response.bodyAsText ?? '{}') as { value?: unknown[] }).value?.length ?? 0;
    }
    if (fault === 'lost response') throw new RestError('socket hang up', { code: 'ECONNRESET' });
    return response;
  };
}

const rejection = (
  request: Parameters<SendRequest>[0],
  status: number,
  code: string,
  retryAfterSeconds: number,
): RestError => {
  const headers = new Map([['retry-after', String(retryAfterSeconds)]]);
  const error = new RestError(`0:injected ${code}`, { statusCode: status, code, request });
  return Object.assign(error, { response: { request, status, headers } });
};

/** A 404 without a code is one of a proxy, which says nothing about the row. */
const codes: Readonly<Record<number, string>> = {
  409: 'EntityAlreadyExists',
  412: 'UpdateConditionNotSatisfied',
  413: 'RequestBodyTooLarge',
  500: 'InternalError',
  503: 'ServerBusy',
};

/** In a filter, in the address of an entity, or in the body of a new one; all of a request are about one. */
const partitionIn = (text: string): string | undefined =>
  /PartitionKey(?:=| eq |%20eq%20|\+eq\+|":")(?:'|%27)?([\w-]+)/.exec(text)?.[1];

function kindOf(method: string, url: string): StorageCallKind {
  if (url.includes('$batch')) return 'transaction';
  if (method !== 'GET') return 'write';
  return url.includes('(PartitionKey=') ? 'point read' : 'query';
}

/** The start of a query in the form of Azurite's continuations: base64, because headers cannot have every character. */
function startOf(url: string): { partition: string; row: string } {
  const parameters = new URL(url).searchParams;
  const filter = parameters.get('$filter') ?? '';
  const found = /PartitionKey eq '([^']*)' and RowKey ge '([^']*)'/.exec(filter);
  const encoded = (key = ''): string => Buffer.from(key, 'utf8').toString('base64');
  return {
    partition: parameters.get('NextPartitionKey') ?? encoded(found?.[1]),
    row: parameters.get('NextRowKey') ?? encoded(found?.[2]),
  };
}
