import type { Page } from 'playwright-core';

/** Opens another view without a page load. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '/api/console${path}')`);
}
