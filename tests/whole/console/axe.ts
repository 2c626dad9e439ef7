import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe-core finds on the page as it is now. Left out are the focus sentinels of the dialogs and menus, empty elements
 * that pass the focus on at once (microsoft/tabster #288), and that open menus and notices lie outside the landmarks:
 * they are above the page, not in it.
 */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  return page.evaluate<readonly string[]>(run);
}

/** Runs in the page. As text: here the DOM's types are not known. */
const run = `(async () => {
  const { violations } = await axe.run({ exclude: [['[data-tabster-dummy]']] }, { resultTypes: ['violations'] });
  const isAbove = ({ target }) => document.querySelector(target[0])?.closest('.fui-MenuPopover, .fui-Toaster');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter((node) => id !== 'region' || !isAbove(node))
      .map(({ html, failureSummary }) => id + ': ' + help + ': ' + html + ' ' + failureSummary));
})()`;
