import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assetsName, pageName } from '../../../functions/console/built-console.ts';
import { openConsole, type ConsoleSettings } from '../../../functions/console/console-site.ts';

// What Chromium does with it: tests/whole/console.

const settings: ConsoleSettings = {
  IDP_TENANT_ID: 'tenant',
  IDP_API_CLIENT_ID: 'api',
  IDP_API_SCOPE: 'access',
  IDP_AUTHORITY_HOST: 'https://login.example.com',
  CONSOLE_CLIENT_ID: 'console',
  CONSOLE_AUTHORITY_HOST: undefined,
  CONSOLE_UPLOAD_ORIGIN: undefined,
  DOCLIB_SITE_ID: undefined,
};

async function siteWith(changed: Partial<ConsoleSettings> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'console-site-'));
  await writeFile(join(directory, pageName), '<html>');
  const icon = { contentType: 'image/svg+xml', encodings: [] };
  await writeFile(join(directory, assetsName), JSON.stringify({ 'icon.svg': icon }));
  await writeFile(join(directory, 'icon.svg'), '<svg/>');
  const site = await openConsole(directory, { ...settings, ...changed });
  return (path: string) => site(path, new Headers());
}

test.each([
  ['no library', {}, ''],
  ['a library', { DOCLIB_SITE_ID: 'example.sharepoint.com,1,2' }, ' https://example.sharepoint.com'],
  [
    'another host for uploads',
    { DOCLIB_SITE_ID: 'example.sharepoint.com,1,2', CONSOLE_UPLOAD_ORIGIN: 'http://localhost:1/x' },
    ' http://localhost:1',
  ],
])('the page may call its provider and, with %s, where uploads go', async (_, changed, origins) => {
  const response = await (await siteWith(changed))('');
  const policy = new Headers(response?.headers).get('content-security-policy');
  expect(policy?.split('; ')).toContain(`connect-src 'self' https://login.example.com${origins}`);
});

test('every path is the page, but for files, of which those of an earlier release are missing', async () => {
  const site = await siteWith();
  for (const path of ['', 'documents/p1', 'page.html', 'x/assets/app.js']) {
    expect([path, (await site(path))?.body]).toEqual([path, '<html>']);
  }
  expect((await site('icon.svg'))?.body).toEqual(Buffer.from('<svg/>'));
  expect(await site('assets/app-1234.js')).toBeUndefined();
});
