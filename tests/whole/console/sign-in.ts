import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { sessionOf } from './session-of.ts';
import { replaceSession, type Stage } from './stage.ts';
import { visit } from './visit.ts';

export function signInStories(stage: () => Stage): void {
  test('a session and the stored choices survive a reload; a new tab signs in without a question; signing out ends every tab', async () => {
    const page = await stage().signedInByHand('administrator', '/folder-requests?status=FAILED', {
      language: 'de',
    });
    await page.getByRole('heading', { level: 1, name: 'Ordneranforderungen' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=FAILED');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    await visit(page, '/overview');
    await page.getByLabel('Range').selectOption('7 days');
    const account = page.getByRole('button', { name: /^Account/ });
    const toggleDarkTheme = async (): Promise<void> => {
      await account.click();
      await page.getByRole('menuitemcheckbox', { name: 'Dark theme' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    };
    await toggleDarkTheme();
    const stored = (): Promise<object> => page.evaluate('({ ...localStorage })');
    expect(await stored()).toEqual({ language: 'en', range: '168', theme: 'dark' });
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name }) => name)).toEqual(['identity-provider-session']);

    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.getByLabel('Range').inputValue()).toBe('168');
    expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    // The system's theme is no choice.
    await toggleDarkTheme();
    expect(await stored()).toEqual({ language: 'en', range: '168' });

    const another = async (): Promise<Page> => {
      const tab = await page.context().newPage();
      await tab.goto(`${stage().url}/folder-requests?status=PENDING`);
      return tab;
    };
    const tab = await another();
    await tab.getByRole('heading', { level: 1, name: 'Folder requests' }).waitFor();
    expect(new URL(tab.url()).search).toBe('?status=PENDING');
    const ofAnother = await page.context().newPage();
    await ofAnother.goto(`${stage().url}/icon.svg`);
    await ofAnother.evaluate(replaceSession(await sessionOf(stage().url, 'projectManager')));
    await ofAnother.goto(stage().url);
    await ofAnother.getByRole('region', { name: 'Projects' }).waitFor();
    // Nobody has opened one in this browser.
    expect(await ofAnother.getByRole('region', { name: 'Pinned and opened last' }).count()).toBe(0);
    await account.click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await tab.getByText('You signed out in another tab').waitFor();
    for (const each of [page, tab]) expect(await each.evaluate('Object.keys(sessionStorage)')).toEqual([]);
    expect(await page.getByText('The identity provider').count()).toBe(0);
    // Another person's work goes on.
    expect(await ofAnother.getByRole('heading', { level: 1 }).innerText()).toBe('Documents');
    await ofAnother.close();
    expect(await axeFindings(tab)).toEqual([]);
    const later = await another();
    await later.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(later.url()).search).toBe('?status=PENDING');
    expect(await later.getByText('The sign-in failed').count()).toBe(0);
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
    // A provider that has shown its page and is unreachable afterwards.
    await page.route('**/token', (route) => route.abort());
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('link', { name: 'Andreas Adler' }).click();
    await page.getByText('Der Anmeldedienst ist nicht erreichbar.').waitFor();
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  });
}
