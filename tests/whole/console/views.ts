import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { silentAgent } from './agents.ts';
import { axeFindings } from './axe.ts';
import { expectButtonsInReach } from './buttons.ts';
import { exampleDocument, exampleRequests } from './examples.ts';
import type { Role, Stage } from './stage.ts';
import { de } from '../../../console/texts/de.ts';
import { controlNames, englishIn } from './control-names.ts';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { visit } from './visit.ts';

interface View {
  readonly name: string;
  readonly role?: Role;
  readonly path: (stage: Stage, page: Page) => string | Promise<string>;
  /** Opens what is to be checked in German, and waits for it. */
  readonly show: (page: Page) => Promise<unknown>;
  /** Names of buttons that open a dialog: these at least are found. */
  readonly dialogs?: readonly string[];
}

/** The list of the failed request of `exampleRequests`. */
const failedExample = '/folder-requests?status=FAILED&search=Beispiele';

const views: readonly View[] = [
  {
    name: 'overview',
    role: 'administrator',
    path: () => '/overview',
    show: async (page) => {
      await page.getByText(de.overview.agentsSilent(silentAgent)).waitFor();
      await page.getByText(de.overview.asTable).click();
    },
  },
  {
    name: 'agents',
    role: 'administrator',
    path: () => '/agents',
    show: (page) => page.getByRole('button', { name: `${de.agents.pause}: agent-1` }).waitFor(),
  },
  {
    name: 'documents',
    role: 'projectManager',
    path: async (stage) => {
      await exampleDocument(stage);
      await exampleDocument(stage, '05_Verträge');
      return `/documents/${sampleProject.id}?search=baubesprechung`;
    },
    show: (page) => page.getByRole('checkbox', { name: de.common.selectAll }).check(),
    dialogs: [de.documents.deleteSelected(2), de.documents.downloadSelected(2)],
  },
  {
    name: 'a contact',
    role: 'administrator',
    path: () => `/contacts/${sampleContact.id}`,
    show: (page) => page.getByLabel(de.contacts.fields.lastName).waitFor(),
    dialogs: [de.common.delete],
  },
  {
    name: 'contacts',
    role: 'administrator',
    path: () => '/contacts',
    show: (page) => page.getByRole('button', { name: de.contacts.add }).waitFor(),
  },
  {
    name: 'the choice of a project',
    role: 'projectManager',
    path: () => '/documents',
    show: async (page) => {
      await page.getByRole('combobox', { name: de.documents.project }).fill('2026');
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
      await page.getByRole('region', { name: de.documents.projects }).getByRole('listitem').first().waitFor();
      await page.getByRole('searchbox').fill('bau');
      await page.getByRole('row').nth(1).waitFor();
    },
  },
  {
    name: 'all documents, as an administrator',
    role: 'administrator',
    path: () => '/documents',
    show: (page) => page.getByRole('button', { name: de.imports.open }).waitFor(),
  },
  {
    name: 'a search in all projects without a hit',
    role: 'administrator',
    path: () => '/documents?search=gibtesnicht',
    show: (page) => page.getByRole('button', { name: de.documents.endSearch }).waitFor(),
  },
  {
    name: 'a project, as an administrator',
    role: 'administrator',
    path: async (stage) => {
      await exampleDocument(stage);
      return `/documents/${sampleProject.id}`;
    },
    show: (page) => page.getByRole('link', { name: '08_Ausschreibungen_Vergaben' }).waitFor(),
  },
  {
    name: 'both trees of a project',
    role: 'backOffice',
    path: () => `/documents/${sampleProject.id}`,
    show: async (page) => {
      await page.getByText(de.documents.trees(8, 8, 0)).waitFor();
      await page.getByRole('button', { name: de.documents.projectActions }).click();
      await page.getByRole('menuitem', { name: de.documents.provision }).click();
      await page.getByLabel(de.documents.newDirectory).waitFor();
    },
  },
  {
    name: 'sign-in',
    path: () => '',
    show: (page) => page.getByRole('button', { name: de.session.signIn }).waitFor(),
  },
  {
    name: 'folder requests',
    role: 'administrator',
    path: async (stage, page) => {
      await exampleRequests(stage);
      // A page has fewer than there are, so there are older ones to load.
      await page.route(/\/folder-requests\?limit=200$/, (route) =>
        route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
      );
      return '/folder-requests';
    },
    show: (page) => page.getByRole('button', { name: de.common.loadMore }).waitFor(),
    dialogs: [de.folderRequests.create],
  },
  {
    name: 'a folder request',
    role: 'administrator',
    path: async (stage) => `/folder-requests/${(await exampleRequests(stage)).failed}?status=FAILED`,
    show: (page) => page.getByRole('heading', { name: de.folderRequests.history }).waitFor(),
    dialogs: [de.folderRequests.requeueCorrected, de.folderRequests.withdraw],
  },
  {
    name: 'own folder requests',
    role: 'backOffice',
    path: async (stage) => {
      await exampleRequests(stage);
      return '/folder-requests?search=Beispiele';
    },
    show: (page) => page.getByRole('row').nth(2).waitFor(),
    dialogs: [de.folderRequests.create],
  },
  {
    name: 'a new folder request',
    role: 'backOffice',
    path: () => '/folder-requests?search=Beispiele',
    show: async (page) => {
      await page.getByRole('button', { name: de.folderRequests.create }).first().click();
      await page.getByLabel(de.folderRequests.path).waitFor();
    },
  },
  {
    name: 'the menu of the account',
    role: 'noRole',
    path: () => '',
    show: async (page) => {
      await page.getByRole('button', { name: new RegExp(`^${de.session.account}`) }).click();
      await page.getByRole('menuitem', { name: de.session.signOut }).waitFor();
    },
  },
  {
    name: 'a dialog with an error',
    role: 'administrator',
    path: () => failedExample,
    show: async (page) => {
      await page.getByRole('button', { name: de.folderRequests.create }).first().click();
      await page.getByLabel(de.folderRequests.path).fill('C:\\Temp');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: de.folderRequests.createAction, exact: true })
        .click();
      await page.getByText(de.problems.title).waitFor();
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
        .getByRole('button', { name: new RegExp(`^${de.common.more}: `) })
        .first()
        .click();
      await page.getByRole('menuitem', { name: de.common.delete }).click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'requeue of all failed',
    role: 'administrator',
    path: async (stage) => {
      await exampleRequests(stage);
      return failedExample;
    },
    show: async (page) => {
      await page.getByRole('button', { name: de.folderRequests.requeueAll }).click();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: de.folderRequests.requeue, exact: true })
        .waitFor();
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
      await page.getByLabel(de.activities.description).fill('Bitte um Rückruf.');
      await page.getByRole('button', { name: de.activities.write, exact: true }).click();
      await page.getByRole('button', { name: /4\.711,00/ }).waitFor();
    },
  },
  {
    name: 'checked folder requests that have failed',
    role: 'administrator',
    path: async (stage) => {
      await exampleRequests(stage);
      return failedExample;
    },
    show: (page) => page.getByRole('checkbox', { name: de.common.selectAll }).check(),
    dialogs: [de.folderRequests.requeueAll, de.folderRequests.create, de.folderRequests.withdrawSelected(1)],
  },
  {
    name: 'the withdrawal of checked folder requests',
    role: 'administrator',
    path: async (stage) => {
      await exampleRequests(stage);
      return failedExample;
    },
    show: async (page) => {
      await page.getByRole('checkbox', { name: de.common.selectAll }).check();
      await page.getByRole('button', { name: de.folderRequests.withdrawSelected(1) }).click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'an import of documents',
    role: 'administrator',
    path: () => '/documents/import',
    show: (page) => page.locator('input[type=file]').waitFor({ state: 'attached' }),
  },
  {
    name: 'an import before it is sent',
    role: 'administrator',
    path: () => '/contacts/import',
    show: async (page) => {
      const buffer = Buffer.from('Nachname;Ort\nWalter;Bonn\nWalter;');
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'Kontakte.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('region', { name: de.imports.preview }).waitFor();
    },
  },
  {
    name: 'a new contact',
    role: 'administrator',
    path: () => '/contacts/new',
    show: (page) => page.getByLabel(de.contacts.fields.lastName).waitFor(),
  },
  {
    name: 'a search without a hit',
    role: 'projectManager',
    path: () => `/documents/${sampleProject.id}?search=gibtesnicht`,
    show: (page) => page.getByRole('button', { name: de.documents.searchAllProjects }).waitFor(),
  },
  {
    name: 'a page without permission',
    role: 'backOffice',
    path: () => '/agents',
    show: (page) => page.getByText(de.app.rolesAreGivenBy).waitFor(),
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
      await page.getByLabel(de.activities.description).fill('Der Baubeginn verschiebt sich.');
      await page.getByRole('button', { name: de.activities.write, exact: true }).click();
      await page.getByText(de.activities.warnings, { exact: true }).waitFor();
    },
  },
];

