import type { Page } from 'playwright-core';

interface AxNode {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value?: string };
  readonly description?: { readonly value?: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** Those of the browser's own fields for date and time: they are in the language of the browser. */
const ofBrowser = new Set(['DateTime', 'Date', 'InputTime']);

/**
 * The accessible names and descriptions of all controls of the page, as the browser tells them to a screen reader: of what
 * can have the focus, and of what has a label, such as regions, tables, and dialogs.
 */
export async function controlNames(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: readonly AxNode[] };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const isOfBrowser = ({ parentId }: AxNode): boolean => {
    const parent = parentId === undefined ? undefined : byId.get(parentId);
    return parent !== undefined && (ofBrowser.has(parent.role?.value ?? '') || isOfBrowser(parent));
  };
  return nodes
    .filter((node) => !node.ignored && isNamedControl(node) && !isOfBrowser(node))
    .flatMap(({ name, description }) => [name?.value ?? '', description?.value ?? ''])
    .filter((text) => text !== '');
}

const labeled = new Set([
  'region',
  'table',
  'dialog',
  'alertdialog',
  'navigation',
  'search',
  'image',
  'list',
]);

const isNamedControl = ({ role, properties = [] }: AxNode): boolean =>
  labeled.has(role?.value ?? '') ||
  properties.some(({ name, value }) => name === 'focusable' && value.value === true);

// Words that German texts of the console do not have, also not as a foreign word.
const englishWords = `
  open close clear search save delete cancel select selected choose remove dismiss more next previous
  load loading show hide new edit copy sort and with from not yes page list row column all error
  warning success information progress required expand collapse toggle button menu file folder sign
  account settings help
`;
const english = new RegExp(String.raw`\b(?:${englishWords.trim().split(/\s+/).join('|')})\b`, 'i');

/** The text, if it has an English word. */
export const englishIn = (text: string): string[] => (english.test(text) ? [text] : []);
