import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { exampleDocument, exampleRequests } from './examples.ts';
import { notice } from './notice.ts';
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
  'Withdraw',
  'Pause: agent-1',
  'Add project …',
  'Create folders',
  'Synchronize',
  'choose files',
  'Download: Baubesprechung 1.txt',
  'Delete: Baubesprechung 1.txt',
  'New contact',
  'Save',
  'Delete',
  'Write',
];

const ownRequests = { queue: ['New request'] };
const documents = [
  'Create folders',
  'Synchronize',
  'choose files',
  'Download: Baubesprechung 1.txt',
  'Delete: Baubesprechung 1.txt',
];

/** The actions that each role is offered in each view; a view that is missing here does not exist for the role. */
const offers: Record<Role, Partial<Record<View, readonly string[]>>> = {
  administrator: {
    overview: [],
    queue: ['New request', 'Requeue all failed …'],
    failedRequest: ['Requeue', 'Requeue with another path …', 'Withdraw'],
    agents: ['Pause: agent-1'],
    project: ['Add project …', ...documents],
    contact: ['New contact', 'Save', 'Delete'],
  },
  backOffice: {
    ...ownRequests,
    failedRequest: ['Request again with another path …'],
    project: documents,
    contact: [],
  },
  management: { ...ownRequests, project: documents, contact: [] },
  projectManager: { project: documents, contact: [] },
  activityAuthor: { activities: ['Write'] },
  noRole: {},
};

/** The service rejects these even if the user knows the address: the request is another user's. */
const rejected: Partial<Record<Role, readonly View[]>> = { management: ['failedRequest'] };

export function permissionStories(stage: () => Stage): void {
  test.each(Object.keys(offers) as Role[])('%s is offered only what the role permits', async (role) => {
    const page = await stage().signedIn(role);
    for (const [name, { path, ready }] of Object.entries(views) as [View, (typeof views)[View]][]) {
      const offered = offers[role][name];
      await visit(page, await path(stage()));
      if (rejected[role]?.includes(name)) {
        await page.getByText('That did not work').waitFor();
        expect(await actionsOf(page), name).toEqual([]);
        continue;
      }
      if (!offered) {
        await page.getByText(/^The page “.+” requires (the role|one of these roles)/).waitFor();
        expect(await actionsOf(page), name).toEqual([]);
        continue;
      }
      await page.getByRole('heading', { name: ready, exact: true }).waitFor();
      await expect.poll(() => actionsOf(page), { message: name }).toEqual(sorted(offered));
    }
  });

  test('a pending request can be withdrawn by its requester, and not by another user who is not an administrator', async () => {
    // The service rejects access to others' requests, so there is nothing to offer.
    const page = await stage().signedIn('backOffice', '/folder-requests');
    await page.getByRole('button', { name: 'New request' }).click();
    await page.getByLabel('Target path').fill('\\\\elsewhere\\share\\Own request');
    await page.getByRole('dialog').getByRole('button', { name: 'Request', exact: true }).click();
    await page.getByRole('link', { name: 'Own request' }).click();
    await page.getByRole('button', { name: 'Withdraw' }).waitFor();
    const address = page.url();
    const other = await stage().signedIn('management');
    await other.goto(address);
    await other.getByText('That did not work').waitFor();
    expect(await other.getByRole('button', { name: 'Withdraw' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
    await notice(page, 'The request was withdrawn.');
    await page.getByRole('link', { name: 'Own request' }).waitFor({ state: 'detached' });
  });
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
