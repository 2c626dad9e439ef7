import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call, putFragment, startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// CORS of the host of upload and download URLs. The page itself is tested in tests/console.

let drive: TestDrive;
beforeAll(async () => {
  drive = await startTestDrive();
});
afterAll(() => drive.close());
afterEach(() => drive.admin('DELETE', '/settings'));

const allowed = (headers: Headers) => headers.get('access-control-allow-origin');
const preflight = (url: string) =>
  call(url, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://page.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-range',
    },
  });

async function opened(name: string): Promise<string> {
  const path = `${drive.library}/root:/${name}:/createUploadSession`;
  return (await drive.graph('POST', path, { body: {} })).body.uploadUrl as string;
}

test('a session URL accepts a preflight with the reported headers and without a token', async () => {
  const { status, headers } = await preflight(await opened('a.bin'));
  expect([status, allowed(headers)]).toEqual([200, '*']);
  expect(headers.get('access-control-allow-methods')).toContain('PUT');
  expect(headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toContain('content-range');
  expect(headers.get('access-control-expose-headers')).toBeNull();
});

test('a page may read successful responses, and errors only with the setting', async () => {
  const url = await opened('b.bin');
  const bytes = Buffer.alloc(400_000, 1);
  const accepted = await putFragment(url, bytes, 0, 327_680);
  expect([accepted.status, allowed(accepted.headers)]).toEqual([202, '*']);
  const again = () => putFragment(url, bytes, 0, 327_680);
  const hidden = await again();
  expect([hidden.status, allowed(hidden.headers)]).toEqual([416, null]);
  await drive.admin('PATCH', '/settings', { errorsToPages: 'readable' });
  expect(allowed((await again()).headers)).toBe('*');
});

test('a download URL supports no preflight but returns the file to a page; its token has its expiry', async () => {
  await drive.graph('PUT', `${drive.library}/root:/c.txt:/content`, { body: 'Grüße' });
  const { body } = await drive.graph('GET', `${drive.library}/root:/c.txt`);
  const url = body['@microsoft.graph.downloadUrl'] as string;
  const rejected = await preflight(url);
  expect([rejected.status, allowed(rejected.headers)]).toEqual([405, null]);
  const file = await call(url, { headers: { origin: 'https://page.example' } });
  expect([file.body, allowed(file.headers)]).toEqual(['Grüße', '*']);
  const payload = new URL(url).searchParams.get('tempauth')?.split('.')[1] ?? '';
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: string };
  expect(Number(exp) * 1000 - Date.now()).toBeGreaterThan(850_000);
});
