import type { Page } from 'playwright-core';

/**
 * Replaces every text of the page as Chromium's translation does: by two `font` elements with another text. React still has
 * the old text nodes.
 */
export const translate = (page: Page): Promise<unknown> => page.evaluate(replaceTexts);

// As text: here the types of the DOM are unknown.
const replaceTexts = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const parent = text.parentElement;
    if (text.data.trim() === '' || parent.closest('script, style, [translate=no], .notranslate')) continue;
    const outer = document.createElement('font');
    const inner = document.createElement('font');
    inner.append(text.data);
    outer.append(inner);
    text.replaceWith(outer);
  }
})()`;
