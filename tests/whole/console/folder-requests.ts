import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { call, claimElsewhere, ended, failElsewhere, waitingElsewhere } from './examples.ts';
import { notice } from './notice.ts';
import type { Stage } from './stage.ts';
import { translate } from './translate.ts';
import { visit } from './visit.ts';

async function request(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: 'New request' }).click();
  await page.getByLabel('Target path').fill(path);
  await page.getByRole('dialog').getByRole('button', { name: 'Request', exact: true }).click();
}

export function folderRequestStories(stage: () => Stage): void {
  test('requested, claimed and fulfilled by the agent on the share; one fails, its cause is read, fixed and requeued', async () => {
    const { rootDirectory, templateDirectory } = stage().stack.fileServer;
    // A file where the path requires a directory: only a person can decide what to do with it.
    await mkdir(join(rootDirectory, 'Konsole'), { recursive: true });
    const obstacle = join(rootDirectory, 'Konsole', 'Bauakte');
    await writeFile(obstacle, 'a file');
    const page = await stage().signedIn('administrator', '/folder-requests', { ownClock: true });
    const row = (path: string) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name: path, exact: true }) });
    const refreshed = () => page.clock.fastForward(5000);
    const idOf = async (path: string): Promise<string> =>
      (await row(path).getByRole('link').getAttribute('href'))?.split(/[/?]/).at(-1) ?? '';

    await request(page, 'Konsole\\Neubau');
    await ended(stage(), await idOf('Konsole\\Neubau'));
    await refreshed();
    await row('Konsole\\Neubau').getByText('Fulfilled').waitFor();
    expect((await readdir(join(rootDirectory, 'Konsole', 'Neubau'))).toSorted()).toEqual(
      (await readdir(templateDirectory)).toSorted(),
    );

    await request(page, 'Konsole\\Bauakte\\2026');
    const id = await idOf('Konsole\\Bauakte\\2026');
    await ended(stage(), id);
    await refreshed();
    await row('Konsole\\Bauakte\\2026').getByText('Failed').waitFor();
    // The reason is in the list, also in a narrow window or at 200 %.
    const reason = row('Konsole\\Bauakte\\2026').getByText(/^The file server already has something else/);
    for (const width of [360, 640]) {
      await page.setViewportSize({ width, height: 740 });
      await reason.waitFor();
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Konsole\\Bauakte\\2026' }).click();
    const history = page.getByRole('dialog').getByRole('listitem');
    await expect
      .poll(async () => (await history.allTextContents()).map((text) => text.split(/\d/, 1)[0]))
      .toEqual(['Created', 'Claimed', 'Failed']);
    expect(await history.last().textContent()).toContain('Bauakte');
    // Who did it: the name of the signed-in user.
    expect(await history.first().textContent()).toContain('Andreas Adler');
    await page.getByRole('button', { name: 'Copy the ID' }).click();
    await notice(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);

    await rm(obstacle);
    await translate(page);
    await page.getByRole('button', { name: 'Requeue', exact: true }).click();
    await notice(page, 'Requeued.');
    await ended(stage(), id);
    await refreshed();
    await page.getByRole('dialog').getByText('Fulfilled').first().waitFor();
    await expect
      .poll(async () => (await history.allTextContents()).map((text) => text.split(/\d/, 1)[0]))
      .toEqual(['Created', 'Claimed', 'Failed', 'Requeued', 'Claimed', 'Fulfilled']);
    await page.getByRole('button', { name: 'Close' }).click();
    await row('Konsole\\Bauakte\\2026').getByText('Fulfilled').waitFor();
  });

  test('on first use, a form that is opened before the list has come remains with its text, at the one button', async () => {
    // Nobody has requested a folder as this person.
    const page = await stage().signedIn('noRole', '/contacts', { roles: ['Management'] });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/folder-requests\?/, async (route) => {
      await held;
      await route.continue();
    });
    await visit(page, '/folder-requests');
    await page.getByRole('button', { name: 'New request' }).click();
    await page.getByLabel('Target path').fill('Früh\\Getippt');
    // Nothing is said of a list that has not come.
    expect(await page.getByText(/^\d+ (of|request)/).count()).toBe(0);
    release();
    await page.getByText('There is no request yet.').waitFor();
    expect(await page.getByLabel('Target path').inputValue()).toBe('Früh\\Getippt');
    expect(await page.getByRole('button', { name: 'New request', includeHidden: true }).count()).toBe(1);
  });

  test('a pending request is withdrawn after confirmation; one that has been claimed by then is not, and the reason is shown', async () => {
    const [withdrawn, claimed] = [await waitingElsewhere(stage()), await waitingElsewhere(stage())];
    const page = await stage().signedIn('administrator', `/folder-requests/${withdrawn}`);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('Withdraw this request? It is removed from the queue for good.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await call(stage(), 'administrator', 'GET', `folder-requests/${withdrawn}`)).toMatchObject({
      status: 'PENDING',
    });
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await question.getByRole('button', { name: 'Withdraw' }).click();
    await notice(page, 'The request was withdrawn.');
    await page.getByRole('heading', { name: 'History' }).waitFor({ state: 'detached' });
    await expect(call(stage(), 'administrator', 'GET', `folder-requests/${withdrawn}`)).rejects.toThrow(
      /404/,
    );

    await visit(page, `/folder-requests/${claimed}`);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    // The page does not learn of the claim before the click.
    await page.route(/\/folder-requests/, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.fallback(),
    );
    await claimElsewhere(stage());
    await question.getByRole('button', { name: 'Withdraw' }).click();
    await question.getByText('That did not work').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
  });

  test('users without access to the queue follow their own requests on any device, and find one by its ID', async () => {
    const others = await waitingElsewhere(stage(), 'Fremde');
    const page = await stage().signedIn('management', '/folder-requests', { ownClock: true });
    await request(page, 'Konsole\\Eigene');
    const own = page.getByRole('row').filter({ hasText: 'Konsole\\Eigene' });
    const id = (await own.getByRole('link').getAttribute('href'))?.split('/').at(-1) ?? '';
    await ended(stage(), id);
    await page.clock.fastForward(5000);
    await own.getByText('Fulfilled').waitFor();

    const device = await stage().signedIn('management', '/folder-requests');
    await device.getByRole('heading', { name: 'My folder requests' }).waitFor();
    await device.getByRole('link', { name: 'Konsole\\Eigene' }).waitFor();
    expect(await device.getByRole('link', { name: 'Fremde' }).count()).toBe(0);
    await device.getByRole('searchbox', { name: 'Search' }).fill(` ${id.toUpperCase()} `);
    await device.getByText('Found by its ID.').waitFor();
    expect(await device.getByRole('row').count()).toBe(2);
    await device.getByRole('searchbox', { name: 'Search' }).fill('00000000-0000-4000-8000-000000000000');
    await device.getByText('There is no request with this ID.').waitFor();
    await call(stage(), 'administrator', 'DELETE', `folder-requests/${others}`);
  });

  test('several folders are requested at once: what is wrong stays in the form with its reason, a lost response doubles nothing, and a part of a path finds them', async () => {
    const page = await stage().signedIn('backOffice', '/folder-requests', { language: 'de' });
    await page.getByRole('button', { name: 'Neue Anforderung' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Mehrere Ordner …' }).click();
    const paths = dialog.getByLabel('Zielpfade');
    const send = dialog.getByRole('button', { name: 'Anfordern', exact: true });
    await paths.fill(Array.from({ length: 101 }, (_, at) => `Serie\\${at}`).join('\n'));
    await dialog.getByText('101 Pfade; höchstens 100 sind möglich.').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await paths.fill('Serie\\Anbau\n Serie/Umbau \n\nSerie\\Anbau\nSerie\\Was?');
    await page.route(
      '**/folder-requests/batch',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await send.click();
    await dialog.getByText('Das hat nicht geklappt').waitFor();
    await send.click();
    await notice(page, '2 Ordner wurden angefordert.');
    expect(await paths.inputValue()).toBe('Serie\\Was?');
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Serie\\Was\?: Zielpfad: ./),
    ]);
    await paths.fill('Serie\\Neubau');
    await send.click();
    await dialog.waitFor({ state: 'detached' });

    const service = page.waitForRequest(
      (request) => new URL(request.url()).searchParams.get('path')?.startsWith('serie/') === true,
    );
    await page.getByRole('searchbox', { name: 'Teil des Pfads' }).fill('serie/');
    await service;
    const found = page.getByRole('row').getByRole('link');
    await expect
      .poll(() => found.allTextContents())
      .toEqual(['Serie\\Neubau', 'Serie\\Umbau', 'Serie\\Anbau']);
    await page.getByRole('searchbox', { name: 'Teil des Pfads' }).fill('serie/NEU');
    await expect.poll(() => found.allTextContents()).toEqual(['Serie\\Neubau']);
    // The address has it, and what is typed beside it narrows it further.
    await page.reload();
    await expect.poll(() => found.allTextContents()).toEqual(['Serie\\Neubau']);
    await page.getByRole('searchbox', { name: 'Suchen' }).fill('Anbau');
    await page.getByText('Keine passende Ordneranforderung.').waitFor();
  });

  test('the path of a waiting request is corrected in its place; of a claimed one, an administrator takes it from its agent', async () => {
    const page = await stage().signedIn('backOffice', '/folder-requests');
    await request(page, '\\\\nobody.test\\share\\Falsch');
    await page.getByRole('link', { name: 'Falsch' }).click();
    // Office staff cannot set up an agent.
    await page.getByRole('dialog').getByText('No agent is set up for this server yet').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await page.getByRole('button', { name: 'Correct the path …' }).click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Correct the path' });
    expect(await dialog.getByLabel('Target path').inputValue()).toBe('\\\\nobody.test\\share\\Falsch');
    await dialog.getByLabel('Target path').fill('Erneut\\Richtig');
    await dialog.getByRole('button', { name: 'Correct', exact: true }).click();
    await notice(page, 'The path was corrected.');
    expect(await ended(stage(), id)).toMatchObject({ status: 'FULFILLED', targetPath: 'Erneut\\Richtig' });

    const claimed = await waitingElsewhere(stage(), 'Geklemmt');
    await claimElsewhere(stage());
    const other = await stage().signedIn('administrator', `/folder-requests/${claimed}`);
    await other.getByRole('button', { name: 'Free …' }).click();
    const question = other.getByRole('dialog').filter({ hasText: 'Take the request from its agent' });
    await question.getByLabel('Reason').fill('Maschine ausgeschaltet');
    await question.getByRole('button', { name: 'Free', exact: true }).click();
    await notice(other, 'The request waits again.');
    await other.getByRole('dialog').getByText('Maschine ausgeschaltet').waitFor();
    await call(stage(), 'administrator', 'DELETE', `folder-requests/${claimed}`);
  });

  test('the filter is in the address; what it shows is saved as a file, and what is checked is withdrawn together', async () => {
    const ids = [await waitingElsewhere(stage(), 'Ärger 1'), await waitingElsewhere(stage(), 'Ärger 2')];
    const page = await stage().signedIn('administrator', '/folder-requests?status=FULFILLED&search=ÄRGER');
    await page.getByText('No folder request matches.').waitFor();
    await page.getByRole('searchbox').first().fill('ärger');
    await page.getByLabel('State').first().selectOption('Pending');
    await page.getByRole('link', { name: 'Ärger 1' }).click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    const address = new URL(page.url());
    expect(address.pathname).toContain(ids[0]);
    expect(Object.fromEntries(address.searchParams)).toEqual({ status: 'PENDING', search: 'ärger' });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('row').count()).toBe(3);

    const row = (name: string) =>
      page.getByRole('checkbox', { name: `Select: \\\\elsewhere.test\\share\\${name}` });
    await row('Ärger 1').check();
    await page.getByText('1 selected').waitFor();
    // Of requests that wait, none has failed.
    expect(await page.getByRole('button', { name: 'Requeue all failed …' }).count()).toBe(0);
    // An export that is stopped has not failed, and saves nothing.
    await page.route(/\/folder-requests\?/, () => undefined);
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await page.getByRole('button', { name: /^Stop the export/ }).click();
    await page.getByRole('button', { name: 'Export as CSV' }).waitFor();
    expect(await page.getByText('That did not work').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(ids.toReversed());

    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Withdraw 2' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Withdraw 2 requests?').waitFor();
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await dialog.getByText('2 requests were withdrawn.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No folder request matches.').waitFor();
    await expect(call(stage(), 'administrator', 'GET', `folder-requests/${ids[0]}`)).rejects.toThrow(/404/);
  });
}

