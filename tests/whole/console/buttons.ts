import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const widths = [360, 768, 1440];

/**
 * Fails for a button of the page, or of the dialog that is open, that cannot be scrolled into view, or over whose middle
 * something else lies, in any of these windows; the same in each dialog that one of the buttons opens.
 *
 * @param dialogs names of buttons that open a dialog: these at least are there in each window
 */
export async function expectButtonsInReach(page: Page, dialogs: readonly string[]): Promise<void> {
  // What lies below an open menu is in reach after it has closed.
  if ((await page.getByRole('menu').count()) > 0) return;
  const open = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  const place = (await open.count()) > 0 ? open.first() : page;
  const seen = new Set<string>();
  for (const width of widths) {
    await resize(page, width);
    await expectEachInReach(place, `${width} px`);
    const openers = place.locator('[aria-haspopup="dialog"]');
    const actions = await openers.evaluateAll(actionsOf);
    expect(actions, `${width} px`).toEqual(expect.arrayContaining([...dialogs]));
    for (const [index, action] of actions.entries()) {
      // Of a button in every row, the first.
      if (action === undefined || seen.has(action)) continue;
      seen.add(action);
      await openers.nth(index).click();
      await expectDialogInReach(page, action);
      await resize(page, width);
    }
  }
}

const resize = (page: Page, width: number): Promise<void> => page.setViewportSize({ width, height: 740 });

async function expectDialogInReach(page: Page, action: string): Promise<void> {
  // A drawer has no such title.
  const dialog = page.locator('.fui-DialogSurface').filter({ has: page.locator('.fui-DialogTitle') });
  await dialog.waitFor();
  for (const width of widths) {
    await resize(page, width);
    await expectEachInReach(dialog, `${action}, ${width} px`);
  }
  // A dialog is visible before it has the focus, and hears no Escape until then.
  await expect.poll(() => dialog.evaluate(hasFocus), { message: `focus in ${action}` }).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

async function expectEachInReach(place: Page | Locator, when: string): Promise<void> {
  const buttons = place.getByRole('button');
  await expect.poll(() => buttons.evaluateAll(outOfReach), { message: when }).toEqual([]);
}

// All of these run in the page, so they use nothing of this module.

/** The names of such buttons. */
function outOfReach(buttons: readonly any[]): string[] {
  const isOutOfReach = (button: any): boolean => {
    if (!button.checkVisibility({ visibilityProperty: true }) || button.disabled) return false;
    button.scrollIntoView({ block: 'center', inline: 'center' });
    const { x, y, width, height } = button.getBoundingClientRect();
    // The button that clears an empty field has no size.
    if (width === 0 || height === 0) return false;
    return !button.contains(button.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
  };
  // While a dialog closes, the page behind it has none.
  if (buttons.length === 0) return ['no button'];
  return buttons
    .filter(isOutOfReach)
    .map((button) => String(button.getAttribute('aria-label') ?? button.textContent));
}

/** What each of the buttons does, without the name of its row; undefined for one that is hidden or disabled. */
const actionsOf = (buttons: readonly any[]): (string | undefined)[] =>
  buttons.map((button) =>
    button.checkVisibility({ visibilityProperty: true }) && !button.matches(':disabled, [aria-disabled=true]')
      ? String(button.getAttribute('aria-label') ?? button.innerText).split(':', 1)[0]
      : undefined,
  );

const hasFocus = (element: any): boolean => element.contains(element.ownerDocument.activeElement);
