import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { exampleDocument, exampleRequests, waitingElsewhere } from './examples.ts';
import type { Role, Stage } from './stage.ts';
import { visit } from './visit.ts';

/** Every view with an action that some roles have and others do not. */
const views = {
  overview: { path: () => '/overview', ready: 'Fulfilled and failed per hour' },
  queue: { path: () => '/folder-requests?status=FAILED', ready: 'Folder requests' },
  failedRequest: {
    path: async (stage: Stage) => `/folder-requests/${(await exampleRequests(stage)).failed}`,
    ready: 'History',
  },
  agents: { path: () => '/agents', ready: 'Agents' },
  ownRequest: {
    // Of the person in back office.
    path: async (stage: Stage) => `/folder-requests/${await waitingElsewhere(stage, 'Own')}`,
    ready: 'History',
  },
  projects: { path: () => '/documents', ready: 'Projects' },
  project: {
    path: async (stage: Stage) => {
      await exampleDocument(stage);
      return `/documents/${sampleProject.id}?folder=07_Protokolle`;
    },
    ready: `${sampleProject.number} ${sampleProject.name}`,
  },
  contact: { path: () => `/contacts/${sampleContact.id}`, ready: 'Dr. Jürgen Grünwald' },
  activities: { path: () => '/activities', ready: 'Activities' },
} as const;
type View = keyof typeof views;

/** Labels of all actions that change something, in any view. */
const actions = [
  'New request',
  'Requeue all failed …',
  'Requeue',
  'Requeue with another path …',
  'Request again with another path …',
  'Correct the path …',
  'Free …',
  'Withdraw',
  'Pause: agent-1',
  'Add project …',
  'Actions of the project',
  'Upload files',
  'Download: Baubesprechung 1.txt',
  'Actions: Baubesprechung 1.txt',
  'New contact',
  'Save',
  'Delete',
  'Write',
];

const ownRequests = { queue: ['New request'] };
const documents = [
  'Actions of the project',
  'Upload files',
  'Download: Baubesprechung 1.txt',
  'Actions: Baubesprechung 1.txt',
];

/** The actions that each role is offered in each view; a view that is missing here does not exist for the role. */
const offers: Record<Role, Partial<Record<View, readonly string[]>>> = {
  administrator: {
    overview: [],
    queue: ['New request', 'Requeue all failed …'],
    failedRequest: ['Requeue', 'Requeue with another path …', 'Withdraw'],
    ownRequest: ['Correct the path …', 'Withdraw'],
    agents: ['Pause: agent-1'],
    projects: ['Add project …'],
    project: documents,
    contact: ['New contact', 'Save', 'Delete'],
  },
  backOffice: {
    ...ownRequests,
    failedRequest: ['Request again with another path …'],
    ownRequest: ['Correct the path …', 'Withdraw'],
    projects: [],
    project: documents,
    contact: [],
  },
  management: { ...ownRequests, projects: [], project: documents, contact: [] },
  projectManager: { projects: [], project: documents, contact: [] },
  activityAuthor: { activities: ['Write'] },
  noRole: {},
};

/** The service rejects these even if the user knows the address: the request is another user's. */
const rejected: Partial<Record<Role, readonly View[]>> = { management: ['failedRequest', 'ownRequest'] };

/** The pages of each role. The first one is opened at the start. */
const menus: Record<Role, readonly string[]> = {
  administrator: ['Overview', 'Folder requests', 'Agents', 'Documents', 'Contacts'],
  backOffice: ['Folder requests', 'Documents', 'Contacts'],
  management: ['Folder requests', 'Documents', 'Contacts'],
  projectManager: ['Documents', 'Contacts'],
  activityAuthor: ['Activities'],
  noRole: [],
};

export function permissionStories(stage: () => Stage): void {
  test.each(Object.keys(offers) as Role[])('%s is offered only what the role permits', async (role) => {
    const page = await stage().signedIn(role);
    const menu = menus[role];
    await page.getByRole('heading', { level: 1, name: menu[0] ?? 'Project folders' }).waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual(menu);
    expect(await page.getByText('You have no role in this application.').count()).toBe(
      menu.length === 0 ? 1 : 0,
    );
    const names = Object.keys(views) as View[];
    const seen: Partial<Record<View, readonly string[] | string>> = {};
    for (const name of names) {
      await visit(page, await views[name].path(stage()));
      seen[name] = await actionsIn(page, role, name).catch(String);
    }
    expect(seen).toEqual(Object.fromEntries(names.map((name) => [name, sorted(offers[role][name] ?? [])])));
  });
}

/**
 * The actions that the view offers, when it is there. If other ones than expected remain, those.
 *
 * @throws Error if the page shows something else than the view, its rejection, or the role that it requires
 */
async function actionsIn(page: Page, role: Role, name: View): Promise<readonly string[]> {
  const offered = offers[role][name];
  if (rejected[role]?.includes(name)) {
    await page.getByText('That did not work').waitFor();
  } else if (!offered) {
    await page.getByText(/^The page “.+” requires (the role|one of these roles)/).waitFor();
  } else {
    await page.getByRole('heading', { name: views[name].ready, exact: true }).waitFor();
    // Some come with the data.
    await expect
      .poll(() => actionsOf(page))
      .toEqual(sorted(offered))
      .catch(() => undefined);
  }
  return actionsOf(page);
}

const sorted = (names: readonly string[]): string[] => names.toSorted();

/** Of the known actions, those in the dialog that is open, or on the page. */
async function actionsOf(page: Page): Promise<readonly string[]> {
  const names = await page.evaluate<
    string[]
  >(`[...(document.querySelector('[role=dialog]') ?? document).querySelectorAll('button')].map((button) =>
    button.getAttribute('aria-label') ?? button.textContent)`);
  return sorted(actions.filter((action) => names.includes(action)));
}
