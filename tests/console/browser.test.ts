import { mkdtemp } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalCa } from '../../local/stand-ins/local-ca.ts';
import { startBrowser } from '../support/browser.ts';

let directory: string;
let servers: Server[];
let browser: Browser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'browser-'));
  const ca = await createLocalCa(directory);
  const [known, unknown] = [await ca.issue(), await ca.issue()];
  servers = [known, unknown].map((tls) =>
    createServer(tls, (_, response) => response.end('hello')).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  browser = await startBrowser({ trusted: [known.cert] });
});

afterAll(async () => {
  await browser.close();
  for (const server of servers) server.close();
});

test('the browser trusts only the given certificates, and resolves only the names of this machine', async () => {
  const page = await browser.newPage();
  const [known, unknown] = servers.map((server) => (server.address() as AddressInfo).port);
  await page.goto(`https://localhost:${known}/`);
  expect(await page.textContent('body')).toBe('hello');
  await expect(page.goto(`https://localhost:${unknown}/`)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID');
  await expect(page.goto(`https://elsewhere.test:${known}/`)).rejects.toThrow('ERR_NAME_NOT_RESOLVED');
});
