import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import type { Role, Stage } from './stage.ts';
import { exampleDocument, exampleRequests } from './examples.ts';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';

interface View {
  readonly name: string;
  readonly role?: Role;
  readonly path: (stage: Stage) => string | Promise<string>;
  /** Opens what is to be looked at, and waits for it. */
  readonly show: (page: Page) => Promise<unknown>;
}

const views: readonly View[] = [
  {
    name: 'overview',
    role: 'administrator',
    path: () => '/overview',
    show: async (page) => {
      await page.getByText('none silent').waitFor();
      await page.getByText('As a table').click();
    },
  },
  {
    name: 'agents',
    role: 'administrator',
    path: () => '/agents',
    show: (page) => page.getByRole('cell', { name: 'agent-1' }).waitFor(),
  },
  {
    name: 'documents',
    role: 'projectManager',
    path: async (stage) => {
      await exampleDocument(stage);
      return `/documents/${sampleProject.id}?folder=07_Protokolle`;
    },
    show: (page) =>
      page
        .getByRole('button', { name: /^Delete/ })
        .first()
        .waitFor(),
  },
  {
    name: 'a contact',
    role: 'administrator',
    path: () => `/contacts/${sampleContact.id}`,
    show: (page) => page.getByLabel('Last name').waitFor(),
  },
  {
    name: 'an activity',
    role: 'activityAuthor',
    path: () => `/activities?contact=${sampleContact.id}`,
    show: async (page) => {
      await page.getByLabel('What is to be communicated').fill('Der Baubeginn verschiebt sich.');
      await page.getByRole('button', { name: 'Write', exact: true }).click();
      await page.getByRole('region', { name: 'Draft' }).waitFor();
    },
  },
  {
    name: 'sign-in',
    path: () => '',
    show: (page) => page.getByRole('button', { name: 'Sign in' }).waitFor(),
  },
  {
    name: 'folder requests',
    role: 'administrator',
    path: async (stage) => {
      await exampleRequests(stage);
      return '/folder-requests';
    },
    show: (page) => page.getByRole('row').nth(2).waitFor(),
  },
  {
    name: 'a folder request',
    role: 'administrator',
    path: async (stage) => `/folder-requests/${(await exampleRequests(stage)).failed}`,
    show: (page) => page.getByRole('heading', { name: 'History' }).waitFor(),
  },
  {
    name: 'a new folder request',
    role: 'backOffice',
    path: () => '/folder-requests',
    show: async (page) => {
      await page.getByRole('button', { name: 'New request' }).click();
      await page.getByLabel('Target path').waitFor();
    },
  },
  {
    name: 'the menu of the account',
    role: 'noRole',
    path: () => '',
    show: async (page) => {
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    },
  },
];

export function accessibilityStories(stage: () => Stage): void {
  const open = async ({ role, path, show }: View, options: Parameters<Stage['page']>[0]): Promise<Page> => {
    const address = await path(stage());
    const page = role ? await stage().signedIn(role, address, options) : await stage().page(options);
    if (!role) await page.goto(stage().url + address);
    await show(page);
    return page;
  };

  test.each(
    views.flatMap((view) => (['light', 'dark'] as const).map((theme) => [view.name, theme, view] as const)),
  )(
    '%s, %s: axe-core finds nothing, and it fits a window of 360 pixels',
    async (_name, colorScheme, view) => {
      const page = await open(view, { colorScheme });
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await axeFindings(page)).toEqual([]);
      const widest =
        'Math.max(document.documentElement.scrollWidth, document.querySelector("main")?.scrollWidth ?? 0)';
      expect(await page.evaluate(widest)).toBeLessThanOrEqual(360);
      // The window itself never scrolls: whatever lies above the page would push it out of sight.
      expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0);
    },
  );

  test('a folder is requested and looked at with the keyboard alone', async () => {
    const page = await stage().page();
    await page.goto(stage().url);
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focusOn = async (name: string): Promise<void> => {
      // No page has more stops than this before the one looked for.
      for (let stops = 0; stops < 40; stops += 1) {
        await press('Tab');
        const focused = await page.evaluate<string>(nameOfFocused);
        if (focused.includes(name)) return;
      }
      throw new Error(`Tab does not lead to "${name}".`);
    };
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await focusOn('Sign in');
    await press('Enter');
    await page.getByRole('link', { name: 'Andreas Adler' }).waitFor();
    await focusOn('Andreas Adler');
    await press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Folder requests' }).waitFor();
    await focusOn('Folder requests');
    await press('Enter');
    await page.getByRole('button', { name: 'New request' }).waitFor();
    await focusOn('New request');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Tastatur\\Neubau');
    await press('Enter');
    await page.getByRole('link', { name: 'Tastatur\\Neubau' }).waitFor();
    await focusOn('Tastatur\\Neubau');
    await press('Enter');
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await press('Escape');
    await page.getByRole('heading', { name: 'History' }).waitFor({ state: 'detached' });
  });
}

/** Of links, buttons and fields; anything else that may have the focus is no stop to press a key on. */
const nameOfFocused = `(() => {
  const element = document.activeElement;
  if (!element?.matches('a, button, input')) return '';
  return [element.getAttribute('aria-label'), element.textContent, element.labels?.[0]?.textContent].join(' ');
})()`;
