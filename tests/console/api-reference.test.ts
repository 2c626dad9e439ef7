import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { startApiReference, type ApiReference } from '../../local/stack/api-reference.ts';
import { startBrowser } from '../support/browser.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { test } = requires('chromium-headless-shell');

const openApiPath = join(repositoryRoot, 'bicep/openapi.json');
let browser: Browser;
let reference: ApiReference;
beforeAll(async () => {
  browser = await startBrowser();
  reference = await startApiReference(() => readFile(openApiPath, 'utf8'));
});
afterAll(async () => {
  await browser.close();
  await reference.stop();
});

test('the reference shows every operation, and what it says of itself, from this origin alone', async () => {
  const document = JSON.parse(await readFile(openApiPath, 'utf8')) as {
    paths: Record<string, Record<string, { summary: string; description: string }>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description }]) => ({
      name: `${method.toUpperCase()} ${path} ${summary}`,
      description,
    })),
  );
  const page = await browser.newPage();
  const messages: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(reference.origin);
  await page.locator('.opblock').first().waitFor();
  // The library breaks long paths with characters of no width.
  const shown = await page
    .locator('.opblock')
    .evaluateAll((blocks) =>
      blocks.map((block) =>
        ['.opblock-summary-method', '.opblock-summary-path', '.opblock-summary-description']
          .map((part) => block.querySelector(part)?.textContent?.replaceAll('\u200b', '') ?? '')
          .join(' '),
      ),
    );
  expect(shown.toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  await page.getByText('Claim the oldest open folder request').click();
  const claim = operations.find(({ name }) => name.startsWith('POST /folder-requests/claim'));
  await page.getByText(claim!.description).waitFor();
  expect(messages).toEqual([]);
  expect([...origins]).toEqual([reference.origin]);
  await page.close();
});

test('nothing but its own files is served', async () => {
  for (const path of ['/package.json', '/../package.json', '/index.html'])
    expect((await fetch(reference.origin + path)).status).toBe(404);
});
