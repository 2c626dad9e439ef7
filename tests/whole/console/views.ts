import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { exampleDocument, exampleRequests } from './examples.ts';
import type { Role, Stage } from './stage.ts';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';

interface View {
  readonly name: string;
  readonly role?: Role;
  readonly path: (stage: Stage) => string | Promise<string>;
  /** Opens what is to be checked, and waits for it. */
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
    show: (page) => page.getByRole('cell', { name: 'agent-1', exact: true }).waitFor(),
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
    name: 'the choice of a project',
    role: 'projectManager',
    path: () => '/documents',
    show: async (page) => {
      await page.getByRole('combobox', { name: 'Project' }).fill('2026');
      await page.getByRole('option', { name: sampleProject.name }).waitFor();
    },
  },
  {
    name: 'documents found across projects',
    role: 'projectManager',
    path: async (stage) => {
      await exampleDocument(stage);
      return '/documents';
    },
    show: async (page) => {
      await page.getByRole('region', { name: 'Projects' }).getByRole('listitem').first().waitFor();
      await page.getByRole('searchbox').fill('bau');
      await page.getByRole('row').nth(1).waitFor();
    },
  },
  {
    name: 'both trees of a project',
    role: 'backOffice',
    path: () => `/documents/${sampleProject.id}`,
    show: (page) => page.getByLabel('New directory').waitFor(),
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
  {
    name: 'a dialog with an error',
    role: 'administrator',
    path: () => '/folder-requests',
    show: async (page) => {
      await page.getByRole('button', { name: 'New request' }).click();
      await page.getByLabel('Target path').fill('C:\\Temp');
      await page.getByRole('dialog').getByRole('button', { name: 'New request' }).click();
      await page.getByText('That did not work').waitFor();
    },
  },
  {
    name: 'a question before an action',
    role: 'projectManager',
    path: async (stage) => {
      await exampleDocument(stage);
      return `/documents/${sampleProject.id}?folder=07_Protokolle`;
    },
    show: async (page) => {
      await page
        .getByRole('button', { name: /^Delete/ })
        .first()
        .click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'requeue of all failed',
    role: 'administrator',
    path: async (stage) => {
      await exampleRequests(stage);
      return '/folder-requests?status=FAILED';
    },
    show: async (page) => {
      await page.getByRole('button', { name: 'Requeue all failed …' }).click();
      await page.getByText(/^Requeue \d+ failed request/).waitFor();
    },
  },
  {
    name: 'a draft with warnings beside its words',
    role: 'activityAuthor',
    path: async ({ stack }) => {
      await fetch(`${stack.description.aiProvider.adminUrl}/next`, {
        method: 'PUT',
        body: JSON.stringify(['invented-figure', 'invented-figure']),
      });
      return `/activities?contact=${sampleContact.id}`;
    },
    show: async (page) => {
      await page.getByLabel('What to say').fill('Bitte um Rückruf.');
      await page.getByRole('button', { name: 'Write', exact: true }).click();
      await page.getByRole('button', { name: /4\.711,00/ }).waitFor();
    },
  },
  {
    name: 'the list of keyboard shortcuts',
    role: 'administrator',
    path: () => '/folder-requests',
    show: async (page) => {
      await page.getByRole('button', { name: 'New request' }).waitFor();
      await page.keyboard.press('?');
      await page.getByText('Next row').waitFor();
    },
  },
  {
    name: 'checked folder requests',
    role: 'administrator',
    path: async (stage) => {
      await exampleRequests(stage);
      return '/folder-requests';
    },
    show: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: /^Withdraw/ }).click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'a contact that may only be read',
    role: 'projectManager',
    path: () => `/contacts/${sampleContact.id}`,
    show: (page) => page.getByText('Mühlenstraße').waitFor(),
  },
  {
    name: 'a draft with warnings',
    role: 'activityAuthor',
    path: async ({ stack }) => {
      await fetch(`${stack.description.aiProvider.adminUrl}/next`, {
        method: 'PUT',
        body: JSON.stringify(['gap-left', 'gap-left']),
      });
      return `/activities?contact=${sampleContact.id}`;
    },
    show: async (page) => {
      await page.getByLabel('What to say').fill('Der Baubeginn verschiebt sich.');
      await page.getByRole('button', { name: 'Write', exact: true }).click();
      await page.getByText('Please check').waitFor();
    },
  },
];

/** Both themes, in a wide and in a narrow window. */
const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 360 },
] as const;

export function viewStories(stage: () => Stage): void {
  test.each(views.map((view) => [view.name, view] as const))(
    '%s: axe-core finds nothing in either theme, and it fits a window of 360 pixels',
    async (_name, { role, path, show }) => {
      const address = await path(stage());
      const page = role ? await stage().signedIn(role, address) : await stage().page();
      if (!role) await page.goto(stage().url + address);
      await show(page);
      for (const { colorScheme, width } of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 740 });
        await expect
          .poll(() => page.evaluate('document.documentElement.style.colorScheme'))
          .toBe(colorScheme);
        // The colors of buttons change in a transition, also with reduced motion, where it is short.
        await page.evaluate('Promise.all(document.getAnimations().map((each) => each.finished))');
        expect(await axeFindings(page), `${colorScheme}, ${width} px`).toEqual([]);
      }
      const widest =
        'Math.max(document.documentElement.scrollWidth, document.querySelector("main")?.scrollWidth ?? 0)';
      expect(await page.evaluate(widest)).toBeLessThanOrEqual(360);
      // The window itself never scrolls: that would move the header out of view.
      expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0);
    },
  );
}
