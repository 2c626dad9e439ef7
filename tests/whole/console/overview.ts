import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { silentAgent } from './agents.ts';
import { call, claimElsewhere, exampleRequests, forbidden, waitingElsewhere } from './examples.ts';
import type { Stage } from './stage.ts';
import { visit } from './visit.ts';

interface Statistics {
  readonly pending: number;
  readonly processing: number;
  readonly failed: number;
  readonly oldestPendingSeconds: number;
  readonly hours: readonly { readonly start: string; readonly fulfilled: number; readonly failed: number }[];
}

export function overviewStories(stage: () => Stage): void {
  const statistics = (): Promise<Statistics> =>
    call(stage(), 'administrator', 'GET', 'folder-requests/statistics');

  test('the health of each part, gauges, chart, and table show what the service reports, and each gauge links to its requests', async () => {
    await exampleRequests(stage());
    // Otherwise the queue says that no agent serves the server of the request.
    await claimElsewhere(stage());
    const waiting = await waitingElsewhere(stage());
    const page = await stage().signedIn('administrator', '/overview');
    const gauge = (name: string) =>
      page.getByRole('main').getByRole('link', { name: new RegExp(`^${name}`) });
    await gauge('Pending').waitFor();
    await expect
      .poll(() => page.getByRole('main').getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Service and tables\s+Working, version \d/),
        expect.stringMatching(/^Document library\s+Works$/),
        expect.stringMatching(/^Space for uploads\s+Works$/),
        expect.stringMatching(/^Word templates\s+Works$/),
        expect.stringMatching(/^AI model\s+Works$/),
        expect.stringMatching(/^Queue\s+No request has been waiting for long$/),
        expect.stringMatching(new RegExp(`^Agents\\s+Silent: ${silentAgent}$`)),
      ]);
    await page.getByText(/^Failures in use are those of the instance/).waitFor();
    const { pending, processing, failed, hours } = await statistics();
    expect(failed).toBeGreaterThan(0);
    expect(pending).toBeGreaterThan(0);
    for (const [name, count] of Object.entries({
      Pending: pending,
      Processing: processing,
      Failed: failed,
    })) {
      expect(await gauge(name).innerText(), name).toMatch(new RegExp(`^${name}\\s+${count}$`));
    }
    expect(await gauge('Longest wait').innerText()).toMatch(/^Longest wait\s+\d+ (second|minute)s?$/);

    await page.getByText('As a table').click();
    const notable = hours.filter((hour) => hour.fulfilled + hour.failed > 0);
    const rows = await page
      .getByRole('table', { name: 'Fulfilled and failed per hour' })
      .getByRole('row')
      .allInnerTexts();
    expect(rows.slice(1).map((row) => row.split('\t').slice(1).map(Number))).toEqual(
      notable.map((hour) => [hour.fulfilled, hour.failed]).toReversed(),
    );
    const days = await page
      .getByRole('table', { name: 'Fulfilled and failed per day' })
      .getByRole('row')
      .allInnerTexts();
    const total = (of: 'fulfilled' | 'failed') => hours.reduce((sum, hour) => sum + hour[of], 0);
    const totals = days.slice(1).map((row) => row.split('\t').slice(1).map(Number));
    expect(totals.reduce((sum, [fulfilled = 0]) => sum + fulfilled, 0)).toBe(total('fulfilled'));
    expect(totals.reduce((sum, [, failed = 0]) => sum + failed, 0)).toBe(total('failed'));
    expect(await colorsOfChart(page)).toEqual({ green: true, red: true });
    await page.emulateMedia({ forcedColors: 'active' });
    const marker =
      "getComputedStyle(document.querySelector('.u-series + .u-series .u-marker')).forcedColorAdjust";
    expect(await page.evaluate(marker)).toBe('none');
    await page.emulateMedia({ forcedColors: 'none' });
    await page.getByLabel('Range').selectOption('7 days');
    await expect.poll(() => page.getByRole('img').isVisible()).toBe(true);

    // The chart and its table lead to the requests of an hour, the latter also by keyboard.
    const failing = hours.findIndex((hour) => hour.failed > 0);
    const period = (index: number) => ({
      endedFrom: hours[index]!.start.replace('.000Z', 'Z'),
      endedTo: new Date(Date.parse(hours[index]!.start) + 3_600_000).toISOString().replace('.000Z', 'Z'),
    });
    await page.getByLabel('Range').selectOption('24 hours');
    await expect
      .poll(() => page.getByRole('table', { name: 'Fulfilled and failed per hour' }).count())
      .toBe(1);
    await page
      .getByRole('table', { name: 'Fulfilled and failed per hour' })
      .getByRole('link', { name: String(hours[failing]!.failed), exact: true })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Folder requests' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...period(failing),
      outcome: 'FAILED',
    });
    // The requests that the bar counts; one that ended twice in the hour counts twice, and is listed once.
    const { items } = await call<{ items: { id: string }[] }>(
      stage(),
      'administrator',
      'GET',
      'folder-requests?limit=200',
    );
    const read = ({ id }: { id: string }) =>
      call<{ history: { at: string; event: string }[] }>(
        stage(),
        'administrator',
        'GET',
        `folder-requests/${id}`,
      );
    const histories = (await Promise.all(items.map(read))).map(({ history }) => history);
    const hourOf = hours[failing]!.start.slice(0, 13);
    const requestsWith = (...events: string[]): number =>
      histories.filter((history) =>
        history.some(({ at, event }) => at.startsWith(hourOf) && events.includes(event)),
      ).length;
    const listed = page.getByRole('row').filter({ has: page.getByRole('link') });
    await expect.poll(() => listed.count()).toBe(requestsWith('failed'));
    expect(await page.getByLabel('Ended in the period').inputValue()).toMatch(/^failed from .+ before .+$/);
    await page.goBack();
    const bars = page.locator('.u-over');
    await bars.waitFor();
    const box = (await bars.boundingBox())!;
    const x = (box.width * (failing + 0.5)) / hours.length;
    await bars.click({ position: { x, y: box.height / 2 } });
    await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(period(failing));
    await expect.poll(() => listed.count()).toBe(requestsWith('fulfilled', 'failed'));
    await page.getByLabel('Ended in the period').click();
    await page.getByRole('button', { name: 'Clear', exact: true }).filter({ visible: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    // Those that were created in a time, in the time zone of the browser.
    await page.getByLabel('Created from').fill('2026-11-20T14:00');
    const typed = await page.evaluate(`new Date('2026-11-20T14:00').toISOString()`);
    await expect
      .poll(() => new URL(page.url()).searchParams.get('from'))
      .toBe(String(typed).replace('.000Z', 'Z'));
    // What cannot be asked is said where its state was.
    const agents = /\/api\/v1\/agents$/;
    for (const path of [agents, /\/health\/parts$/])
      await page.route(path, (route) => route.fulfill(forbidden));
    await visit(page, '/overview');
    await page.reload();
    const parts = page.getByRole('main').getByRole('listitem');
    for (const part of ['Library, space for uploads, templates, AI model', 'Agents'])
      await parts.filter({ hasText: new RegExp(`^${part}.*You lack the permission`) }).waitFor();
    await page.unrouteAll();

    await gauge('Failed').click();
    await page.getByRole('heading', { name: 'Folder requests' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=FAILED');
    await page.getByRole('link', { name: 'Beispiele\\Archiv\\2026' }).waitFor();
    await page.route(agents, (route) => route.fulfill({ json: { items: [] } }));
    await visit(page, '/overview');
    await page.getByText('No agent has been seen yet').waitFor();
    await call(stage(), 'administrator', 'DELETE', `folder-requests/${waiting}`);
  });
}

/** Whether the chart has bars in the colors of its two series. */
const colorsOfChart = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const found = { green: false, red: false };
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue, alpha] = data.slice(at, at + 4);
      if (alpha < 255) continue;
      if (green > red + 60 && green > blue + 60) found.green = true;
      if (red > green + 60 && red > blue + 60) found.red = true;
    }
    return found;
  })()`);
