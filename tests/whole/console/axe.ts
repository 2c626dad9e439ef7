import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const source = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Those of the category `cat.color` that run by default. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * The violations that axe-core finds on the current page. Excluded are the focus sentinels of the dialogs and menus, empty
 * elements that immediately pass the focus on (microsoft/tabster #288). Open menus and notices are allowed outside the
 * landmarks: they are above the page, not in it.
 *
 * @param rules all, or only those that compare colors
 */
export async function axeFindings(page: Page, rules: 'all' | 'colors' = 'all'): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source);
  return page.evaluate<readonly string[]>(run(rules === 'all' ? {} : { runOnly: colorRules }));
}

/** Runs in the page. As text: here the types of the DOM are unknown. */
const run = (only: object): string => `(async () => {
  const { violations } = await axe.run({ exclude: [['[data-tabster-dummy]']] }, {
    resultTypes: ['violations'], ...${JSON.stringify(only)}
  });
  const isAbove = ({ target }) => document.querySelector(target[0])?.closest('.fui-MenuPopover, .fui-Toaster');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter((node) => id !== 'region' || !isAbove(node))
      .map(({ html, failureSummary }) => id + ': ' + help + ': ' + html + ' ' + failureSummary));
})()`;
