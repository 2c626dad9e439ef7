import type { Dispatcher, request as undiciRequest } from 'undici';

/**
 * undici's `request`, for upload and download URLs: time-outs per phase, which `fetch` has none of. Loaded by the
 * first file that moves: with 1.3 MiB of source it would be the largest part of everybody's cold start.
 */
export async function request(
  url: string,
  options: NonNullable<Parameters<typeof undiciRequest<null>>[1]>,
): Promise<Dispatcher.ResponseData> {
  const undici = await import('./undici-request.ts');
  return undici.request(url, options);
}
