import { rm } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { exampleDocument, failedBehindFile } from './examples.ts';
import { notice } from './notice.ts';
import type { Stage } from './stage.ts';

/** No page has more tab stops than this. */
const maxStops = 60;

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Presses Tab until the focus is on the element with this name. */
async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let stops = 0; stops < maxStops; stops += 1) {
    await press(page, key);
    const focused = await page.evaluate<string>(nameOfFocused);
    if (focused.includes(name)) return;
    seen.push(focused);
  }
  throw new Error(`${key} does not reach "${name}", only: ${seen.join(', ')}`);
}

export function keyboardStories(stage: () => Stage): void {
  test('a folder is requested and its history read with the keyboard alone', async () => {
    const page = await stage().page();
    await page.goto(stage().url);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await tabTo(page, 'Sign in');
    await press(page, 'Enter');
    await page.getByRole('link', { name: 'Andreas Adler' }).waitFor();
    await tabTo(page, 'Andreas Adler');
    await press(page, 'Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Folder requests' }).waitFor();
    await tabTo(page, 'Folder requests');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'New request' }).waitFor();
    await tabTo(page, 'New request');
    await press(page, 'Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Tastatur\\Neubau');
    await press(page, 'Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Tastatur\\Neubau' }).waitFor();
    // The box of the row is before its link.
    await tabTo(page, 'Select: Tastatur\\Neubau');
    await press(page, 'Tab', 'Enter');
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await press(page, 'Escape');
    await page.getByRole('heading', { name: 'History' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(nameOfFocused)).toContain('Tastatur\\Neubau');
  });

  test('failed requests are found and requeued with the keyboard alone', async () => {
    // Nothing is in the way any more: a request that failed again at once would have its button back.
    await rm((await failedBehindFile(stage(), 'Tastatur\\Archiv')).file);
    const page = await stage().signedIn('administrator', '/folder-requests');
    await page.getByRole('button', { name: 'New request' }).waitFor();
    await tabTo(page, 'State');
    await page.keyboard.type('Failed');
    await page.getByRole('button', { name: 'Requeue all failed …' }).waitFor();
    await tabTo(page, 'Search');
    await page.keyboard.type('Tastatur\\Archiv');
    await press(page, 'Tab');
    await page.getByText(/^1 (of|request)\b/).waitFor();
    await tabTo(page, 'Select: Tastatur\\Archiv');
    await press(page, 'Tab', 'Enter');
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await tabTo(page, 'Requeue');
    await press(page, 'Enter');
    await notice(page, 'Requeued.');
    // The button has gone with the state; the keyboard continues in the drawer.
    await page.getByRole('button', { name: 'Requeue', exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(focusPath)).toContain('fui-OverlayDrawer');
    // Also where another library moves it behind the drawer.
    await page.evaluate(`document.querySelector('main button').focus()`);
    await expect.poll(() => page.evaluate(focusPath)).toContain('fui-OverlayDrawer');
  });

  test('a document is deleted with the keyboard alone', async () => {
    await exampleDocument(stage());
    await exampleDocument(stage(), '07_Protokolle', 'Bleibt.txt');
    const page = await stage().signedIn(
      'projectManager',
      `/documents/${sampleProject.id}?folder=07_Protokolle`,
    );
    await page.getByRole('link', { name: 'Baubesprechung 1.txt' }).waitFor();
    await tabTo(page, 'Actions: Baubesprechung 1.txt');
    const ask = async (): Promise<void> => {
      await press(page, 'Enter');
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      // The last one.
      await press(page, 'ArrowUp', 'Enter');
      await page.getByRole('alertdialog').waitFor();
    };
    await ask();
    await press(page, 'Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(nameOfFocused)).toBe('Actions: Baubesprechung 1.txt');
    await ask();
    await tabTo(page, 'Delete');
    await press(page, 'Enter');
    await notice(page, 'The document is in the recycle bin of the library.');
    await page.getByRole('link', { name: 'Baubesprechung 1.txt' }).waitFor({ state: 'detached' });
    // The keyboard continues in the row that has taken its place.
    await expect.poll(() => page.evaluate(nameOfFocused)).toContain('Bleibt.txt');
    await tabTo(page, 'Actions of the project', 'Shift+Tab');
    await press(page, 'Enter');
    await page.getByRole('menuitem', { name: 'Synchronize' }).waitFor();
    await press(page, 'ArrowDown', 'Enter');
    await page
      .locator('.fui-Toast')
      .getByText(/^Synchronized/)
      .first()
      .waitFor();
    expect(await page.evaluate(nameOfFocused)).toBe('Actions of the project');
  });

  test('a letter is written with the keyboard alone', async () => {
    const page = await stage().signedIn('activityAuthor', `/activities?contact=${sampleContact.id}`);
    await page.getByLabel('Letter').waitFor();
    await tabTo(page, 'Email');
    await press(page, 'ArrowRight');
    await tabTo(page, 'What to say');
    await page.keyboard.type('Der Baubeginn verschiebt sich.');
    await tabTo(page, 'Write');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Make the letter' }).waitFor();
    await tabTo(page, 'Make the letter');
    await press(page, 'Enter');
    await page.getByRole('link', { name: 'Open in Word' }).waitFor();
  });
}

/** The focused element and what it is in, each with its classes: a failure says where the focus is. */
const focusPath = `(() => {
  const path = [];
  for (let element = document.activeElement; element; element = element.parentElement)
    path.push([element.localName, ...element.classList].filter((each) => !/^(f|r|_)[a-z0-9_]{5,8}$/.test(each)).join('.'));
  return path.join(' < ');
})()`;

/** Empty unless the focus is on a link, button, or field. */
const nameOfFocused = `(() => {
  const element = document.activeElement;
  if (!element?.matches('a, button, input, select, textarea')) return '';
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent;
  return label ?? element.textContent;
})()`;
