import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sampleContact, sampleProject } from '../../../local/stack/seeds.ts';
import { exampleDocument, exampleRequests } from './examples.ts';
import { addFulfilledRequests } from './many-requests.ts';
import type { Role, Stage } from './stage.ts';

interface Place {
  readonly role: Role;
  readonly path: string;
  /** A button that is there when the page is complete. */
  readonly ready: string;
  /** Prepares what the page shows. */
  readonly has?: (stage: Stage) => Promise<unknown>;
}

const project = `/documents/${sampleProject.id}`;

/** More than the list loads at first, so there are older ones to load. */
const manyRequests = (stage: Stage): Promise<void> => addFulfilledRequests(stage, 231);

const places: readonly Place[] = [
  { role: 'administrator', path: '/overview', ready: 'Menu' },
  { role: 'administrator', path: '/folder-requests', ready: 'Load older ones', has: manyRequests },
  {
    role: 'administrator',
    path: '/folder-requests?status=FAILED',
    ready: 'Requeue all failed …',
    has: exampleRequests,
  },
  { role: 'administrator', path: '/agents', ready: 'Pause: agent-1' },
  { role: 'administrator', path: '/documents', ready: 'Import a file' },
  { role: 'administrator', path: '/documents?search=gibtesnicht', ready: 'End the search' },
  { role: 'administrator', path: '/documents/import', ready: 'Import a file' },
  { role: 'administrator', path: project, ready: '08_Ausschreibungen_Vergaben', has: exampleDocument },
  {
    role: 'projectManager',
    path: `${project}?folder=07_Protokolle`,
    ready: 'Delete: Baubesprechung 1.txt',
    has: exampleDocument,
  },
  { role: 'projectManager', path: `${project}?search=gibtesnicht`, ready: 'Search all projects' },
  { role: 'administrator', path: '/contacts', ready: 'New contact' },
  { role: 'administrator', path: `/contacts/${sampleContact.id}`, ready: 'Delete' },
  { role: 'backOffice', path: '/folder-requests', ready: 'New request' },
  { role: 'activityAuthor', path: `/activities?contact=${sampleContact.id}`, ready: 'Write' },
];

const widths = [360, 768, 1440];

/** Each click fails if something lies over the button, or if it cannot be scrolled into view. It is not performed. */
async function clickEachButton(page: Page): Promise<number> {
  let clicked = 0;
  for (const button of await page.getByRole('button').all()) {
    // The button that clears an empty field has no size.
    if (!(await button.isVisible()) || !(await button.isEnabled())) continue;
    await button.click({ trial: true, timeout: 10_000 });
    clicked += 1;
  }
  return clicked;
}

export function buttonStories(stage: () => Stage): void {
  test.each(places.map((place) => [place.path, place] as const))(
    '%s: nothing lies over a button in a window of 360, 768, or 1440 pixels',
    async (_path, { role, path, ready, has }) => {
      await has?.(stage());
      const page = await stage().signedIn(role, path);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 });
        // The menu is a button in narrow windows only.
        if (ready !== 'Menu') await page.getByRole('button', { name: ready, exact: true }).first().waitFor();
        expect(await clickEachButton(page), `${width} px`).toBeGreaterThan(0);
      }
    },
  );
}
