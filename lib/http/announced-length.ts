import { faultAt, ServiceError } from '../base/service-error.ts';

const claimHeader = 'x-upload-content-length';

export interface AnnouncedLength {
  readonly bytes: number;
  readonly header: 'content-length' | typeof claimHeader;
}

/**
 * The length of the body, where it is known in advance. HTTP itself enforces Content-Length.
 *
 * API Management states the length of an upload in a header of its own. It is needed where uploads are forwarded without
 * Content-Length (docs/decisions/0035), because the Functions host reads a body that has one into memory before the
 * function starts. The header is trusted only together with a function key: every route requires one (functions/index.ts),
 * only the gateway has it, and the gateway replaces both headers. A host on a developer's machine requires no key. A caller
 * that invents one gains nothing, because the body must have the stated length (incoming-body.ts).
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
    errors: [faultAt(`headers.${header}`, 'wrong_length')],
  });

const isCount = (text: string): boolean => /^\d{1,15}$/.test(text);
