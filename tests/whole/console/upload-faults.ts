import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { sampleProject } from '../../../local/stack/seeds.ts';
import { axeFindings } from './axe.ts';
import { drop } from './documents.ts';
import { call } from './examples.ts';
import { inLibrary } from './in-library.ts';
import type { Stage } from './stage.ts';

const MiB = 1024 * 1024;

/** What the world does to uploads, and what becomes of the files. */
export function uploadFaultStories(stage: () => Stage): void {
  const library = (method: string, path: string, body?: object): Promise<unknown> =>
    inLibrary(stage(), method, path, body);
  const setSpeed = async (bytesPerSecond: number): Promise<void> => {
    onTestFinished(async () => void (await library('DELETE', '/settings')));
    await library('PATCH', '/settings', { contentBytesPerSecond: bytesPerSecond });
  };
  const addDocument = async (folder: string, name: string): Promise<void> => {
    const form = new FormData();
    form.set('folderName', folder);
    form.set('file', new File(['vorher'], name));
    await call(stage(), 'projectManager', 'POST', `documents/projects/${sampleProject.id}/upload`, form);
  };
  const namesIn = async (folder: string): Promise<readonly string[]> => {
    const path = `documents/projects/${sampleProject.id}?limit=200&folderName=${encodeURIComponent(folder)}`;
    const { items } = await call<{ items: { fileName: string }[] }>(stage(), 'projectManager', 'GET', path);
    return items.map(({ fileName }) => fileName).toSorted();
  };
  const pathOf = (folder: string): string => `/documents/${sampleProject.id}?folder=${folder}`;
  const uploadsOf = (page: Page) => page.getByRole('region', { name: 'Uploads' });

  test('a request without an event for three minutes has failed, each event begins them anew, and the upload continues', async () => {
    const page = await stage().signedIn('projectManager', pathOf('03_Auftragsbestätigungen'), {
      ownClock: true,
    });
    const failed: string[] = [];
    page.on('requestfailed', (request) => void failed.push(request.method()));
    await page.evaluate(`(() => {
      const { send } = XMLHttpRequest.prototype;
      globalThis.progressEvents = 0;
      XMLHttpRequest.prototype.send = function (body) {
        this.upload.addEventListener('progress', () => (progressEvents += 1));
        send.call(this, body);
      };
    })()`);
    await setSpeed(MiB);
    await drop(page, { 'Still.bin': 30 * MiB });
    const item = uploadsOf(page).getByRole('listitem').filter({ hasText: 'Still.bin' });
    const nextPercent = async (): Promise<void> => {
      const before = await item.innerText();
      await expect.poll(() => item.innerText(), { timeout: 30_000 }).not.toBe(before);
    };
    await nextPercent();
    // Together longer than the limit.
    for (let times = 0; times < 2; times += 1) {
      await page.clock.fastForward(150_000);
      await nextPercent();
    }
    expect(failed).toEqual([]);
    // Nothing is taken any more, and the system's buffers are full.
    await setSpeed(1);
    let seen = -1;
    await expect
      .poll(
        async () => {
          const before = seen;
          seen = await page.evaluate('progressEvents');
          return seen === before;
        },
        { interval: 3000, timeout: 60_000 },
      )
      .toBe(true);
    await page.clock.fastForward(160_000);
    expect(failed).toEqual([]);
    const ended = page.waitForEvent('requestfailed');
    await page.clock.fastForward(20_000);
    expect((await ended).method()).toBe('PUT');
    await library('DELETE', '/settings');
    await page.getByRole('link', { name: 'Still.bin' }).waitFor({ timeout: 60_000 });
  });

  test('a service that does not respond for four minutes has not responded, and the upload is completed', async () => {
    const page = await stage().signedIn('projectManager', pathOf('03_Auftragsbestätigungen'), {
      ownClock: true,
    });
    let service: 'silent' | 'gone' | 'there' = 'silent';
    let calls = 0;
    await page.route('**/complete', (route) => {
      calls += 1;
      if (service === 'there') return route.continue();
      return service === 'gone' ? route.abort() : undefined;
    });
    const [asked] = await Promise.all([page.waitForRequest('**/complete'), drop(page, { 'Stumm.txt': 10 })]);
    await page.clock.fastForward(230_000);
    expect(asked.failure()).toBeNull();
    service = 'gone';
    const ended = page.waitForEvent('requestfailed');
    await page.clock.fastForward(10_000);
    expect((await ended).url()).toBe(asked.url());
    // It is not asked again without a pause.
    await page.waitForTimeout(300);
    expect(calls).toBeLessThan(4);
    service = 'there';
    await page.getByRole('link', { name: 'Stumm.txt' }).waitFor();
  });

  test('of forty files of a drop, twenty are there already: one decision is enough, and none gets lost', async () => {
    const folder = '05_Verträge';
    const names = Array.from({ length: 40 }, (_, index) => `Anlage ${100 + index}.txt`);
    const there = names.filter((_name, index) => index % 2 === 0);
    for (const name of there) await addDocument(folder, name);
    const page = await stage().signedIn('projectManager', pathOf(folder));
    const uploads = uploadsOf(page);
    await drop(page, Object.fromEntries(names.map((name) => [name, 9])));
    await uploads.getByText('20 of 40 uploaded, 20 failed').waitFor({ timeout: 60_000 });
    expect(await axeFindings(page)).toEqual([]);
    await uploads.getByRole('button', { name: 'Clear finished' }).click();
    await uploads.getByText('0 of 20 uploaded, 20 failed').waitFor();

    // Nothing of it is stored: whoever leaves is asked.
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(`${dialog.type()} ${dialog.message()}`.trim());
      void dialog.dismiss();
    });
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toEqual(['beforeunload']);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect
      .poll(() => asked.slice(1))
      .toEqual(['confirm Uploads or input are not finished and will be lost. Leave anyway?']);

    await page.keyboard.press('Escape');
    await uploads.getByRole('button', { name: 'Do not upload 20', exact: true }).waitFor();
    await uploads.getByRole('button', { name: 'Replace 20', exact: true }).waitFor();
    await uploads.getByRole('button', { name: 'Keep both of 20', exact: true }).click();
    await uploads.getByText('20 of 20 uploaded').waitFor({ timeout: 60_000 });
    const added = there.map((name) => name.replace('.txt', ' 1.txt'));
    expect(await namesIn(folder)).toEqual(expect.arrayContaining([...names, ...added]));
  });

  test('the page of a new release is not loaded while an upload runs, and after that only once', async () => {
    const folder = '02_Aufträge';
    const page = await stage().signedIn('projectManager', pathOf(folder));
    // A deployment has removed the file of a page, and instances of two releases respond in turn.
    await page.route(/\/assets\/contacts-page/, (route) => route.abort());
    await page.route(stage().url, async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replace(
        /src="[^"]+\.js"/,
        'src="/api/console/assets/app-next.js"',
      );
      await route.fulfill({ response, body: html });
    });
    const { promise: isWanted, resolve: respond } = Promise.withResolvers<void>();
    await page.route('**/complete', async (route) => {
      await isWanted;
      await route.continue();
    });
    await Promise.all([page.waitForRequest('**/complete'), drop(page, { 'Unterwegs.txt': 10 })]);
    let loads = 0;
    page.on('request', (request) => void (loads += request.isNavigationRequest() ? 1 : 0));
    const contacts = page.getByRole('link', { name: 'Contacts' });
    const isNew = page.getByText('There is a new version of this application.');
    await contacts.click();
    await isNew.waitFor();
    expect(loads).toBe(0);
    await page.goBack();
    respond();
    await page.getByRole('link', { name: 'Unterwegs.txt' }).waitFor();
    await contacts.click();
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => loads).toBe(2);
    await isNew.waitFor();
    expect(loads).toBe(2);
  });

  test('without storage in the browser, the page says what is missing', async () => {
    const page = await stage().page({ language: 'de' });
    await page.addInitScript(`for (const name of ['sessionStorage', 'localStorage', 'BroadcastChannel'])
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`);
    await page.goto(stage().url);
    await page.getByText('Dieser Browser speichert keine Daten für diese Seite').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // The choice of the language needs no storage.
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByText('This browser keeps no data for this page').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForTimeout(300);
    expect(new URL(page.url()).pathname).toBe('/api/console');
  });

  test('without localStorage alone, everything works', async () => {
    const page = await stage().page();
    await page.addInitScript(`Object.defineProperty(globalThis, 'localStorage', {
      get() { throw new DOMException('denied', 'SecurityError'); } });`);
    await page.goto(`${stage().url}${pathOf('03_Auftragsbestätigungen')}`);
    await stage().signIn(page, 'projectManager');
    await drop(page, { 'Ohne Speicher.txt': 10 });
    await page.getByRole('link', { name: 'Ohne Speicher.txt' }).waitFor();
  });
}
