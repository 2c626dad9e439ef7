import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { User } from '../../../lib/callers/caller.ts';
import { OnBehalfOf } from '../../../lib/callers/on-behalf-of.ts';
import { UserTokenVerifier } from '../../../lib/callers/user-token.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import {
  people,
  type IdentityProvider,
} from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { startTestIdentityProvider } from '../../support/identity.ts';

let provider: IdentityProvider;
let signIns: User[];
let clock: VirtualClock;

beforeAll(async () => {
  provider = await startTestIdentityProvider();
  const { tenantId, clientId } = provider.registration;
  const verifier = new UserTokenVerifier({
    authorityHost: provider.url,
    tenantId,
    clientId,
    scope: 'access_as_user',
  });
  signIns = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (jti) =>
      verifier.verify(`Bearer ${await provider.accessToken(people.backOffice, { claims: { jti } })}`),
    ),
  );
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.exchanges.length = 0;
  clock = new VirtualClock();
});

function tokensOf(maxCachedTokens: number): OnBehalfOf {
  const { tenantId, clientId, clientSecret } = provider.registration;
  return new OnBehalfOf(
    {
      authorityHost: provider.url,
      tenantId,
      clientId,
      clientSecret: new Secret(clientSecret),
      scopes: ['Files.ReadWrite.All'],
    },
    clock,
    maxCachedTokens,
  );
}

function cacheOf(maxCachedTokens: number) {
  const tokens = tokensOf(maxCachedTokens);
  return (index: number) => tokens.tokenFor(signIns[index]!);
}

test('a token is used until five minutes before its expiry, and then exchanged again', async () => {
  const tokenOf = cacheOf(10);
  const first = await tokenOf(0);
  const lastMoment = decodeJwt(first).exp! * 1000 - 5 * 60_000;
  // The lifetime is in whole seconds, counted from the arrival of the response.
  clock.advance(lastMoment - 60_000 - clock.now());
  expect(await tokenOf(0)).toBe(first);
  expect(provider.exchanges).toHaveLength(1);
  clock.advance(120_000);
  await tokenOf(0);
  expect(provider.exchanges).toHaveLength(2);
});

test('above its limit the cache evicts only the least recently used sign-in', async () => {
  const tokenOf = cacheOf(3);
  for (const index of [0, 1, 2]) await tokenOf(index);
  await tokenOf(0);
  expect(provider.exchanges).toHaveLength(3);
  await tokenOf(3);
  expect(provider.exchanges).toHaveLength(4);
  for (const index of [0, 2, 3]) await tokenOf(index);
  expect(provider.exchanges).toHaveLength(4);
  await tokenOf(1);
  expect(provider.exchanges).toHaveLength(5);
});

test('a token that the library has rejected is forgotten, but not the one that has replaced it', async () => {
  const tokens = tokensOf(10);
  const user = signIns[0]!;
  const token = await tokens.tokenFor(user);
  tokens.forget(user, 'an earlier one');
  expect(await tokens.tokenFor(user)).toBe(token);
  tokens.forget(user, token);
  await tokens.tokenFor(user);
  expect(provider.exchanges).toHaveLength(2);
});
