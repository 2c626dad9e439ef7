import { faultAt, ServiceError, type Fault } from '../base/service-error.ts';
import { mayHaveBody, type Method } from './operation.ts';

/** What {@link checkShape} reads of a request. */
interface Shape {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/**
 * Rejects what costs a handler or the body something and is never sent in good faith. The gateway rejects the same
 * (bicep/policies/guard.xml); this holds without it too. The size of headers is the gateway's alone: from 16 KiB on, Node
 * rejects the request in the worker, and the host never responds. The host resolves dot segments and decodes paths before
 * the service receives them, forwards an encoded slash as `%252F`, and a percent sign that begins no escape as `%25`: a page
 * may have such an address.
 *
 * @throws ServiceError `invalid_request`
 */
export function checkShape({ url, headers }: Shape, method: Method): void {
  const faults: Fault[] = [];
  const path = url.replace(/^\w+:\/\/[^/]*/, '').replace(/[?#][^]*$/, '');
  if (/%(?:25)*(?:2[ef]|5c)|\\|\/\.{1,2}(?:\/|$)/i.test(path)) faults.push(faultAt('params', 'invalid'));
  const hasBody = headers.get('transfer-encoding') !== null || (headers.get('content-length') ?? '0') !== '0';
  if (hasBody && !mayHaveBody(method)) faults.push(faultAt('body', 'too_many_bytes', { max: 0 }));
  if (faults.length === 0) return;
  throw new ServiceError('invalid_request', {
    detail:
      'The path must not have dot segments, backslashes, or an encoded dot, slash or backslash; ' +
      'GET, HEAD and DELETE have no body.',
    errors: faults,
  });
}
