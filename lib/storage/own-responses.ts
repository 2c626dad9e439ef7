import type { TableServiceClientOptions } from '@azure/data-tables';

type Policies = NonNullable<TableServiceClientOptions['additionalPolicies']>;

/** The storage names each of its responses (learn.microsoft.com/rest/api/storageservices/troubleshooting-api-operations). */
const nameOfResponse = 'x-ms-request-id';
/** Sent by the SDK, and returned by the storage. */
const nameOfRequest = 'x-ms-client-request-id';
const badGateway = 502;

/**
 * A response of something on the way to the storage, such as a page of a firewall or of a host that a wrong DNS names, becomes the
 * 502 of a gateway, whatever its status is: it is repeated, and is then an outage. The SDK takes a page with 200 for a list without
 * rows, and a 204 for a write; a 412 would be a conflict, and a 403 one of our permissions. A cache on the way returns responses to
 * earlier requests (Azure/azure-sdk-for-net#31975, #36943).
 */
export const ownResponses: Policies = [
  {
    position: 'perRetry',
    policy: {
      name: 'ownResponses',
      async sendRequest(request, next) {
        const response = await next(request);
        const { headers } = response;
        const returned = headers.get(nameOfRequest);
        const isOfAnother = returned !== undefined && returned !== request.headers.get(nameOfRequest);
        if (!headers.has(nameOfResponse) || isOfAnother) {
          // For the log, in the form of the storage's errors; the page is not quoted.
          const what = `${response.status} with ${headers.get('content-type') ?? 'no content type'}`;
          const message = { lang: 'en-US', value: `The response, ${what}, is not from the storage.` };
          response.bodyAsText = JSON.stringify({ 'odata.error': { code: 'NotFromStorage', message } });
          headers.set('content-type', 'application/json');
          response.status = badGateway;
          // Nor is its time that of the storage (storage-clock.ts).
          headers.delete('date');
        }
        return response;
      },
    },
  },
];
