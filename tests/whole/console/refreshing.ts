import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call } from './examples.ts';
import type { Stage } from './stage.ts';

const count = 5000;
const pageSize = 200;

/** The list as the service gives it, of more requests than a test can make. */
function listPage(cursor: string | null): object {
  const start = cursor === null ? 0 : Number(cursor);
  const items = Array.from({ length: pageSize }, (_, index) => {
    const number = start + index;
    const at = new Date(Date.UTC(2026, 0, 1) - number * 60_000).toISOString();
    return {
      id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      targetPath: `Projekte\\Nummer ${number}`,
      requestedByUserId: null,
      agentId: 'agent-1',
      status: number % 7 === 0 ? 'FAILED' : 'FULFILLED',
      errorMessage: number % 7 === 0 ? 'Access denied' : null,
      attempts: 1,
      createdAt: at,
      updatedAt: at,
      processedAt: at,
    };
  });
  return { items, nextCursor: start + pageSize < count ? String(start + pageSize) : null };
}

export function refreshingStories(stage: () => Stage): void {
  test('5,000 requests: only rows in sight exist, the last is reached, the search finds one among all', async () => {
    const page = await stage().page();
    await page.route('**/api/v1/folder-requests?*', (route) =>
      route.fulfill({ json: listPage(new URL(route.request().url()).searchParams.get('cursor')) }),
    );
    await page.goto(`${stage().url}/folder-requests`);
    await stage().signIn(page, 'administrator');
    const more = page.getByRole('button', { name: 'Load older ones' });
    for (let loaded = pageSize; loaded < count; loaded += pageSize) {
      await page.getByText(`of ${loaded.toLocaleString('en')} loaded`).waitFor();
      await more.click();
    }
    await page.getByText('5,000 of 5,000 loaded').waitFor();
    const rows = page.getByRole('row');
    expect(await rows.count()).toBeLessThan(60);
    const frames = await page.evaluate<number[]>(scrollThrough);
    expect(frames.length).toBeGreaterThan(50);
    await page.getByRole('link', { name: 'Projekte\\Nummer 4999' }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.getByRole('searchbox').first().fill('Nummer 4321');
    await page.getByText('1 of 5,000 loaded').waitFor();
  });

  test('a refresh is one call, a hidden tab makes none, and two tabs agree', async () => {
    const first = await stage().signedIn('administrator', '/folder-requests');
    const second = await stage().signedIn('administrator', '/folder-requests');
    const calls: string[] = [];
    first.on('request', (request) => {
      if (request.url().includes('/api/v1/')) calls.push(new URL(request.url()).pathname);
    });
    await expect.poll(() => calls.length).toBeGreaterThan(1);
    expect(new Set(calls)).toEqual(new Set(['/api/v1/folder-requests']));

    await setVisibility(first, 'hidden');
    await delay(100);
    const before = calls.length;
    const { id } = await call<{ id: string }>(stage(), 'backOffice', 'POST', 'folder-requests', {
      targetPath: 'Zwei Tabs',
    });
    // Longer than an interval: the other tab has shown it, this one has not asked.
    await second.getByRole('link', { name: 'Zwei Tabs' }).waitFor();
    await second.waitForResponse((response) => response.url().includes('/folder-requests?'));
    expect(calls.length).toBe(before);
    expect(await first.getByRole('link', { name: 'Zwei Tabs' }).count()).toBe(0);

    await setVisibility(first, 'visible');
    await first.getByRole('link', { name: 'Zwei Tabs' }).waitFor();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('while the service is away the list stays and says since when; then it goes on by itself', async () => {
    const page = await stage().signedIn('administrator', '/folder-requests');
    await page.getByText(/^As of/).waitFor();
    const away = (route: { abort: (code: string) => Promise<void> }) => route.abort('connectionrefused');
    await page.route('**/api/v1/**', away);
    await page.getByText(/^Not refreshed since/).waitFor();
    await page.getByRole('button', { name: 'New request' }).click();
    await page.getByLabel('Target path').fill('Netz\\weg');
    await page.getByRole('dialog').getByRole('button', { name: 'New request' }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/api/v1/**', away);
    await page.getByRole('dialog').getByRole('button', { name: 'New request' }).click();
    await page.getByRole('link', { name: 'Netz\\weg' }).waitFor();
    await page.getByText(/^As of/).waitFor();
  });
}

/** Milliseconds of each frame while the list scrolls from its begin to its end. */
const scrollThrough = `new Promise((resolve) => {
  const frame = document.querySelector('[role=table]').parentElement;
  const step = frame.scrollHeight / 120;
  const frames = [];
  let last = performance.now();
  const next = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    frame.scrollTop += step;
    if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1) resolve(frames);
    else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

function setVisibility(
  page: { evaluate: (text: string) => Promise<unknown> },
  state: string,
): Promise<unknown> {
  return page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
}