/** After those of the agents: the silent one fails a request. */
export function openDialogStories(stage: () => Stage): void {
  test('an open dialog remains when the request fails meanwhile, with what was typed', async () => {
    const id = await waitingElsewhere(stage(), 'Offen');
    for (let claimed = ''; claimed !== id;) claimed = (await claimElsewhere(stage())).id;
    const page = await stage().signedIn('administrator', `/folder-requests/${id}`, { ownClock: true });
    await page.getByRole('button', { name: 'Request again with another path …' }).click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Request again with another path' });
    await dialog.getByLabel('Target path').fill('Offen\\Neu');
    await failElsewhere(stage(), id);
    const reads = page.waitForResponse((response) => response.url().endsWith(`/folder-requests/${id}`));
    await page.clock.fastForward(5000);
    await reads;
    // Behind the dialog, so not accessible.
    await page
      .getByRole('button', { name: 'Requeue', exact: true, includeHidden: true })
      .waitFor({ state: 'attached' });
    expect(await dialog.getByLabel('Target path').inputValue()).toBe('Offen\\Neu');
    await dialog.getByRole('button', { name: 'Request', exact: true }).click();
    await notice(page, 'The folder was requested.');
    await visit(page, `/folder-requests/${id}`);
    await page.getByRole('button', { name: 'Requeue with another path …' }).waitFor();
    expect(await page.getByRole('button', { name: 'Request again with another path …' }).count()).toBe(0);
  });
}
