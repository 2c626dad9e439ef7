import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact } from '../../../local/stack/seeds.ts';
import { axeFindings } from './axe.ts';
import { call, waitingElsewhere } from './examples.ts';
import { addFulfilledRequests, pathOfRequest } from './many-requests.ts';
import type { Stage } from './stage.ts';
import { translate } from './translate.ts';
import { nowhere } from './views.ts';
import { visit } from './visit.ts';

/** Several refresh intervals of a list. */
const minuteMs = 60_000;
/** Longer than every refresh interval of the overview. */
const longMs = 600_000;

export function refreshStories(stage: () => Stage): void {
  test('a refresh of the list is one call, a hidden or paused tab makes none, and two tabs agree', async () => {
    const options = { ownClock: true };
    const first = await stage().signedIn('administrator', '/folder-requests', options);
    const second = await stage().signedIn('administrator', '/folder-requests', options);
    for (const page of [first, second]) await page.getByText(/^As of \d/).waitFor();
    const calls = callsOf(first);
    const responded = first.waitForResponse(/\/folder-requests\?/);
    await first.clock.fastForward(5000);
    await (await responded).finished();
    expect(calls).toEqual(['/folder-requests']);

    await setVisibility(first, 'hidden');
    const id = await waitingElsewhere(stage(), 'Zwei Tabs');
    await first.clock.fastForward(minuteMs);
    await second.clock.fastForward(5000);
    await second.getByRole('link', { name: 'Zwei Tabs' }).waitFor();
    expect(calls.length).toBe(1);
    expect(await first.getByRole('link', { name: 'Zwei Tabs' }).count()).toBe(0);

    await setVisibility(first, 'visible');
    await first.getByRole('link', { name: 'Zwei Tabs' }).waitFor();
    expect(calls.length).toBe(2);
    await call(stage(), 'administrator', 'DELETE', `folder-requests/${id}`);

    await second.close();
    await first.getByRole('button', { name: 'Pause the refresh' }).click();
    calls.length = 0;
    await first.clock.runFor(minuteMs);
    // Also when the tab is shown again.
    await setVisibility(first, 'hidden');
    await setVisibility(first, 'visible');
    await first.clock.runFor(minuteMs);
    expect(calls).toEqual([]);
    await first.getByRole('button', { name: 'Resume the refresh' }).click();
    await first.clock.runFor(5000);
    await expect.poll(() => calls.length).toBeGreaterThan(0);
  });

  test('the list of agents: a refresh is one call, a hidden tab makes none', async () => {
    const page = await stage().signedIn('administrator', nowhere, { ownClock: true });
    const calls = callsOf(page);
    await visit(page, '/agents');
    await page.getByText(/^As of \d/).waitFor();
    expect(calls).toEqual(['/agents']);
    calls.length = 0;
    const renewals: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/token')) renewals.push(request.url());
    });
    const refresh = async (): Promise<void> => {
      const shownAt = await page.getByText(/^As of \d/).innerText();
      await page.clock.fastForward(15_000);
      await expect.poll(() => page.getByText(/^As of \d/).innerText()).not.toBe(shownAt);
    };
    await refresh();
    expect([calls, renewals]).toEqual([['/agents'], []]);
    // A token that is rejected is renewed once, and nobody is asked.
    await page.route('**/agents', (route) => route.fulfill({ status: 401 }), { times: 1 });
    await refresh();
    expect([calls.length, renewals.length]).toEqual([3, 1]);
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await setVisibility(page, 'hidden');
    await page.clock.runFor(minuteMs);
    expect(calls.length).toBe(3);
  });

  test('an open overview makes at most four calls a minute, a hidden one makes none', async () => {
    const page = await stage().signedIn('administrator', nowhere, { ownClock: true });
    await visitOverview(page);
    const calls = callsOf(page);
    const running = new Set<Request>();
    page.on('request', (request) => running.add(request));
    page.on('requestfinished', (request) => running.delete(request));
    page.on('requestfailed', (request) => running.delete(request));
    const minutes = 5;
    for (let step = 0; step < 6 * minutes; step += 1) {
      await page.clock.runFor(10_000);
      // A query that is due while its last call is running is left out. When the page answers, the calls have begun.
      await page.evaluate('undefined');
      await expect.poll(() => running.size).toBe(0);
    }
    expect(calls.length).toBeGreaterThan(2 * minutes);
    expect(calls.length).toBeLessThanOrEqual(4 * minutes);
    calls.length = 0;
    await setVisibility(page, 'hidden');
    await page.clock.runFor(longMs);
    expect(calls).toEqual([]);
  });

  test('a page that does not refresh by itself says how old it is, and why it is not newer', async () => {
    const page = await stage().signedIn('projectManager', `/contacts/${sampleContact.id}`, {
      ownClock: true,
    });
    await page.getByText('Mühlenstraße').waitFor();
    const age = page.getByText(/^As of \d/);
    expect(await age.count()).toBe(0);
    await page.clock.fastForward(90_000);
    await age.waitFor();
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await age.waitFor({ state: 'detached' });
    await page.clock.fastForward(90_000);
    await page.route(/\/api\/v1\/contacts\//, (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await page.clock.runFor(1000);
    await page.getByText(/^Not refreshed since \d/).waitFor();
    await page.getByText('Mühlenstraße').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('800 requests: the search goes on to the oldest by itself, only visible rows exist, and all are printed', async () => {
    // Four pages, and those that other tests have left: the search is stopped after the second.
    await addFulfilledRequests(stage(), 800);
    const page = await stage().signedIn('administrator', '/folder-requests?status=FULFILLED');
    const more = page.getByRole('button', { name: 'Load older ones' });
    await more.waitFor();
    const search = page.getByRole('searchbox').first();
    // A hundred of the first page match, so it stops by itself.
    await search.fill('Nummer 7');
    await page.getByText(/^100 found in the newest 200, back to [^;]+$/).waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/[?&]cursor=/, async (route) => {
      await held;
      await route.continue();
    });
    await search.fill('Nummer 350');
    await page.getByText(/^0 found in the newest 200, back to .*; searching on …$/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    release();
    await page.getByText(/^0 found in the newest 400, back to [^;]+$/).waitFor();
    await search.fill('Projekte\\Nummer 0');
    await page.getByText(/^1 of 8\d\d loaded$/).waitFor();
    await page.getByRole('link', { name: pathOfRequest(0), exact: true }).waitFor();
    await search.fill('');
    const rows = page.getByRole('row');
    await expect.poll(() => rows.count()).toBeGreaterThan(10);
    expect(await rows.count()).toBeLessThan(60);
    // The row with the focus remains, so the keyboard continues there.
    await page.getByRole('link', { name: pathOfRequest(799), exact: true }).focus();
    await page.evaluate(scrollToEnd);
    await page.getByRole('link', { name: pathOfRequest(0), exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    expect(await page.evaluate('document.activeElement.textContent')).toBe(pathOfRequest(799));
    await search.fill('Nummer 7');
    await page.getByText(/^111 of /).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => rows.count()).toBe(112);
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    // The window is as high as its rows, so that they are on the paper and not in a frame that scrolls.
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeGreaterThan(112 * 40);
  });

  test('no row moves under a still mouse: what has gone from the list is struck out until the mouse leaves or a key is pressed', async () => {
    const below = await waitingElsewhere(stage(), 'Unter der Maus');
    const page = await stage().signedIn('administrator', '/folder-requests?status=PENDING', {
      ownClock: true,
    });
    const row = page.getByRole('row').filter({ hasText: 'Unter der Maus' });
    await row.waitFor();
    const refreshed = async (): Promise<void> => {
      const responded = page.waitForResponse(/\/folder-requests\?/);
      await page.clock.fastForward(5000);
      await (await responded).finished();
    };
    for (const leave of [
      () => page.getByRole('heading', { name: 'Folder requests' }).hover(),
      () => page.keyboard.press('Shift'),
    ]) {
      const above = await waitingElsewhere(stage(), 'Geht');
      await refreshed();
      const gone = page.getByRole('row').filter({ hasText: 'Geht' });
      await gone.waitFor();
      await row.hover();
      const place = await row.boundingBox();
      await call(stage(), 'administrator', 'DELETE', `folder-requests/${above}`);
      await refreshed();
      await page.getByTitle('No longer in this list').waitFor();
      expect(await row.boundingBox()).toEqual(place);
      await leave();
      await gone.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Folder requests' }).hover();
    }
    // In the rows that remain, the time goes on.
    const age = await row.locator('time').innerText();
    await page.clock.fastForward(120_000);
    await expect.poll(() => row.locator('time').innerText()).not.toBe(age);
    await call(stage(), 'administrator', 'DELETE', `folder-requests/${below}`);
  });

  test('what changes is shown also when the browser has translated the page', async () => {
    const overview = await stage().signedIn('administrator', '/overview', { ownClock: true });
    const model = overview.getByRole('listitem').filter({ hasText: 'AI model' });
    await model.getByText('Works').waitFor();
    await translate(overview);
    const stateOfModel = async (state: 'failing' | 'ok', text: RegExp): Promise<void> => {
      await overview.route(/\/health\/parts/, async (route) => {
        const response = await route.fetch();
        const { parts, ...rest } = (await response.json()) as { parts: { part: string }[] };
        const failing = { state: 'failing', code: 'ai_provider_unavailable' };
        const changed = parts.map((part) =>
          part.part === 'aiModel' && state === 'failing' ? { ...part, ...failing } : part,
        );
        await route.fulfill({ response, json: { parts: changed, ...rest } });
      });
      await overview.clock.fastForward(longMs);
      await expect.poll(() => model.innerText()).toMatch(text);
      await overview.unrouteAll();
    };
    await stateOfModel('failing', /busy or unreachable/);
    await stateOfModel('ok', /Works$/);

    const agents = await stage().signedIn('administrator', '/agents', { ownClock: true });
    const row = agents.getByRole('row').filter({ hasText: 'cellar' });
    await row.getByText('0 failed').waitFor();
    for (const [failed24h, version] of [
      [1, '2.0.0'],
      [0, '3.0.0'],
    ] as const) {
      await translate(agents);
      await agents.route(/\/api\/v1\/agents/, async (route) => {
        const response = await route.fetch();
        const { items, ...rest } = (await response.json()) as { items: { host: string }[] };
        const changed = items.map((item) =>
          item.host === 'cellar' ? { ...item, failed24h, version, fulfilled24h: 7 } : item,
        );
        await route.fulfill({ response, json: { items: changed, ...rest } });
      });
      await agents.clock.fastForward(minuteMs);
      await row.getByText(`${failed24h} failed`).waitFor();
      await row.getByText('7 fulfilled').waitFor();
      await row.getByText(version).waitFor();
      await agents.unrouteAll();
    }
  });

  test('while the service is stopped, list and health remain and say since when, and a new page why it is not there; after a restart all are back', async () => {
    const options = { ownClock: true };
    const queue = await stage().signedIn('administrator', '/folder-requests', options);
    await queue.getByText(/^As of \d/).waitFor();
    const rows = await queue.getByRole('row').count();
    const overview = await stage().signedIn('administrator', nowhere, options);
    let isStopped = false;
    // Neither in advance, which begins 5 s after the start, nor from the browser's cache, which a page with a route does not use.
    await overview.route(/\/assets\/contacts-page/, (route) =>
      isStopped ? route.continue() : route.abort(),
    );
    await visitOverview(overview);
    const parts = overview.getByRole('main').getByRole('listitem');
    await parts.filter({ hasText: 'Working, version' }).waitFor();
    const start = await stage().stack.stopService();
    isStopped = true;

    await queue.clock.fastForward(30_000);
    await queue.getByText(/^Not refreshed since/).waitFor();
    expect(await queue.getByRole('row').count()).toBe(rows);
    await queue.getByRole('button', { name: 'New request' }).click();
    await queue.getByLabel('Target path').fill('Netz\\weg');
    const dialog = queue.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Request', exact: true }).click();
    await dialog.getByText('The service cannot be reached.').waitFor();

    await parts.filter({ hasText: 'The service cannot be reached.' }).first().waitFor();
    await expect
      .poll(() => parts.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Service and tables\s+The service cannot be reached/),
        ...['Document library', 'Space for uploads', 'Word templates', 'AI model'].map((part) =>
          expect.stringMatching(new RegExp(`^${part}\\s+Works · Not refreshed since \\d`)),
        ),
        expect.stringMatching(/^Queue\s.* · Not refreshed since \d/),
        expect.stringMatching(/^Agents\s.* · Not refreshed since \d/),
      ]);
    await overview.getByText(/^Not refreshed since/).waitFor();
    expect(await axeFindings(overview)).toEqual([]);
    await overview.getByRole('link', { name: 'Contacts' }).click();
    await overview.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    expect(await axeFindings(overview)).toEqual([]);

    await start();
    await overview.getByRole('button', { name: 'Try again' }).click();
    await overview.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
    await queue.clock.fastForward(5000);
    await queue.getByText(/^As of \d/).waitFor();
    await dialog.getByRole('button', { name: 'Request', exact: true }).click();
    await queue.getByRole('link', { name: 'Netz\\weg' }).waitFor();
  });
}

/** Runs in the page. As text: here the types of the DOM are unknown. */
const scrollToEnd = `(() => {
  const table = document.querySelector('[role=table]');
  table.parentElement.scrollTo(0, table.scrollHeight);
})()`;

/** Until the overview has the responses to all of its calls: until then, one that is due is left out. */
async function visitOverview(page: Page): Promise<void> {
  const calls = callsOf(page, 'requestfinished');
  await visit(page, '/overview');
  const first = ['/agents', '/folder-requests/statistics', '/health', '/health/parts'];
  await expect.poll(() => calls.toSorted()).toEqual(first);
}

/** The paths of the page's calls of the API that begin, or end, from now on. */
function callsOf(page: Page, event: 'request' | 'requestfinished' = 'request'): string[] {
  const calls: string[] = [];
  page.on(event as 'request', (request) => {
    const [, path] = /\/api\/v1(\/[^?]*)/.exec(request.url()) ?? [];
    if (path !== undefined) calls.push(path);
  });
  return calls;
}

export async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
}
