import type { Dispatcher, request as undiciRequest } from 'undici';

type Options = Omit<NonNullable<Parameters<typeof undiciRequest<null>>[1]>, 'body'> & {
  readonly body?: Iterable<Uint8Array> | undefined;
};

/**
 * undici's `request`, for upload and download URLs: time-outs per phase, which `fetch` has none of. Loaded by the
 * first file that moves: with 1.3 MiB of source it would be the largest part of everybody's cold start.
 */
export async function request(url: string, { body, ...options }: Options): Promise<Dispatcher.ResponseData> {
  const undici = await import('./undici-request.ts');
  // undici takes iterables (its documentation of Dispatcher.dispatch); its types do not say so. A stream made of one
  // would read ahead, and costs more.
  return undici.request(url, { ...options, body: (body ?? null) as null });
}
