import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { gatewayOf } from '../../../local/stack/gateway.ts';
import { policyText } from '../../support/policy-document.ts';

const origin = 'https://page.test';
const tokenOf = (oid: string): string =>
  `Bearer e30.${Buffer.from(JSON.stringify({ oid })).toString('base64url')}.`;

test('the local gateway rejects the calls of a user above the limit of the policy until the minute is over', async () => {
  let nowMs = 0;
  const gateway = await gatewayOf([origin], () => nowMs);
  const server = createServer((request, response) => {
    if (!gateway(request, response)) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/me`;
  const call = async (user: string, from = origin) => {
    const headers = { origin: from, authorization: tokenOf(user) };
    const response = await fetch(url, { headers });
    return { response, text: await response.text() };
  };
  const [, limit] = /calls="(\d+)"[^>]*counter-key="@\("user:"/.exec(policyText('api')) ?? [];
  const statuses = new Set<number>();
  for (let calls = 0; calls < Number(limit); calls += 1) statuses.add((await call('first')).response.status);
  expect([limit, statuses]).toEqual(['300', new Set([200])]);
  nowMs += 20_000;
  const { response, text } = await call('first');
  const { headers } = response;
  expect([response.status, headers.get('retry-after')]).toEqual([429, '40']);
  expect(headers.get('access-control-allow-origin')).toBe(origin);
  expect(headers.get('access-control-expose-headers')).toMatch(/retry-after/i);
  expect(JSON.parse(text)).toMatchObject({ status: 429, code: 'rate_limited' });
  // Neither another user nor a program that is no page.
  expect((await call('second')).response.status).toBe(200);
  expect((await call('first', '')).response.status).toBe(200);
  nowMs += 41_000;
  expect((await call('first')).response.status).toBe(200);
});
