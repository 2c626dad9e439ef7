import { ServiceError } from '../base/service-error.ts';

const claimHeader = 'x-upload-content-length';

/** How many bytes the body has, as `header` says. */
export interface AnnouncedLength {
  readonly bytes: number;
  readonly header: 'content-length' | typeof claimHeader;
}

/**
 * The length of the body where it is known before its end. HTTP itself holds a body to its Content-Length.
 *
 * API Management sends uploads on without one, because the Functions host reads such a body into memory before the
 * function starts, and says in a header of its own what it was. That header counts only beside a function key: every
 * route asks for one (functions/index.ts), nobody but the gateway has it, and the gateway replaces both headers. A host
 * on a developer's machine asks for no key; who makes one up gains nothing, since the body is held to the claim
 * (incoming-body.ts).
 *
 * @throws ServiceError `invalid_request`
 */
export function announcedLength(headers: { get(name: string): string | null }): AnnouncedLength | undefined {
  const contentLength = headers.get('content-length');
  if (contentLength !== null && isCount(contentLength)) {
    return { bytes: Number(contentLength), header: 'content-length' };
  }
  const claim = headers.get(claimHeader);
  if (contentLength !== null || claim === null || !headers.get('x-functions-key')) return undefined;
  if (isCount(claim)) return { bytes: Number(claim), header: claimHeader };
  throw wrongLength(claimHeader, 'is not a number of bytes');
}

export const wrongLength = (header: AnnouncedLength['header'], message: string): ServiceError =>
  new ServiceError('invalid_request', {
    detail: `The header ${header} ${message}.`,
    errors: [{ path: `headers.${header}`, message }],
  });

const isCount = (text: string): boolean => /^\d{1,15}$/.test(text);
