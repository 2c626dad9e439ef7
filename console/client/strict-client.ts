import type { Client, FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from '../openapi/openapi-types.ts';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';
type Media = `${string}/${string}`;
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

/**
 * The options are no type parameter, as they are in openapi-fetch, so the compiler rejects a literal with a property that the
 * path, query or body does not have. The service rejects it too, with 400.
 */
type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...options: undefined extends MaybeOptionalInit<paths[P], M>
    ? [options?: MaybeOptionalInit<paths[P], M>]
    : [options: MaybeOptionalInit<paths[P], M>]
) => Promise<FetchResponse<paths[P][M] & object, object, Media>>;

/** Calls by method and path. */
export interface StrictClient extends Pick<Client<paths>, 'use' | 'eject'> {
  readonly GET: Call<'get'>;
  readonly PUT: Call<'put'>;
  readonly POST: Call<'post'>;
  readonly DELETE: Call<'delete'>;
  readonly PATCH: Call<'patch'>;
}
