import type { TableServiceClientOptions } from '@azure/data-tables';

type Policies = NonNullable<TableServiceClientOptions['additionalPolicies']>;

/**
 * Gives the response to a transaction the status that its parts have. The storage responds 202 whatever happens: the SDK then
 * neither repeats what failed for a while (Azure/azure-sdk-for-net#46845), nor rejects a part without a body of JSON, or a page of
 * a proxy, which has no parts. All of these would be taken for written.
 */
export const transactionResponses: Policies = [
  {
    position: 'perRetry',
    policy: {
      name: 'transactionResponses',
      async sendRequest(request, next) {
        const response = await next(request);
        const isTransaction = request.method === 'POST' && new URL(request.url).pathname.endsWith('/$batch');
        if (isTransaction && isSuccess(response.status)) {
          const { body } = request;
          const expected = typeof body === 'string' ? writesIn(body) : undefined;
          response.status = statusOf(response.bodyAsText ?? '', expected);
        }
        return response;
      },
    },
  },
];

const accepted = 202;
const busy = 503;
/** A response that does not prove each write is one of a gateway. */
const unproved = 502;

/** @param expected number of writes; the response has a part for each, or only the one that failed */
function statusOf(body: string, expected: number | undefined): number {
  const parts = [...body.matchAll(/^HTTP\/1\.1 (\d{3})\b/gm)].map(([, status]) => Number(status));
  const failed = parts.find((status) => !isSuccess(status));
  if (failed === undefined) {
    return parts.length > 0 && parts.length === (expected ?? parts.length) ? accepted : unproved;
  }
  // A 429 without Retry-After, as a part has none, is not repeated by the SDK.
  if (failed === 429) return busy;
  // Of a lasting failure the SDK tells the code, if it finds a body of JSON as it expects it.
  return isTemporary(failed) || !/\{.*\}/.test(body) ? failed : accepted;
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;
const isTemporary = (status: number): boolean => status === 408 || status >= 500;

const writesIn = (body: string): number =>
  body.match(/^(?:POST|PUT|PATCH|MERGE|DELETE) \S+ HTTP\/1\.1/gm)?.length ?? 0;
