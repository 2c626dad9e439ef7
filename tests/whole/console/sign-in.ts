import { expect, test } from 'vitest';
import type { Role, Stage } from './stage.ts';

/** The menu of each person. */
const menus: Record<Role, readonly string[]> = {
  administrator: ['Overview', 'Folder requests', 'Agents', 'Documents', 'Contacts'],
  backOffice: ['Folder requests', 'Documents', 'Contacts'],
  management: ['Folder requests', 'Documents', 'Contacts'],
  projectManager: ['Documents', 'Contacts'],
  activityAuthor: ['Activities'],
  noRole: [],
};

export function signInStories(stage: () => Stage): void {
  test.each(Object.entries(menus) as [Role, readonly string[]][])('%s is offered %j', async (role, menu) => {
    const page = await stage().signedInByHand(role);
    const links = page.getByRole('navigation').getByRole('link');
    await expect.poll(() => links.allTextContents()).toEqual(menu);
    const heading = menu[0] ?? 'Project folders';
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    if (menu.length === 0) await page.getByText('You have no role in this application.').waitFor();
  });

  test('the browser stores only the language; a reload remains signed in, a new tab is not', async () => {
    const page = await stage().signedInByHand('administrator', '/folder-requests?status=FAILED', {
      language: 'de',
    });
    await page.getByRole('heading', { level: 1, name: 'Ordneranforderungen' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=FAILED');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    expect(await page.evaluate('Object.entries(localStorage)')).toEqual([['language', 'en']]);
    expect(await page.context().cookies()).toEqual([]);

    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(stage().url);
    await tab.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('signing out leads to the start page, and nothing of the session is left', async () => {
    const page = await stage().signedInByHand('administrator');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
  });

  test('a rejection by the identity provider is shown', async () => {
    const page = await stage().page();
    await page.goto(`${stage().url}/signed-in#error=access_denied&error_description=Not+today&state=unknown`);
    await page.getByText('Sign-in failed:').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
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
      await window.getByRole('link', { name: 'Andreas Adler' }).click();
      await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
      await expect.poll(() => window.isClosed()).toBe(true);
      expect(await page.getByLabel('Target path').inputValue()).toBe('Sitzung\\Ende');
      await page.getByRole('dialog').getByRole('button', { name: 'New request' }).click();
      await page.getByRole('link', { name: 'Sitzung\\Ende' }).waitFor();
    } finally {
      identityProvider.pageTokenSeconds = 3600;
    }
  });
}
