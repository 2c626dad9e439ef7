import { z } from 'zod';
import type { Emulator } from '../state/emulator.ts';
import { GraphError } from '../base/graph-error.ts';

const uploadToken = z.object({ session: z.string(), notBefore: z.number(), until: z.number() });

/** The session of an upload URL; undefined if this emulator did not create its token. Throws if the token has expired. */
export function uploadTokenOf({ signed, now }: Emulator, uploadUrl: string): string | undefined {
  const query = uploadUrl.slice(uploadUrl.indexOf('?') + 1);
  const token = new URLSearchParams(query).get('tempauth') ?? '';
  const parsed = uploadToken.safeParse(signed.read('upload', token));
  if (!parsed.success) return undefined;
  const { session, notBefore, until } = parsed.data;
  if (now() >= until) throw expiredToken(notBefore, until);
  return session;
}

/** A6: the upload host's error after 24 hours. */
export const expiredToken = (notBefore: number, until: number) =>
  new GraphError(
    401,
    'unauthenticated',
    `The access token has expired. It's valid from '${new Date(notBefore).toISOString()}' and to '${new Date(until).toISOString()}'.`,
    { inner: ['expiredToken'] },
  );