const wide = 1440;
const narrow = 360;

/**
 * Both themes, in a wide and in a narrow window. A rule of axe-core that compares no colors reads one or the other at most, so
 * it runs once with either theme and width; those of colors depend on what a width shows in a theme.
 */
const looks = [
  { colorScheme: 'light', width: wide, rules: 'all' },
  { colorScheme: 'dark', width: wide, rules: 'colors' },
  { colorScheme: 'dark', width: narrow, rules: 'all' },
  { colorScheme: 'light', width: narrow, rules: 'colors' },
] as const;

// Each view begins with the first look, and the windows of its buttons lead back to it.
const german = { language: 'de', viewport: { width: wide, height: 740 } } as const;
/** No view has this path. */
export const nowhere = '/nothing';

/** A page of this person, or of nobody. */
async function openPage(stage: Stage, role: Role | undefined): Promise<Page> {
  const page = await (role ? stage.signedIn(role, nowhere, german) : stage.page(german));
  if (!role) await page.goto(stage.url);
  // Input that is not saved is discarded with its view.
  page.on('dialog', (question) => void question.accept());
  return page;
}

async function lookAt(page: Page, { name, show, dialogs = [] }: View): Promise<void> {
  await show(page);
  const names = await controlNames(page);
  expect.soft(names, name).not.toEqual([]);
  expect.soft(names.flatMap(englishIn), name).toEqual([]);
  for (const { colorScheme, width, rules } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    await expect.poll(() => page.evaluate('document.documentElement.style.colorScheme')).toBe(colorScheme);
    // The colors of buttons change in a transition, also with reduced motion, where it is short.
    // One whose element goes in the meantime, such as that of a list that is loaded, never finishes.
    await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))');
    expect.soft(await axeFindings(page, rules), `${name}: ${colorScheme}, ${width} px`).toEqual([]);
  }
  const widest =
    'Math.max(document.documentElement.scrollWidth, document.querySelector("main")?.scrollWidth ?? 0)';
  expect.soft(await page.evaluate(widest), name).toBeLessThanOrEqual(narrow);
  // The window itself never scrolls: that would move the header out of view.
  expect.soft(await page.evaluate('document.documentElement.scrollHeight - innerHeight'), name).toBe(0);
  await expectButtonsInReach(page, dialogs);
}

/** Leaves nothing open: neither a dialog of the view nor a menu of the frame. */
async function leave(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await visit(page, nowhere);
  await page.getByText(de.app.notFound).waitFor();
  await page.setViewportSize(german.viewport);
}

export function viewStories(stage: () => Stage): void {
  const roles = [...new Set(views.map(({ role }) => role))];
  test.each(roles.map((role) => [role ?? 'nobody', role] as const))(
    '%s: in each view axe-core finds nothing in either theme, it fits a window of 360 pixels, no control has an English name in German, and nothing lies over a button in a window of 360, 768, or 1440 pixels',
    async (_name, role) => {
      let page = await openPage(stage(), role);
      const failures: Error[] = [];
      for (const view of views.filter((each) => each.role === role)) {
        try {
          await visit(page, await view.path(stage(), page));
          await lookAt(page, view);
          if (role) await leave(page);
        } catch (error) {
          failures.push(new Error(`The view: ${view.name}: ${String(error)}`, { cause: error }));
          page = await openPage(stage(), role);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
    },
  );
}
