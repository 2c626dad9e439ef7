import type { Page } from 'playwright-core';

/** Waits for a short confirmation. Its text is in the page twice: visible, and in a live region for screen readers. */
export const notice = (page: Page, text: string): Promise<void> =>
  page.locator('.fui-Toast').getByText(text, { exact: true }).first().waitFor();
