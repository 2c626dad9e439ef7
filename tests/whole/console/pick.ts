import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Searches in a field, expects exactly these items, and chooses the first with the keyboard. */
export async function pick(page: Page, field: string, text: string, items: readonly string[]): Promise<void> {
  const box = page.getByRole('combobox', { name: field });
  await box.fill(text);
  await expect
    .poll(() => page.getByRole('listbox').getByRole('option', { disabled: false }).allInnerTexts())
    .toEqual(items);
  if (items.length === 0) {
    await page.getByRole('option', { name: 'Nothing matches.' }).waitFor();
    await box.press('Escape');
    return;
  }
  await box.press('ArrowDown');
  await box.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}
