import { expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import type { Stage } from './stage.ts';

export function signInStories(stage: () => Stage): void {
  test('the browser stores only choices; a reload remains signed in, and a new tab signs in without a question', async () => {
    const page = await stage().signedInByHand('administrator', '/folder-requests?status=FAILED', {
      language: 'de',
    });
    await page.getByRole('heading', { level: 1, name: 'Ordneranforderungen' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=FAILED');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    expect(await page.evaluate('Object.entries(localStorage)')).toEqual([['language', 'en']]);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name)).toEqual(['identity-provider-session']);

    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${stage().url}/folder-requests?status=PENDING`);
    await tab.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    expect(new URL(tab.url()).search).toBe('?status=PENDING');
    await page.context().clearCookies();
    const stranger = await page.context().newPage();
    await stranger.goto(`${stage().url}/folder-requests?status=PENDING`);
    await stranger.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(stranger.url()).search).toBe('?status=PENDING');
    expect(await stranger.getByText('The sign-in failed').count()).toBe(0);
  });

  test('theme, range and language survive a reload', async () => {
    const page = await stage().signedInByHand('administrator', '/overview');
    await page.getByLabel('Range').selectOption('7 days');
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('button', { name: /^Konto/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Dunkles Design' }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    expect(await page.getByRole('main').getByRole('combobox').inputValue()).toBe('168');
    expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    // The system's theme is no choice.
    await page.getByRole('button', { name: /^Konto/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Dunkles Design' }).click();
    expect(await page.evaluate('localStorage.getItem("theme")')).toBeNull();
  });

  test('signing out leads to the start page in every tab, and nothing of the session is left', async () => {
    const page = await stage().signedInByHand('administrator');
    const tab = await page.context().newPage();
    await tab.goto(stage().url);
    await tab.getByRole('banner').waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
    await tab.getByText('You signed out in another tab').waitFor();
    expect(await tab.evaluate('Object.keys(sessionStorage)')).toEqual([]);
    expect(await axeFindings(tab)).toEqual([]);
  });

  test('a rejection by the identity provider, and a sign-in of another tab, are explained in German', async () => {
    const page = await stage().page({ language: 'de' });
    await page.goto(stage().url);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('link', { name: 'Andreas Adler' }).waitFor();
    const state = new URL(page.url()).searchParams.get('state') ?? '';
    const rejection = `error=access_denied&error_description=AADSTS50105%3A+Not+assigned&state=${state}`;
    await page.goto(`${stage().url}/signed-in#${rejection}`);
    await page.getByText('Der Anmeldedienst hat die Anmeldung abgelehnt.').waitFor();
    await page.getByText('Kennung für die Administration: AADSTS50105').waitFor();
    // The same response again: its sign-in is over.
    await page.goto('about:blank');
    await page.goto(`${stage().url}/signed-in#${rejection}`);
    await page.getByText('Diese Anmeldung wurde in einem anderen Tab begonnen').waitFor();
    expect((await page.getByRole('main').allInnerTexts()).join()).not.toMatch(/state|AADSTS/);
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  });

  test('a session that expires during input is renewed in another window, and the input is kept', async () => {
    const { identityProvider } = stage().stack;
    identityProvider.pageTokenSeconds = 30;
    try {
      const page = await stage().signedInByHand('administrator', '/folder-requests', { ownClock: true });
      await page.getByRole('button', { name: 'New request' }).click();
      await page.getByLabel('Target path').fill('Sitzung\\Ende');
      // Tokens of 30 s are renewed at each call; from now on that fails.
      identityProvider.endPageSessions();
      await page.clock.fastForward(5000);
      await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor({ timeout: 30_000 });
      identityProvider.pageTokenSeconds = 3600;
      const [window] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('button', { name: 'Sign in again' }).click(),
      ]);
      // Another person's sign-in does not continue the work in this tab, and it says so.
      await window.getByRole('link', { name: 'Birgit Behrens' }).click();
      await page.getByText('Birgit Behrens has signed in, but this page belongs to Andreas Adler.').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await expect.poll(() => window.isClosed()).toBe(true);
      const [second] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('button', { name: 'Sign in again' }).click(),
      ]);
      // Where the window stays. Its first address, of the page with `choose`, can be over before anyone looks.
      await second.waitForURL((url) => url.searchParams.get('prompt') === 'select_account');
      await second.getByRole('link', { name: 'Andreas Adler' }).click();
      await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
      await expect.poll(() => second.isClosed()).toBe(true);
      expect(await page.getByLabel('Target path').inputValue()).toBe('Sitzung\\Ende');
      await page.getByRole('dialog').getByRole('button', { name: 'Request', exact: true }).click();
      await page.getByRole('link', { name: 'Sitzung\\Ende' }).waitFor();
    } finally {
      identityProvider.pageTokenSeconds = 3600;
    }
  });
}
