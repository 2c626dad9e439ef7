import { ServiceError } from '../../base/service-error.ts';

/** @throws ServiceError `unsupported_media_type` */
export function boundaryOf(contentType: string): string {
  const match =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    );
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    throw new ServiceError('unsupported_media_type', {
      detail: 'Send the upload as Content-Type: multipart/form-data with a boundary.',
    });
  }
  return boundary;
}

// Senders that end a form with `--boundary--` and one line break, according to their source code. RFC 7578 does not
// specify the line break: formdata-polyfill, undici before version 7, and Deno send none, form-data-encoder two.
const regularEndings: readonly RegExp[] = [
  // Chrome, Edge, Safari
  /^-{4}WebKitFormBoundary[A-Za-z0-9]{16}$/,
  // Firefox, before and since version 133. Deno has 4 dashes and 28 digits.
  /^-{27}\d{20,30}$/,
  /^-{4}geckoformboundary[0-9a-f]{16,48}$/,
  // curl, before and since 8.4
  /^-{24}[0-9a-f]{16}$/,
  /^-{24}[A-Za-z0-9]{22}$/,
  // form-data (axios on Node, Postman), before and since 4.0.4
  /^-{26}[0-9a-f]{24}$/,
  // .NET, OkHttp: a UUID
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  // Python: requests, httpx, aiohttp. Go: mime/multipart
  /^([0-9a-f]{32}|[0-9a-f]{60})$/,
];

/** Whether the sender is known to end a form with one line break: the size of the file follows from that of the body. */
export const endsRegularly = (boundary: string): boolean =>
  regularEndings.some((shape) => shape.test(boundary));
