import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * The violations that axe-core finds on the current page. Excluded are the focus sentinels of the dialogs and menus, empty
 * elements that immediately pass the focus on (microsoft/tabster #288). Open menus and notices are allowed outside the
 * landmarks: they are above the page, not in it.
 */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  return page.evaluate<readonly string[]>(run);
}

/** Runs in the page. As text: here the types of the DOM are unknown. */
const run = `(async () => {
  const { violations } = await axe.run({ exclude: [['[data-tabster-dummy]']] }, { resultTypes: ['violations'] });
  const isAbove = ({ target }) => document.querySelector(target[0])?.closest('.fui-MenuPopover, .fui-Toaster');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter((node) => id !== 'region' || !isAbove(node))
      .map(({ html, failureSummary }) => id + ': ' + help + ': ' + html + ' ' + failureSummary));
})()`;
